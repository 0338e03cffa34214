// An agent of the AI SDK: give it the protected model and tools.
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { protect } from "remit-client/ai-sdk";
import { z } from "zod";
import { next, readInbox, remit, sendEmail, stopped, TASK } from "./office.js";

let calls = 0;
const usage = { inputTokens: {}, outputTokens: {} };
const model = new MockLanguageModelV3({
  doGenerate: async () => {
    const call = next(calls++);
    const content = call ? [{ type: "tool-call", toolCallId: `c${calls}`, toolName: call.name, input: JSON.stringify(call.args) }] : [{ type: "text", text: "Done." }];
    return { content, finishReason: { unified: call ? "tool-calls" : "stop" }, usage, warnings: [] };
  },
});
const tools = {
  read_inbox: tool({ description: "Reads the inbox.", inputSchema: z.object({}), execute: readInbox }),
  send_email: tool({ description: "Sends an e-mail.", inputSchema: z.object({ to: z.string(), body: z.string() }), execute: sendEmail }),
};

const agent = await protect(remit, { model, tools });
const { steps } = await generateText({ model: agent.model, tools: agent.tools, prompt: TASK, stopWhen: stepCountIs(8) });
for (const part of steps.flatMap((step) => step.content)) if (part.type === "tool-error") stopped(part.error.message);
