// An MCP client of the official SDK. It takes what to do as JSON in its first
// argument, and prints what came back.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const job = JSON.parse(process.argv[2]);
const client = new Client({ name: "test", version: "1" });
const transport = job.url
  ? new StreamableHTTPClientTransport(new URL(job.url))
  : new StdioClientTransport({ command: job.command[0], args: job.command.slice(1) });
await client.connect(transport);

async function listed() {
  const names = [];
  let cursor;
  do {
    const page = await client.listTools({ cursor });
    names.push(...page.tools.map((tool) => tool.name));
    cursor = page.nextCursor;
  } while (cursor);
  return names;
}

// A server that takes long to start joins the list when it is there.
let tools = await listed();
for (let tries = 0; tries < 600 && !job.tools.every((name) => tools.includes(name)); tries++) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  tools = await listed();
}
const results = [];
for (const call of job.calls) {
  const result = await client.callTool({ name: call.tool, arguments: call.arguments });
  const text = result.content.filter((c) => c.type === "text").map((c) => c.text).join("\n");
  results.push({ isError: Boolean(result.isError), text });
}
console.log(JSON.stringify({ tools, results }));
await client.close();
