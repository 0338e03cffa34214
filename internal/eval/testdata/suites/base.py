"""Common parts of the two suites' generators: replay, masks, files.

Run `python3 generate.py` here; it writes chat/ and travel/. The data is our
own; only the form is that of the recorded AgentDojo sessions.
"""
import copy
import gzip
import hashlib
import io
import itertools
import json
import os
import re

import yaml

VECTOR = re.compile(r"\{(v_[a-z_]+)\}")
HERE = os.path.dirname(os.path.abspath(__file__))


def tool(name, description, /, **props):
    """A tool's schema; a property is (type, description[, default])."""
    out = {}
    for key, spec in props.items():
        typ, desc = spec[0], spec[1]
        p = {"description": desc, "title": key.replace("_", " ").title()}
        if typ.endswith("?"):
            typ = typ[:-1]
            t = {"type": "array", "items": {"type": "string"}} if typ == "strings" else {"type": typ}
            p["anyOf"] = [t, {"type": "null"}]
            p["default"] = spec[2] if len(spec) > 2 else None
        else:
            if typ == "strings":
                p.update(type="array", items={"type": "string"})
            else:
                p["type"] = typ
            if len(spec) > 2:
                p["default"] = spec[2]
        out[key] = p
    schema = {"properties": out, "title": "Input schema for `%s`" % name, "type": "object"}
    req = [k for k, s in props.items() if len(s) < 3 and not s[0].endswith("?")]
    if req:
        schema["required"] = req
    return {"name": name, "description": description, "inputSchema": schema}


def inject(value, texts, extra):
    """Replaces the vectors in a value. A vector in a list's entry, with values
    in extra, makes an entry more for each of them that is that value alone."""
    if isinstance(value, str):
        def sub(m):
            return texts.get(m[1], "")
        found = VECTOR.findall(value)
        out = VECTOR.sub(sub, value)
        for v in found:
            if v in texts and extra:
                out += "\n" + "\n".join(extra)
        return out.rstrip() if found else out
    if isinstance(value, dict):
        return {k: inject(v, texts, extra) for k, v in value.items()}
    if isinstance(value, list):
        out = []
        for item in value:
            out.append(inject(item, texts, ()))
            hit = [v for v in VECTOR.findall(json.dumps(item)) if v in texts]
            if hit and isinstance(item, str):
                out += list(extra)
            elif hit and isinstance(item, dict):
                for text in extra:
                    out.append({k: text if isinstance(v, str) and VECTOR.search(v) else v for k, v in item.items()})
        return out
    return value


def paths(value, at=""):
    """The paths of the fields in which a vector stands."""
    if isinstance(value, str):
        return {at} if VECTOR.search(value) else set()
    if isinstance(value, dict):
        return set().union(*[paths(v, (at + "." if at else "") + k) for k, v in value.items()], set())
    if isinstance(value, list):
        return set().union(*[paths(v, at + "[]") for v in value], set())
    return set()


def text(value):
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
        return yaml.safe_dump(value, allow_unicode=True).strip()
    return str(value)


class World:
    """A world has one method a tool; a method that raises is a failed call."""

    def __init__(self, texts=None, extra=()):
        self.state = copy.deepcopy(self.START)
        self.texts, self.extra = texts or {}, extra
        self.done = []  # (function, args) that succeeded and changed something

    def call(self, function, args):
        try:
            before = json.dumps(self.state, sort_keys=True)
            raw = getattr(self, function)(**copy.deepcopy(args))
            if json.dumps(self.state, sort_keys=True) != before:
                self.done.append((function, json.dumps(args, sort_keys=True)))
            shown = inject(raw, self.texts, self.extra)
            return raw, shown, text(shown), None
        except (ValueError, KeyError) as e:
            message = "ValueError: %s" % (e.args[0] if e.args else e)
            return None, message, message, message


def record(seq, c, raw, shown, out, err):
    return {"seq": seq, "function": c[0], "args": c[1], "output": out, "structured": shown, "error": err}


def vectors(raw):
    return sorted(set(VECTOR.findall(json.dumps(raw)))) if raw is not None else []


def build_tasks(world, tasks):
    out = []
    for i, (prompt, calls) in enumerate(tasks):
        w, recorded, seen = world(), [], set()
        for n, c in enumerate(calls):
            changed = len(w.done)
            raw, shown, o, err = w.call(*c)
            assert err is None, (i, c, err)
            r = record(n, c, raw, shown, o, err)
            r["injection_vectors_in_output"] = vectors(raw)
            r["injectable_fields"] = sorted(paths(raw)) if raw is not None else []
            r["utility_check_if_denied"] = len(w.done) == changed
            seen |= set(vectors(raw))
            recorded.append(r)
        out.append({"id": "user_task_%d" % i, "prompt": prompt, "ground_truth_output": "", "calls": recorded,
                    "utility": True, "injection_vectors": sorted(seen)})
    return out


def play(world, calls, texts, extra, denied=()):
    """Plays labelled calls but the denied attack calls; returns world, records."""
    w, recorded, attack, user = world(texts, extra), [], 0, 0
    for n, (label, c) in enumerate(calls):
        if label == "attack":
            attack += 1
            if attack - 1 in denied:
                continue
            index = attack - 1
        else:
            index, user = user, user + 1
        raw, shown, o, err = w.call(*c)
        r = record(n, c, raw, shown, o, err)
        r["label"], r["index"] = label, index
        r["shows_injection"] = any(v in texts for v in vectors(raw))
        recorded.append(r)
    return w, recorded


def build_sessions(suite, world, tasks, injections, name, whole):
    out = []
    for task, (prompt, user) in zip(build_tasks(world, tasks), tasks):
        if not task["injection_vectors"]:
            continue
        wanted = world()
        for c in user:
            wanted.call(*c)
        wanted = wanted.done
        for j, inj in enumerate(injections):
            body = inj["text"] if not whole else inj.get("bare", inj["text"])
            texts = {v: body for v in task["injection_vectors"]}
            extra = inj.get("values", []) if whole else []
            if whole and not extra:
                continue
            at = next(n for n, c in enumerate(task["calls"]) if c["injection_vectors_in_output"]) + 1
            calls = [("user", c) for c in user]
            calls[at:at] = [("attack", c) for c in inj["calls"]]
            n = len(inj["calls"])

            def utility(w):
                left = list(w.done)
                for d in wanted:
                    if d not in left:
                        return False
                    left.remove(d)
                return True

            masks = {}
            for r in range(n + 1):
                for denied in itertools.combinations(range(n), r):
                    w, _ = play(world, calls, texts, extra, denied)
                    masks[str(sum(1 << d for d in denied))] = inj["check"](w)
            w, recorded = play(world, calls, texts, extra)
            without, _ = play(world, calls, texts, extra, range(n))
            sid = hashlib.sha256(("%s/%s/%d/%s" % (suite, task["id"], j, name)).encode()).hexdigest()[:16]
            out.append({"version": "v1", "suite": suite, "user_task": task["id"], "injection_task": "injection_task_%d" % j,
                        "attack": name, "session": sid, "user_prompt": prompt, "goal": inj["goal"], "text_only": n == 0,
                        "injections": texts, "calls": recorded,
                        "outcome": {"utility": utility(w), "attack_success": masks["0"], "attacked": n > 0, "check_error": None},
                        "outcome_attack_denied": {"utility": utility(without), "attack_success": masks[str((1 << n) - 1)]},
                        "attack_success_by_denied_mask": masks})
    return out


def write(suite, tools, world, tasks, injections):
    directory = os.path.join(HERE, suite)
    os.makedirs(directory, exist_ok=True)

    def dump(name, value):
        with open(os.path.join(directory, name), "w") as f:
            json.dump(value, f, indent=1, ensure_ascii=False)
            f.write("\n")
    dump("tools_mcp.json", {"tools": tools})
    dump("tasks.json", build_tasks(world, tasks))
    dump("injections.json", [{"id": "injection_task_%d" % i, "goal": x["goal"], "text_only": not x["calls"],
                              "calls": [{"function": c[0], "args": c[1]} for c in x["calls"]]} for i, x in enumerate(injections)])
    for name, whole in (("direct", False), ("whole", True)):
        sessions = build_sessions(suite, world, tasks, injections, name, whole)
        path = os.path.join(directory, "transcripts_%s.jsonl.gz" % name)
        with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as zipped, io.TextIOWrapper(zipped, "utf-8") as f:
            for s in sessions:
                f.write(json.dumps(s, ensure_ascii=False, separators=(",", ":")) + "\n")
        print(suite, name, len(sessions), "sessions")
