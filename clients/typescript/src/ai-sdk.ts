/**
 * Remit for the AI SDK: every tool's `execute` goes through a decision.
 *
 *     const agent = await protect(remit, { model, tools });
 *     await generateText({ model: agent.model, tools: agent.tools, prompt, stopWhen: stepCountIs(8) });
 *
 * @module
 */
import { asSchema, gateway, wrapLanguageModel, type LanguageModel, type LanguageModelMiddleware, type Tool, type ToolExecutionOptions, type ToolSet } from "ai";
import { isDeepStrictEqual } from "node:util";
import type { Remit } from "./client.js";
import { Conversation, type Material, type Message, plainly, type ProtectOptions, type Returned, SERVER } from "./conversation.js";
import { RemitError } from "./errors.js";
import { isObject, type LookUp } from "./models.js";
import { toJSON } from "./json.js";
import type { Session } from "./session.js";

type Model = Parameters<typeof wrapLanguageModel>[0]["model"];
type Prompt = Parameters<Model["doGenerate"]>[0]["prompt"];
type Content = Awaited<ReturnType<Model["doGenerate"]>>["content"][number];
type Chunk = Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer T> ? T : never;
type Output = Extract<Extract<Prompt[number], { role: "tool" }>["content"][number], { type: "tool-result" }>["output"];

/** What is protected, and how. */
export interface AgentOptions<TOOLS extends ToolSet> extends ProtectOptions {
  /** The model that the agent asks. */
  model: LanguageModel;
  /** The agent's tools. Each is decided before it runs. */
  tools: TOOLS;
  /**
   * The tools that nobody decides, by name: those that the provider or a browser runs, which
   * never come by here. What they return is external. Others of them are an error.
   */
  undecided?: readonly (keyof TOOLS & string)[];
}

/** An agent's model and tools for one conversation. Give both to `generateText`, `streamText` or an agent. */
export interface ProtectedAgent<TOOLS extends ToolSet> {
  model: Model;
  tools: TOOLS;
  session: Session;
  /** Wraps further models of the same conversation, as `prepareStep` may name some. */
  middleware: LanguageModelMiddleware;
  /**
   * Says that the next message is the user's. It is needed only after a run that ended with
   * calls, such as one that `stopWhen` stopped.
   */
  turn(): void;
}

/**
 * Protects the agent of one conversation. What `system` and the messages in the user's name
 * say when the agent is started counts as the deployment's and the user's word; other parts
 * than text, and text parts with `providerOptions: { remit: { material: true } }`, are what
 * they pass on. What comes while it runs is external, but for what the tools' contracts say.
 */
export async function protect<TOOLS extends ToolSet>(remit: Remit, options: AgentOptions<TOOLS>): Promise<ProtectedAgent<TOOLS>> {
  const { model, tools, undecided = [], server = SERVER } = options;
  const decided = Object.entries(tools as Record<string, Tool>).filter(([name]) => !undecided.includes(name));
  for (const [name, tool] of decided) {
    if (!tool.execute) throw new RemitError(`nothing here runs the tool ${name}, so nothing can decide it: leave it out, or name it in undecided`);
  }
  const definitions = await Promise.all(decided.map(async ([name, tool]) => define(name, tool)));
  const lookUp: LookUp = async (of, name, args, { signal }) => {
    const tool = of === server ? decided.find(([one]) => one === name)?.[1] : undefined;
    if (!tool) throw new RemitError(`the agent has no tool ${name} of ${of}`);
    return last(await tool.execute?.(args, { toolCallId: "look-up", messages: [], abortSignal: signal } as ToolExecutionOptions));
  };
  const conversation = await Conversation.begin(remit, definitions.length ? [{ server, tools: definitions }] : [], options, lookUp);
  const sent: Sent = new Map();
  const middleware = listening(conversation, sent);
  return {
    model: wrapLanguageModel({ model: resolve(model), middleware }),
    tools: { ...tools, ...Object.fromEntries(decided.map(([name, tool]) => [name, guarded(conversation, sent, name, tool)])) },
    session: conversation.session,
    middleware,
    turn: () => conversation.turn(),
  };
}

function resolve(model: LanguageModel): Model {
  if (typeof model === "string") return (globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway).languageModel(model);
  if (model.specificationVersion !== "v3") throw new RemitError(`the model ${model.modelId} is of another version of the AI SDK`);
  return model;
}

async function define(name: string, tool: Tool): Promise<Record<string, unknown>> {
  const inputSchema = await asSchema(tool.inputSchema).jsonSchema;
  const outputSchema = tool.outputSchema && (await asSchema(tool.outputSchema).jsonSchema);
  return { name, ...(tool.description && { description: tool.description }), inputSchema, ...(outputSchema && { outputSchema }) };
}

/** A tool whose calls are decided before they run. What doesn't run throws, and the model reads why. */
function guarded(conversation: Conversation, sent: Sent, name: string, tool: Tool): Tool {
  const run = async (input: unknown, options: ToolExecutionOptions, show: (part: unknown) => void): Promise<unknown> => {
    const { json, isTyped } = await proposed(tool, input, sent.get(options.toolCallId));
    let decided: unknown;
    return conversation.run(
      { id: options.toolCallId, tool: name, arguments: json },
      async ({ arguments: args }) => {
        // What runs is made of what was decided: others have the SDK's values, and can change them.
        decided = isTyped ? await values(tool, args) : args;
        return last(await tool.execute?.(decided, options), show);
      },
      (output) => read(tool, options.toolCallId, decided, output),
      options.abortSignal,
    );
  };
  const execute = isGenerator(tool.execute)
    ? async function* (input: unknown, options: ToolExecutionOptions) {
        yield* during((show) => run(input, options, show));
      }
    : async (input: unknown, options: ToolExecutionOptions) => run(input, options, () => undefined);
  return { ...tool, execute } as Tool;
}

/** The arguments that a model wrote, by call. */
type Sent = Map<string, string>;

/**
 * The JSON of a call: what the model wrote, or what was made of it on the way. It is typed
 * where the tool's schema makes of it what the tool is about to get.
 */
async function proposed(tool: Tool, input: unknown, text: string | undefined): Promise<{ json: Record<string, unknown>; isTyped: boolean }> {
  if (text !== undefined) {
    const written = parsed(text);
    if (isObject(written) && (await makes(tool, written, input))) return { json: written, isTyped: true };
  }
  const json = toJSON(input) as Record<string, unknown>;
  return { json, isTyped: await makes(tool, json, input) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.trim() || "{}");
  } catch {
    return undefined;
  }
}

async function makes(tool: Tool, json: unknown, input: unknown): Promise<boolean> {
  try {
    return isDeepStrictEqual(await values(tool, json), input);
  } catch {
    return false;
  }
}

/** What a tool's schema makes of JSON, such as a date. */
async function values(tool: Tool, json: unknown): Promise<unknown> {
  const validated = await asSchema(tool.inputSchema).validate?.(structuredClone(json));
  if (!validated) return json;
  if (!validated.success) throw validated.error;
  return validated.value;
}

function isGenerator(execute: unknown): boolean {
  return typeof execute === "function" && Object.prototype.toString.call(execute) === "[object AsyncGeneratorFunction]";
}

/** The parts that something shows while it runs, and what it returns at the end. */
async function* during(run: (show: (part: unknown) => void) => Promise<unknown>): AsyncGenerator<unknown> {
  const parts: unknown[] = [];
  let wake = () => {};
  let ended = false;
  const running = run((part) => {
    parts.push(part);
    wake();
  }).finally(() => {
    ended = true;
    wake();
  });
  running.catch(() => undefined);
  for (;;) {
    while (parts.length) yield parts.shift();
    if (ended) break;
    await new Promise<void>((resolve) => (wake = resolve));
  }
  yield await running;
}

/** What a tool returned: the last part, of one that returns several. */
async function last(returned: unknown, show: (part: unknown) => void = () => undefined): Promise<unknown> {
  if (typeof returned !== "object" || returned === null || !(Symbol.asyncIterator in returned)) return returned;
  let final: unknown;
  for await (const part of returned as AsyncIterable<unknown>) show((final = part));
  return final;
}

async function read(tool: Tool, toolCallId: string, input: unknown, output: unknown): Promise<Returned> {
  const returned = plainly(output);
  if (!tool.toModelOutput) return returned;
  const { text, material } = told((await tool.toModelOutput({ toolCallId, input, output })) as Output);
  return { result: { ...returned.result, content: text }, seen: text, material };
}

/** Tells Remit what the model gets and what it answers. */
function listening(conversation: Conversation, sent: Sent): LanguageModelMiddleware {
  return {
    specificationVersion: "v3",
    async wrapGenerate({ doGenerate, params }) {
      await conversation.hear(params.prompt.flatMap(message), { signal: params.abortSignal });
      const result = await doGenerate();
      await answered(conversation, sent, result.content, params.abortSignal);
      return result;
    },
    async wrapStream({ doStream, params }) {
      await conversation.hear(params.prompt.flatMap(message), { signal: params.abortSignal });
      const { stream, ...rest } = await doStream();
      return { stream: stream.pipeThrough(waiting(conversation, sent, params.abortSignal)), ...rest };
    },
  };
}

async function answered(conversation: Conversation, sent: Sent, content: readonly Content[], signal: AbortSignal | undefined): Promise<void> {
  for (const part of content) if (part.type === "tool-call") sent.set(part.toolCallId, part.input);
  // What a provider's own tools returned was read before the rest was written.
  await conversation.add(content.flatMap(served), { signal });
  const text = content.flatMap((part) => (part.type === "text" ? part.text : [])).join("");
  const calls = content.flatMap((part) => (part.type === "tool-call" && !part.providerExecuted ? part.toolCallId : []));
  await conversation.answered({ from: "assistant", text, calls }, signal);
}

/**
 * Lets a stream through, but for its calls: those run as soon as they are seen, and are
 * decided with all that their message says.
 */
function waiting(conversation: Conversation, sent: Sent, signal: AbortSignal | undefined): TransformStream<Chunk, Chunk> {
  const content: Content[] = [];
  const held: Chunk[] = [];
  const texts = new Map<string, { type: "text"; text: string }>();
  const release = async (controller: TransformStreamDefaultController<Chunk>) => {
    if (content.length) await answered(conversation, sent, content.splice(0), signal);
    for (const chunk of held.splice(0)) controller.enqueue(chunk);
  };
  return new TransformStream({
    async transform(chunk, controller) {
      if (chunk.type === "text-delta") {
        const text = texts.get(chunk.id) ?? { type: "text", text: "" };
        if (!texts.has(chunk.id)) content.push(text);
        texts.set(chunk.id, text);
        text.text += chunk.delta;
      }
      if (chunk.type === "tool-result" || chunk.type === "source") content.push(chunk);
      if (chunk.type === "tool-call") {
        content.push(chunk);
        held.push(chunk);
        return;
      }
      if (chunk.type === "finish") await release(controller);
      controller.enqueue(chunk);
    },
    flush: release,
  });
}

/** What a provider's own tool brought. */
function served(part: Content): Message[] {
  if (part.type === "tool-result" && !part.preliminary) return [{ from: "tool", calls: [part.toolCallId], name: part.toolName, text: JSON.stringify(part.result) ?? "" }];
  if (part.type === "source") return [{ from: "tool", name: "search", text: [part.title, part.sourceType === "url" ? part.url : part.filename].filter(Boolean).join("\n") }];
  return [];
}

/** A message of a prompt as Remit's. */
function message(of: Prompt[number]): Message[] {
  switch (of.role) {
    case "system":
      return [{ from: "system", text: of.content }];
    case "user": {
      const own = of.content.filter((part) => part.type === "text" && !isMaterial(part));
      const text = own.map((part) => (part.type === "text" ? part.text : "")).join("\n");
      const material = of.content.filter((part) => !own.includes(part)).map(passed);
      return [{ from: "user", text, material }];
    }
    case "assistant": {
      const text = of.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      const calls = of.content.flatMap((part) => (part.type === "tool-call" && !part.providerExecuted ? part.toolCallId : []));
      const results = of.content.flatMap((part) => (part.type === "tool-result" ? result(part) : []));
      return [...results, { from: "assistant", text, calls }];
    }
    case "tool":
      return of.content.flatMap((part) => (part.type === "tool-result" ? result(part) : []));
  }
}

function isMaterial(part: { providerOptions?: Record<string, unknown> }): boolean {
  const remit = part.providerOptions?.["remit"];
  return typeof remit === "object" && remit !== null && "material" in remit && remit.material === true;
}

function passed(part: Extract<Prompt[number], { role: "user" }>["content"][number]): Material {
  if (part.type === "text") return { name: "material", text: part.text };
  const name = part.filename ?? part.mediaType;
  if (!part.mediaType.startsWith("text/") || part.data instanceof URL) return { name, text: undefined };
  return { name, text: Buffer.from(part.data as string, "base64").toString() };
}

function result(part: { toolCallId: string; toolName: string; output: Output }): Message {
  return { from: "tool", calls: [part.toolCallId], name: part.toolName, ...told(part.output) };
}

/** What a model reads of a tool's output. */
function told(output: Output): { text: string; material?: Material[] } {
  switch (output.type) {
    case "text":
    case "error-text":
      return { text: output.value };
    case "json":
    case "error-json":
      return { text: JSON.stringify(output.value) ?? "null" };
    case "execution-denied":
      return { text: output.reason ?? "" };
    case "content": {
      const text = output.value.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
      const material = output.value.flatMap((part) => (part.type === "text" ? [] : { name: part.type, text: undefined }));
      return { text, material };
    }
  }
}
