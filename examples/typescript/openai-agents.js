// An agent of the OpenAI Agents SDK: give it the protected model and tools.
import { Agent, run, setTracingDisabled, tool, Usage } from "@openai/agents";
import { protect } from "remit-client/openai-agents";
import { z } from "zod";
import { next, readInbox, remit, sendEmail, stopped, TASK } from "./office.js";

setTracingDisabled(true);
let calls = 0;
const scripted = {
  async getResponse() {
    const call = next(calls++);
    const done = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done." }] };
    return { usage: new Usage(), output: [call ? { type: "function_call", callId: `c${calls}`, name: call.name, arguments: JSON.stringify(call.args) } : done] };
  },
};
const own = [
  tool({ name: "read_inbox", description: "Reads the inbox.", parameters: z.object({}), execute: readInbox }),
  tool({ name: "send_email", description: "Sends an e-mail.", parameters: z.object({ to: z.string(), body: z.string() }), execute: sendEmail }),
];

const { model, tools } = await protect(remit, { model: scripted, tools: own });
const { history } = await run(new Agent({ name: "office", model, tools }), TASK);
for (const { output } of history) if (output?.text?.includes("held back")) stopped(output.text);
