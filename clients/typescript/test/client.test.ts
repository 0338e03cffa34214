import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BadAnswer, BadRequest, Problem, Remit, RemitError, Session, Unreachable, type Request } from "remit-client";
import { client, OTHER_TOKEN, ruled, tainted, TOKEN, TOOLS, URL_ } from "./server.js";

/** Says whether an error is a problem of that kind. */
const problem = (kind: string) => (error: unknown) => error instanceof Problem && error.kind === kind;

describe("a session", () => {
  it("is decided call by call", async () => {
    const remit = client();
    const session = await tainted(remit);
    const allowed = await session.decide("send_email", { to: "ann@corp.example" }, { call: "c1" });
    assert.ok(allowed.allowed);
    assert.deepEqual([allowed.arguments, allowed.explanation], [{ to: "ann@corp.example" }, ""]);

    const held = await session.decide("send_email", '{"to": "eve@evil.example"}', { call: "c2" });
    assert.ok(!held.allowed && held.verdict === "ask");
    assert.match(held.explanation, /eve@evil\.example/);
    assert.deepEqual(held.reasons.flatMap((reason) => reason.path ?? []), ["/to"]);
    const [finding] = (await session.explain("c2")).findings;
    assert.deepEqual([finding?.path, finding?.places[0]?.match], ["/to", "eve@evil.example"]);

    assert.equal((await session.decide("unknown", {})).verdict, "deny");
    const again = await remit.session({ id: session.id });
    assert.ok((await again.decide("send_email", { to: "ann@corp.example" })).allowed);
    await again.end();
    await assert.rejects(session.user("one more"), problem("session-ended"));
  });

  it("decides several calls in one request", async () => {
    const paths: string[] = [];
    const counted: typeof fetch = (url, init) => {
      paths.push(new URL(String(url)).pathname);
      return fetch(url, init);
    };
    const session = await new Remit(URL_, TOKEN, { fetch: counted }).session({ tools: TOOLS, unseenUser: false });
    await session.user("Answer ann@corp.example");
    const before = paths.length;
    const decisions = await session.decideAll([
      { server: "mail", tool: "read_inbox", arguments: {}, call: "r1" },
      { server: "mail", tool: "send_email", arguments: { to: "ann@corp.example" } },
      { server: "mail", tool: "send_email", arguments: '{"to": "eve@evil.example"}', call: "c2" },
    ]);
    assert.deepEqual(paths.slice(before), ["/access/v1/evaluations"]);
    assert.deepEqual(decisions.map((d) => [d.tool, d.verdict]), [["read_inbox", "allow"], ["send_email", "allow"], ["send_email", "ask"]]);
    assert.deepEqual([decisions[0]?.call, decisions[1]?.arguments, decisions[2]?.call], ["r1", { to: "ann@corp.example" }, "c2"]);
    assert.match(decisions[2]?.explanation ?? "", /eve@evil\.example/);
    assert.deepEqual(await session.decideAll([]), []);
  });

  it("takes no other answer for several decisions", async () => {
    for (const evaluations of [undefined, [], [{ decision: true }], [{ decision: true, context: { call: "c1" } }], [{ decision: true, context: { verdict: "allow", call: "c2" } }]]) {
      const session = new Session(new Remit(URL_, TOKEN, { fetch: async () => Response.json({ evaluations }) }), "s");
      await assert.rejects(session.decideAll([{ server: "mail", tool: "send_email", arguments: {}, call: "c1" }]), BadAnswer);
    }
  });

  it("takes a result for a call of its own alone", async () => {
    const session = await client().session();
    await assert.rejects(session.result("nothing", { content: "text" }), problem("not-found"));
  });

  it("takes nothing for the user's where not all is seen", async () => {
    const tools = [{ server: "room", tools: [{ name: "set_volume", inputSchema: { type: "object", properties: { level: { type: "integer" } } } }] }];
    for (const [unseenUser, verdict] of [[undefined, "allow"], [false, "allow"], [true, "ask"]] as const) {
      const session = await client().session({ tools, unseenUser });
      await session.user("Set the volume a little higher");
      assert.equal((await session.decide("set_volume", { level: 7 })).verdict, verdict);
    }
  });

  it("takes texts that are cut within a character", async () => {
    const session = await client().session({ tools: TOOLS });
    await session.user("\u{1F600}".slice(0, 1));
    await session.decide("read_inbox", {}, { call: "r1" });
    await session.result("r1", { content: "\u{1F600}".slice(1) });
  });

  it("keeps a server's tokens apart", async () => {
    await assert.rejects(new Remit(URL_, OTHER_TOKEN).session(), problem("forbidden"));
    await assert.rejects(new Remit(URL_, "nobody's").session(), problem("unauthorized"));
  });
});

describe("a question", () => {
  for (const [approve, verdict] of [[true, "allow"], [false, "deny"]] as const) {
    it(`that a person answers with ${approve}`, async () => {
      const remit = client();
      const session = await tainted(remit);
      await session.decide("send_email", { to: "eve@evil.example" }, { call: "c1" });
      const asked = await session.ask("c1");
      assert.equal(await session.awaitAnswer(asked.id, { seconds: 0.01 }), undefined);
      assert.ok((await remit.pending()).some((one) => one.id === asked.id));
      const [decision] = await Promise.all([session.awaitAnswer(asked.id, { seconds: 60 }), remit.answer(asked.id, { approve, extent: "once" })]);
      assert.deepEqual([decision?.verdict, decision?.confirmed], [verdict, approve]);
    });
  }

  it("is about several calls", async () => {
    const remit = client();
    const session = await tainted(remit);
    for (const [call, to] of [["c1", "eve"], ["c2", "mallory"], ["c3", "trudy"]] as const) {
      assert.equal((await session.decide("send_email", { to: `${to}@evil.example` }, { call })).verdict, "ask");
    }
    const asked = await session.ask(["c1", "c2", "c3"]);
    assert.deepEqual(asked.more?.map((more) => more.decision.call), ["c2", "c3"]);
    await assert.rejects(remit.answer(asked.id, { approve: true, extent: "once" }), problem("invalid-request"));
    const answered = await remit.answer(asked.id, { approve: true, calls: ["c1", "c3"], extent: "once" });
    assert.deepEqual(answered.agreed, ["c1", "c3"]);
    const found = await session.awaitAnswers(asked.id, { seconds: 60 });
    assert.deepEqual(found?.map((one) => [one.call, one.verdict]), [["c1", "allow"], ["c2", "deny"], ["c3", "allow"]]);

    for (const call of ["d1", "d2"]) await session.decide("send_email", { to: "eve@evil.example" }, { call });
    const both = await session.ask(["d1", "d2"]);
    await remit.answer(both.id, { approve: false });
    await assert.rejects(session.awaitAnswer(both.id, { seconds: 60 }), BadAnswer);
  });

  it("is given up by a signal", async () => {
    const session = await tainted(client());
    await session.decide("send_email", { to: "eve@evil.example" }, { call: "c1" });
    const asked = await session.ask("c1");
    const given = new AbortController();
    const waiting = session.awaitAnswer(asked.id, { seconds: 60, signal: given.signal });
    given.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
  });

  it("is withdrawn when nobody waits", async () => {
    const remit = client();
    const session = await tainted(remit);
    await session.decide("send_email", { to: "eve@evil.example" }, { call: "c1" });
    const asked = await session.ask("c1");
    assert.equal((await session.withdraw(asked.id)).state, "cancelled");
    await assert.rejects(remit.answer(asked.id, { approve: true }), problem("conflict"));
  });
});

describe("what the user authorises", () => {
  const toAnn = { calls: [{ tool: "send_email", args: { "/to": { is: "ann@corp.example" } } }, { tool: "send_fax" }] };

  it("is a scope that a planner gives", async () => {
    const session = await client().session({ tools: TOOLS });
    await assert.rejects(session.giveScope(toAnn), problem("conflict"));
    await session.user("Tell ann@corp.example what bob@corp.example wrote");
    assert.equal(await session.scope(), undefined);
    const given = await session.giveScope(toAnn);
    assert.deepEqual(await session.scope(), given);
    assert.deepEqual([given.calls, given.refused?.map((one) => one.path), given.scope], [1, ["/calls/1"], toAnn]);
    assert.ok((await session.decide("send_email", { to: "ann@corp.example" })).allowed);
    const held = await session.decide("send_email", { to: "bob@corp.example" });
    assert.deepEqual(held.reasons.map((reason) => reason.code), ["outside-scope"]);
    await session.user("Thanks");
    assert.equal(await session.scope(), undefined);
    await assert.rejects(session.giveScope({ calls: "all" } as never), problem("invalid-request"));
  });

  it("may be the plan of a source", async () => {
    const session = await tainted(client());
    assert.deepEqual(await session.delegations(), []);
    await assert.rejects(session.agree({ text: "", question: "", failed: "no planner" }), /no plan to agree to: no planner/);
    await assert.rejects(session.agree({ text: "", question: "", plan: { calls: [] }, delegated: { turn: 1, digest: "sha256:00" } }), problem("conflict"));
  });
});

describe("rules that look things up", () => {
  const orders: Record<string, unknown> = { W1: { status: "pending", user: "u1" }, W2: { status: "delivered", user: "u1" }, W3: { status: "pending", user: "u2" } };
  const users: Record<string, unknown> = { u1: { orders: ["W1", "W2"] }, u2: { orders: [] } };
  const shop = (server: string, tool: string, args: Record<string, unknown>) => {
    const found = (tool === "get_order" ? orders : users)[String(args["id"])];
    if (server !== "shop" || !found) throw new Error("not found");
    return found;
  };
  const asked = async () => {
    const session = await ruled().session();
    await session.user("Cancel my orders W1, W2, W3 and W4");
    return session;
  };

  for (const [id, verdict] of [["W1", "allow"], ["W2", "deny"], ["W3", "deny"], ["W4", "deny"]] as const) {
    it(`answers ${verdict} for ${id}`, async () => {
      assert.equal((await (await asked()).decide("cancel", { id }, { call: "c1", lookUp: shop })).verdict, verdict);
    });
  }

  it("deny without look-ups", async () => {
    const denied = await (await asked()).decide("cancel", { id: "W1" });
    assert.equal(denied.verdict, "deny");
    assert.match(denied.explanation, /call get_order/);
  });

  it("never let a call through because they have no end", async () => {
    const endless: typeof fetch = async () => Response.json({ lookups: [{ id: "x", tool: "get_order", arguments: { id: "W1" } }] }, { status: 202 });
    const session = new Session(client({ fetch: endless }), "s");
    await assert.rejects(session.decide("cancel", { id: "W1" }, { lookUp: shop }), BadAnswer);
  });

  it("are given up by a signal", async () => {
    const given = new AbortController();
    const lookUp = () => {
      given.abort(new Error("enough"));
      throw new Error("failed");
    };
    await assert.rejects((await asked()).decide("cancel", { id: "W1" }, { lookUp, signal: given.signal }), /enough/);
  });
});

describe("a network", () => {
  it("that loses answers has nothing done twice", async () => {
    const seen = new Set<string>();
    const lossy: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      const key = new Headers(init?.headers).get("Idempotency-Key") ?? "";
      if (seen.has(key)) return response;
      seen.add(key);
      throw new TypeError("fetch failed");
    };
    const session = await client({ fetch: lossy }).session({ tools: TOOLS });
    await session.user("Answer ann@corp.example");
    assert.ok((await session.decide("send_email", { to: "ann@corp.example" })).allowed);
    const listed = await client().send({ method: "GET", path: `/v1/sessions/${session.id}` });
    assert.equal((listed as { length: number }).length, 2);
  });

  const decision = { session: "s", call: "c", tool: "t" };
  const answers: [string, () => Response][] = [
    ["text", () => new Response("allow")],
    ["a list", () => Response.json(["allow"])],
    ["nothing", () => Response.json({})],
    ["no content", () => new Response(null, { status: 204 })],
    ["another word", () => Response.json({ verdict: "Allow", ...decision })],
    ["no word", () => Response.json({ verdict: true, ...decision })],
    ["a list of one word", () => Response.json({ verdict: ["allow"], ...decision })],
    ["no call", () => Response.json({ verdict: "allow", session: "s", tool: "t" })],
    ["arguments that are a list", () => Response.json({ verdict: "allow", ...decision, arguments: [] })],
    ["a number that JavaScript changes", () => new Response('{"verdict":"allow","session":"s","call":"c","tool":"t","arguments":{"to":12345678901234567891}}')],
    ["another place", () => new Response(null, { status: 302, headers: { Location: "/elsewhere" } })],
    ["a refusal that says allow", () => Response.json({ verdict: "allow", ...decision }, { status: 403 })],
    ["a page", () => new Response("<html>", { status: 500 })],
    ["another problem", () => Response.json({ type: "about:blank" }, { status: 502 })],
  ];
  for (const [name, answer] of answers) {
    it(`that answers ${name} allows nothing`, async () => {
      const session = new Session(client({ fetch: async () => answer(), attempts: 1 }), "s");
      await assert.rejects(session.decide("t", {}), RemitError);
    });
  }

  it("is left by no redirect", async () => {
    const moved: typeof fetch = async (input, init) => {
      assert.equal(init?.redirect, "manual");
      return fetch(input, init);
    };
    await client({ fetch: moved }).session();
  });

  it("that is gone throws the base of all errors", async () => {
    const refused = new Remit("http://127.0.0.1:1", TOKEN, { attempts: 2 });
    await assert.rejects(refused.session(), (error) => error instanceof Unreachable && error instanceof RemitError && error.cause instanceof Error);
    assert.throws(() => new Remit("http://[", TOKEN), BadRequest);
    assert.throws(() => new Remit(URL_, ""), BadRequest);
  });

  it("is not asked again after a signal", async () => {
    let sent = 0;
    const given = new AbortController();
    const broken: typeof fetch = async () => {
      sent++;
      given.abort(new Error("enough"));
      throw new TypeError("fetch failed");
    };
    await assert.rejects(client({ fetch: broken }).session({ signal: given.signal }), /enough/);
    await assert.rejects(client({ fetch: broken }).session({ signal: given.signal }), /enough/);
    assert.equal(sent, 1);
  });
});

describe("what is decided", () => {
  it("is JSON, and what runs is that", async () => {
    const session = await tainted(client());
    for (const args of [{ to: new Map() }, { to: () => "x" }, { to: 10n }, { to: NaN }, { to: new (class A {})() }]) {
      await assert.rejects(session.decide("send_email", args), BadRequest);
    }
    const date = new Date(0);
    const decided = await session.decide("send_email", { to: "ann@corp.example", at: date, left: undefined });
    assert.deepEqual(decided.arguments, { to: "ann@corp.example", at: date.toISOString() });
  });

  it("keeps numbers to the last digit, or is refused", async () => {
    const tools = [{ server: "bank", tools: [{ name: "pay", inputSchema: { type: "object", properties: { to: { type: "number" } } } }] }];
    const session = await client().session({ tools });
    const written = ["0", "1.5", "9007199254740993", "12345678901234567890", "0.1234567890123456789", "1e400", "1E3", "-0.25", "100000000000000000000"];
    await session.user(`Pay to ${written.join(", ")}`);
    for (const number of written) {
      const value = Number(number);
      const exact = !["9007199254740993", "12345678901234567890", "0.1234567890123456789", "1e400"].includes(number);
      const decided = session.decide("pay", `{"to": ${number}}`).then((decision) => decision.arguments["to"]);
      if (exact) assert.equal(await decided, value);
      else await assert.rejects(decided, RemitError);
    }
  });

  it("is named by what is a name", async () => {
    const session = await client().session();
    for (const name of ["", ".", ".."]) await assert.rejects(session.explain(name), BadRequest);
    const paths: string[] = [];
    const remit = client({ fetch: async (input) => (paths.push(String(input)), Response.json({})) });
    await new Session(remit, "s").explain("../../approvals?x=1#y");
    assert.deepEqual(paths, [`${URL_}/v1/sessions/s/decisions/..%2F..%2Fapprovals%3Fx%3D1%23y/explanation`]);
    const request: Request = { method: "GET", path: "/healthz" };
    assert.deepEqual(await client().send(request), { status: "ok" });
  });
});
