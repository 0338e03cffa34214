// An agent of your own: a loop that asks before each call.
import { next, readInbox, remit, sendEmail, stopped, TASK } from "./office.js";

const text = { type: "string" };
const tools = [
  { name: "read_inbox", description: "Reads the inbox.", inputSchema: { type: "object" } },
  { name: "send_email", description: "Sends an e-mail.", inputSchema: { type: "object", properties: { to: text, body: text } } },
];
const run = { read_inbox: readInbox, send_email: sendEmail };

const session = await remit.session({ tools: [{ server: "mail", tools }] });
await session.user(TASK);
for (let calls = 0, call; (call = next(calls)); calls++) {
  const decision = await session.decide(call.name, call.args, { call: `c${calls}`, server: "mail" });
  if (decision.allowed) await session.result(decision.call, { content: run[call.name](decision.arguments) });
  else stopped(decision.explanation);
}
