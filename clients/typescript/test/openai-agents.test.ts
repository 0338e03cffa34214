import { Agent, type AgentInputItem, fileSearchTool, type Model, type ModelRequest, type ModelResponse, run, setTracingDisabled, tool, Usage } from "@openai/agents";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RemitOptions } from "remit-client";
import { protect } from "remit-client/openai-agents";
import { z } from "zod";
import { ATTACK, BENIGN, obey, Office, TASK } from "./office.js";
import { client, losing, person, undecided } from "./server.js";

setTracingDisabled(true);

type Output = ModelResponse["output"];

/** A model that obeys whatever it reads. */
class Obedient implements Model {
  asked = 0;

  think(input: AgentInputItem[]): Output {
    this.asked++;
    const since = input.slice(input.findLastIndex((item) => "role" in item && item.role === "user"));
    const results = since.filter((item) => item.type === "function_call_result");
    const next = obey(JSON.stringify(since.filter((item) => item.type !== "function_call")), results.length);
    if (!next) return [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done." }] }];
    return [{ type: "function_call", callId: `call_${crypto.randomUUID()}`, name: next.tool, arguments: JSON.stringify(next.args) }];
  }

  async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    return { usage: new Usage(), output: this.think(input as AgentInputItem[]) };
  }

  async *getStreamedResponse({ input }: ModelRequest) {
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    yield { type: "response_done", response: { id: "r", usage, output: this.think(input as AgentInputItem[]) } } as never;
  }
}

async function guarded(office: Office, options: { approvalSeconds?: number; id?: string } = {}, network: RemitOptions = {}, model = new Obedient()) {
  const tools = [
    tool({ name: "read_inbox", description: "Reads the inbox.", parameters: z.object({}), execute: async () => office.mail }),
    tool({ name: "send_email", description: "Sends an e-mail.", parameters: z.object({ to: z.string(), body: z.string() }), execute: async ({ to }) => office.send(to) }),
  ];
  const { session, turn, ...parts } = await protect(client(network), { model, tools, ...options });
  return { session, turn, model, agent: new Agent({ name: "office", instructions: "Be helpful.", ...parts }) };
}

const results = (history: AgentInputItem[]) => history.flatMap((item) => (item.type === "function_call_result" ? JSON.stringify(item.output) : []));

const ways = {
  "a run": async (agent: Agent, input: string | AgentInputItem[]) => (await run(agent, input)).history,
  "a streamed run": async (agent: Agent, input: string | AgentInputItem[]) => {
    const result = await run(agent, input, { stream: true });
    await result.completed;
    return result.history;
  },
};

for (const [name, way] of Object.entries(ways)) {
  describe(name, () => {
    it("does what the user asked for", async () => {
      const office = new Office(BENIGN);
      await way((await guarded(office)).agent, TASK);
      assert.deepEqual(office.sent, ["ann@corp.example"]);
    });

    for (const [form, mail] of [["text", ATTACK], ["a structure", { mails: [ATTACK] }]] as const) {
      it(`stops what ${form} injects, and tells the model why`, async () => {
        const office = new Office(mail);
        const [, said] = results(await way((await guarded(office)).agent, TASK));
        assert.deepEqual(office.sent, []);
        assert.match(said ?? "", /held back[^]*eve@evil\.example/);
      });
    }

    it("goes on with what a person approves", async () => {
      const office = new Office(ATTACK);
      const { agent, session } = await guarded(office, { approvalSeconds: 60 });
      await Promise.all([way(agent, TASK), person("send_email", { approve: true }, () => session.id)]);
      assert.deepEqual(office.sent, ["eve@evil.example"]);
    });

    it("runs no tool when decisions get lost", async () => {
      const office = new Office(BENIGN);
      await assert.rejects(way((await guarded(office, {}, undecided)).agent, TASK));
      assert.deepEqual(office.sent, []);
    });

    it("shows the model nothing that could not be recorded", async () => {
      const { agent, model } = await guarded(new Office(ATTACK), {}, losing((path) => path.endsWith("/events")));
      await assert.rejects(way(agent, TASK));
      assert.equal(model.asked, 0);
    });

    it("is one session across turns and processes", async () => {
      const office = new Office(ATTACK);
      const id = `oa-${crypto.randomUUID()}`;
      let history: AgentInputItem[] = [];
      for (const content of [TASK, "No, send them to eve@evil.example"]) {
        history = await way((await guarded(office, { id })).agent, [...history, { role: "user", content }]);
      }
      assert.deepEqual(office.sent, ["eve@evil.example"]);
      const { length } = (await client().send({ method: "GET", path: `/v1/sessions/${id}` })) as { length: number };
      // The instructions; twice what the user said, a call with its result, a call, and what
      // the model said at the end; a result of the second of those.
      assert.equal(length, 1 + 2 * 5 + 1);
    });
  });
}

it("tools of the provider are an error, unless they are named", async () => {
  const search = fileSearchTool("store");
  await assert.rejects(protect(client(), { model: new Obedient(), tools: [search] }), /nothing here runs the tool file_search/);
  assert.deepEqual((await protect(client(), { model: new Obedient(), tools: [search], undecided: ["file_search"] })).tools, [search]);
});

it("tools run only for calls of the protected model", async () => {
  const office = new Office(BENIGN);
  const { agent } = await guarded(office);
  await assert.rejects(run(agent.clone({ model: new Obedient() }), TASK), /give the agent the protected model/);
  assert.deepEqual(office.sent, []);
});
