// A client of an MCP server: call tools by the protected client.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { protect } from "remit-client/mcp";
import { z } from "zod";
import { next, readInbox, remit, sendEmail, stopped, TASK } from "./office.js";

const server = new McpServer({ name: "mail", version: "1" });
const answer = (text) => ({ content: [{ type: "text", text }] });
server.registerTool("read_inbox", { description: "Reads the inbox." }, () => answer(readInbox()));
server.registerTool("send_email", { description: "Sends an e-mail.", inputSchema: { to: z.string(), body: z.string() } }, (args) => answer(sendEmail(args)));
const client = new Client({ name: "example", version: "1" });
const [ours, theirs] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(theirs), client.connect(ours)]);

const { session, clients } = await protect(remit, { mail: client });
await session.user(TASK);
for (let calls = 0, call; (call = next(calls)); calls++) {
  const result = await clients.mail.callTool({ name: call.name, arguments: call.args });
  if (result.isError) stopped(result.content[0].text);
}
await client.close();
