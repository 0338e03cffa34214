/**
 * Remit for clients of MCP servers: `callTool` goes through a decision.
 *
 *     const { session, clients } = await protect(remit, { mail: client });
 *     await session.user("Send the notes to bob@corp.example");
 *     await clients.mail.callTool({ name: "send_email", arguments });
 *
 * @module
 */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import type { Remit } from "./client.js";
import { Conversation, type Material, type ProtectOptions, type Returned } from "./conversation.js";
import { RemitError } from "./errors.js";
import { Denied, isObject, type LookUp } from "./models.js";
import type { Session } from "./session.js";

/** What is known of a call beside its arguments. */
export interface CallPlace {
  /** Names the call within its session; one is made when it is left out. */
  call?: string;
  /** Names the model's message that the call is in. */
  message?: string;
  /** How many calls that message has: those that are held back are one question. */
  among?: number;
  /** What the model says to the user in that message. */
  beside?: string;
}

/** A client of a server whose calls are decided. Everything else is as it was. */
export interface ProtectedClient extends Client {
  /** Decides a call, runs it if it may, and records what it returns; else the result is an error that says why. */
  callTool(params: Parameters<Client["callTool"]>[0], resultSchema?: Parameters<Client["callTool"]>[1], options?: RequestOptions & CallPlace): ReturnType<Client["callTool"]>;
}

/** One session over the servers of an agent. */
export interface ProtectedClients<T extends Record<string, Client>> {
  /** Tell it what the user and the model say. */
  session: Session;
  clients: { [name in keyof T]: ProtectedClient };
}

/**
 * Protects the clients of an agent's servers, under the names that contracts have for them.
 * The definitions of tools are read now: those that a server adds or changes later are left
 * out of `listTools`, and don't run.
 */
export async function protect<T extends Record<string, Client>>(remit: Remit, clients: T, options: Omit<ProtectOptions, "server" | "scope"> = {}): Promise<ProtectedClients<T>> {
  const servers = await Promise.all(Object.entries(clients).map(async ([name, client]) => ({ name, client, tools: await allTools(client, options.signal) })));
  const toolsets = servers.map(({ name, tools }) => ({ server: name, tools: tools as unknown as Record<string, unknown>[] }));
  const lookUp: LookUp = async (server, tool, args, { signal }) => {
    const client = clients[server];
    if (!client) throw new RemitError(`the agent has no server ${server}`);
    const returned = await client.callTool({ name: tool, arguments: args }, undefined, signal ? { signal } : {});
    const { content, structured } = read(returned).result;
    if (returned.isError) throw new RemitError(content ?? "the look-up failed");
    return structured ?? content;
  };
  const conversation = await Conversation.begin(remit, toolsets.filter(({ tools }) => tools.length > 0), options, lookUp);
  const guarded = servers.map(({ name, client, tools }) => [name, wrap(conversation, name, client, tools)] as const);
  return { session: conversation.session, clients: Object.fromEntries(guarded) as { [name in keyof T]: ProtectedClient } };
}

async function allTools(client: Client, signal: AbortSignal | undefined): Promise<Tool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const found: Tool[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor }, signal ? { signal } : {});
    found.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

/** What brings texts of a server before the model, beside calls. */
const READS = ["readResource", "getPrompt", "complete", "listResources", "listResourceTemplates", "listPrompts"] as const;
/** What would call tools past the decision. */
const PAST: readonly (string | symbol)[] = ["request", "experimental"];

function wrap(conversation: Conversation, server: string, client: Client, known: Tool[]): ProtectedClient {
  const definitions = new Map(known.map((tool) => [tool.name, JSON.stringify(tool)]));

  const callTool: ProtectedClient["callTool"] = async (params, resultSchema, options = {}) => {
    const { call: id = crypto.randomUUID(), message = id, among = 1, beside = "", ...rest } = options;
    const { name: tool, arguments: args = {}, ...others } = params;
    if (!definitions.has(tool)) return refusal(`${server} changed ${tool}, or has it only now: the session doesn't know it, and it did not run.`);
    conversation.place(message, { text: beside, calls: [id] }, among);
    try {
      return await conversation.run({ id, server, tool, arguments: args }, (decision) => client.callTool({ ...others, name: tool, arguments: decision.arguments }, resultSchema, rest), read, rest.signal);
    } catch (error) {
      if (error instanceof Denied) return refusal(error.message);
      throw error;
    }
  };

  const listTools: Client["listTools"] = async (params, options) => {
    const page = await client.listTools(params, options);
    const same = page.tools.filter((tool) => definitions.get(tool.name) === JSON.stringify(tool));
    // Who would be shown another definition calls another tool.
    for (const tool of page.tools) if (!same.includes(tool)) definitions.delete(tool.name);
    return { ...page, tools: same };
  };

  const reads = READS.map((name) => {
    const method = async (params: never, options?: RequestOptions) => {
      const returned: unknown = await client[name](params, options);
      const { seen, material } = read(returned);
      await conversation.add([{ from: "tool", name: `${server}.${name}`, text: seen, material }], { signal: options?.signal });
      return returned;
    };
    return [name, method] as const;
  });

  const own = new Map<string | symbol, unknown>([["callTool", callTool], ["listTools", listTools], ...reads]);
  return new Proxy(client, {
    get(target, name) {
      if (own.has(name)) return own.get(name);
      if (PAST.includes(name)) throw new RemitError(`${String(name)} would go past the decision: use callTool and the methods for resources and prompts`);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  }) as ProtectedClient;
}

function refusal(text: string) {
  return { content: [{ type: "text" as const, text }], isError: true };
}

/** Members that hold no text for a model to read: encoded bytes, and the protocol's own words. */
const OPAQUE: readonly string[] = ["blob", "data", "type", "mimeType", "_meta", "role", "nextCursor"];
/** Blocks that only a model can read. */
const HIDDEN: readonly unknown[] = ["image", "audio"];

/** What a result brings to the model: the text of all its parts, and the structured form. */
function read(result: unknown): Returned & { material: Material[] } {
  const { structuredContent, ...rest } = isObject(result) ? result : {};
  const content = texts(rest).join("\n");
  const structured = isObject(structuredContent) || Array.isArray(structuredContent) ? { structured: structuredContent as unknown } : {};
  return { result: { content, ...structured }, seen: content, material: hidden(rest) };
}

/** All texts in a value. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(texts);
  return isObject(value) ? Object.entries(value).flatMap(([name, member]) => (OPAQUE.includes(name) ? [] : texts(member))) : [];
}

function hidden(value: unknown): Material[] {
  if (Array.isArray(value)) return value.flatMap(hidden);
  if (!isObject(value)) return [];
  const own = HIDDEN.includes(value["type"]) || typeof value["blob"] === "string" ? [{ name: String(value["mimeType"] ?? "bytes"), text: undefined }] : [];
  return [...own, ...Object.values(value).flatMap(hidden)];
}
