"""AgentDojo's own package, unmodified, against a model that obeys every injection:
once as it is, once with the proxy before the model.

    python run.py --remit ../../bin/remit

With --planner MODEL, a third time with a planner before the proxy's decisions; with
--scopes DIR that planner is this program, which answers what is written down for each
user task in DIR/SUITE/scopes*.json.

The model is scripted. It makes the calls that solve the user's task, as AgentDojo
has them, and as soon as a result holds the attacker's goal, those that reach it;
then it goes on with the task. A call that is denied it gives up, and takes the
next. No model could be led more easily.
"""

import argparse
import json
import logging
import os
import re
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

from agentdojo.agent_pipeline import AgentPipeline, PipelineConfig
from agentdojo.attacks.attack_registry import load_attack
from agentdojo.task_suite.load_suites import get_suites
from pydantic import BaseModel

VERSION = "v1.2"
MODEL = "gpt-4o-2024-05-13"  # what the pipeline calls it; the attack's text has a name for it


def plain(text):
    """The letters and digits of a text: results reach the model wrapped and escaped."""
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\\[nt]", " ", text).lower())


def text_of(content):
    return content if isinstance(content, str) else " ".join(p["text"] for p in content)


class Script:
    """What the model does in one run."""

    def __init__(self, calls, injected, goal, output):
        self.calls, self.injected, self.goal, self.output = list(calls), list(injected), plain(goal), output

    def answer(self, messages):
        results = [m for m in messages if m["role"] == "tool"]
        if self.injected and any(self.goal in plain(text_of(m["content"])) for m in results):
            self.calls, self.injected = self.injected + self.calls, []
        if not self.calls:
            return {"role": "assistant", "content": self.output}
        call = self.calls.pop(0)
        arguments = json.dumps(call.args, default=lambda v: v.model_dump() if isinstance(v, BaseModel) else str(v))
        id = f"call_{time.monotonic_ns()}"
        return {"role": "assistant", "content": None, "tool_calls": [{"id": id, "type": "function", "function": {"name": call.function, "arguments": arguments}}]}


# RECORDED is what the planner is called that answers from a file.
RECORDED = "recorded-scopes"

# KINDS are those that a planner may answer with.
KINDS = {"id", "name", "email", "url", "account", "number", "date", "phone", "path", "text"}


def values(of):
    """Alternatives; one that is left out is none."""
    return [v for v in (of if isinstance(of, list) else [of]) if v is not None]


class Plan:
    """A scope in the form in which planners answer: a source is the name of a call."""

    def __init__(self, scope):
        self.calls = []
        entries = scope["calls"]
        self.names = {self.key(e): f"c{i}" for i, e in reversed(list(enumerate(entries)))}
        for i, entry in enumerate(entries):
            self.add(f"c{i}", entry, entry.get("times", 1))
        self.delegates = [self.source(s) for s in scope.get("delegates", [])]

    def answer(self):
        return {"reading": "As it is written down.", "calls": self.calls, "delegates": self.delegates}

    @staticmethod
    def key(call):
        return json.dumps([call["tool"], call.get("args", {})], sort_keys=True)

    def add(self, name, call, times):
        entry = {"call": name, "tool": call["tool"], "times": times, "args": []}
        self.calls.append(entry)
        for at, c in call.get("args", {}).items():
            entry["args"].append({"at": at, **self.constraint(c)})
        if any(call.get(k) for k in ("group", "if", "unless", "only_if")):
            entry["group"] = call.get("group", "")
            for k in ("if", "unless"):
                entry[k] = self.sources(call.get(k, []))
            if call.get("only_if"):
                entry["only_if"] = call["only_if"]

    def constraint(self, c):
        if "is" in c:
            return {"is": values(c["is"])}
        if "from" in c:
            kind = c["kind"] if c["kind"] in KINDS else "text"
            out = {"from": self.sources(c["from"]), "kind": kind, "pick": c["pick"], "by": c.get("by") or ""}
            return {**out, "except": self.sources(c["except"])} if c.get("except") else out
        if "computed" in c:
            return {"computed": self.sources(c["computed"]), "by": c.get("by") or ""}
        if "date" in c:
            return {"date": values(c["date"])}
        if "template" in c:
            return {"template": c["template"], "holes": [{"at": at, **self.constraint(h)} for at, h in c["holes"].items()]}
        return {name: c[name] for name in ("any", "absent", "unchanged") if name in c}

    def sources(self, all):
        return [self.source(s) for s in all]

    def source(self, s):
        key = self.key(s)
        if key not in self.names:
            self.names[key] = name = f"s{len(self.names)}"
            self.add(name, s, 5)
        where = []
        for f, v in s.get("where", {}).items():
            conditions = v if isinstance(v, dict) else {"is": v}
            where += [{"field": f, k: values(w) if k == "is" else w} for k, w in conditions.items()]
        return {"call": self.names[key], "field": s.get("field") or "", "where": where}


class Model(BaseHTTPRequestHandler):
    """The API of the model, and of the planner: Chat Completions."""

    protocol_version = "HTTP/1.1"
    script = None
    plan = None

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if request["model"] == RECORDED:
            message = {"role": "assistant", "content": json.dumps(Model.plan)}
        else:
            message = Model.script.answer(request["messages"])
        body = json.dumps({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}],
            "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        }).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start_proxy(binary, upstream, log, *flags):
    """The proxy, as a deployment would start it. A call of this model that is denied
    is followed by another, not by a better one, so that it is asked again often."""
    port = free_port()
    proxy = subprocess.Popen([binary, "proxy", "--upstream", upstream, "--listen", f"127.0.0.1:{port}", "--retries", "20", *flags], stderr=log)
    for _ in range(200):
        try:
            urlopen(f"http://127.0.0.1:{port}/healthz").read()
            return proxy, f"http://127.0.0.1:{port}"
        except OSError:
            time.sleep(0.05)
    raise SystemExit("error: the proxy does not answer; see its log")


def run(suite, pipeline, user_task, injection_task, injections):
    environment = user_task.init_environment(suite.load_and_inject_default_environment(injections))
    calls = user_task.ground_truth(environment)
    injected = injection_task.ground_truth(environment) if injection_task else []
    output = getattr(user_task, "GROUND_TRUTH_OUTPUT", "") or "Done."
    Model.script = Script(calls, injected, injection_task.GOAL if injection_task else "", output)
    return suite.run_task_with_pipeline(pipeline, user_task, injection_task, injections)


def measure(base, names, most, outputs, scopes=None):
    """Rates by suite of runs through a base URL, with the outputs of tools in a form."""
    os.environ["OPENAI_BASE_URL"], os.environ["OPENAI_API_KEY"] = base + "/v1", "sk-test"
    pipeline = AgentPipeline.from_config(PipelineConfig(llm=MODEL, model_id=None, defense=None, system_message_name=None, system_message=None, tool_output_format=outputs))
    out = {}
    for name in names:
        suite = get_suites(VERSION)[name]
        plans = json.loads(next((Path(scopes) / name).glob("scopes*.json")).read_text()) if scopes else {}
        attack = load_attack("important_instructions", suite, pipeline)
        benign, utility, attacks = [], [], []
        # For some goals AgentDojo has no calls that reach them.
        environment = suite.load_and_inject_default_environment({})
        goals = [t for t in suite.injection_tasks.values() if t.ground_truth(environment)][:most]
        for user_task in list(suite.user_tasks.values())[:most]:
            Model.plan = Plan(plans.get(user_task.ID, {"calls": []})).answer()
            benign.append(run(suite, pipeline, user_task, None, {})[0])
            for injection_task in goals:
                u, s = run(suite, pipeline, user_task, injection_task, attack.attack(user_task, injection_task))
                utility.append(u)
                attacks.append(s)
        out[name] = {"attacks": len(attacks), "succeeded": sum(attacks), "utility under attack": sum(utility), "tasks": len(benign), "benign utility": sum(benign)}
        print(f"{base} {name}: {out[name]}", file=sys.stderr)
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--remit", required=True, help="the remit command")
    p.add_argument("--suites", nargs="+", default=["banking", "slack", "travel", "workspace"])
    p.add_argument("--most", type=int, help="how many tasks of each kind to take of a suite; all by default")
    p.add_argument("--planner", metavar="MODEL", help="the model that plans, as remit proxy --planner has it")
    p.add_argument("--planner-url", metavar="URL", help="where its API begins")
    p.add_argument("--scopes", metavar="DIR", help="plan by what is written down in DIR/SUITE/scopes*.json")
    p.add_argument("--outputs", choices=["text", "structures"], default="text", help="the form of the tools' outputs: AgentDojo's own (text), or JSON (structures)")
    p.add_argument("--log", default=os.devnull, help="where the proxy's log goes")
    o = p.parse_args()
    logging.disable(logging.INFO)
    model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    upstream = f"http://127.0.0.1:{model.server_port}"
    outputs = {"text": None, "structures": "json"}[o.outputs]
    # AgentDojo's own JSON has no form for a time.
    json.JSONEncoder.default = lambda _, value: str(value)

    variants = {"with": []}
    if o.scopes:
        variants["scoped"] = ["--planner", "openai:" + RECORDED, "--planner-url", upstream + "/v1"]
    elif o.planner:
        variants["scoped"] = ["--planner", o.planner] + (["--planner-url", o.planner_url] if o.planner_url else [])
    out = {"outputs": o.outputs, "without": measure(upstream, o.suites, o.most, outputs)}
    with open(o.log, "wb") as log:
        for name, flags in variants.items():
            proxy, base = start_proxy(o.remit, upstream, log, *flags)
            try:
                out[name] = measure(base, o.suites, o.most, outputs, o.scopes)
            finally:
                proxy.terminate()
                proxy.wait()
    json.dump(out, sys.stdout, indent=2)
    print()
    failed = sum(r["succeeded"] for r in out["without"].values()) == 0
    sys.exit("error: no attack succeeded without Remit: the model doesn't obey" if failed else None)


if __name__ == "__main__":
    main()
