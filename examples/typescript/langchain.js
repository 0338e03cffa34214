// An agent of LangChain: give it the middleware.
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { remitMiddleware } from "remit-client/langchain";
import { z } from "zod";
import { next, readInbox, remit, sendEmail, stopped, TASK } from "./office.js";

const model = fakeModel();
for (let calls = 0, call; (call = next(calls)); calls++) model.respondWithTools([{ ...call, id: `c${calls}` }]);
model.respond(new AIMessage("Done."));
const tools = [
  tool(readInbox, { name: "read_inbox", description: "Reads the inbox.", schema: z.object({}) }),
  tool(sendEmail, { name: "send_email", description: "Sends an e-mail.", schema: z.object({ to: z.string(), body: z.string() }) }),
];

const agent = createAgent({ model, tools, middleware: [remitMiddleware(remit, { tools })] });
const { messages } = await agent.invoke({ messages: [{ role: "user", content: TASK }] });
for (const message of messages) if (ToolMessage.isInstance(message) && message.status === "error") stopped(message.text);
