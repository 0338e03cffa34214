/**
 * Remit for agents of LangChain and LangGraph: every tool call is decided before it runs.
 *
 *     const agent = createAgent({ model, tools, systemPrompt, middleware: [remitMiddleware(remit, { tools, systemPrompt })] });
 *
 * @module
 */
import { AIMessage, type BaseMessage, coerceMessageLikeToMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { Annotation, type Command, isCommand, isGraphBubbleUp, isGraphInterrupt, type LangGraphRunnableConfig, MessagesAnnotation } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createMiddleware } from "langchain";
import { z } from "zod";
import type { Remit } from "./client.js";
import { Conversation, type Material, type Message, type ProtectOptions, type Returned, SERVER } from "./conversation.js";
import { NoSession, RemitError } from "./errors.js";
import { Denied, isObject, type LookUp, type ToolSet } from "./models.js";
import { Together } from "./together.js";

/** What the middleware and the nodes are told. */
export interface LangChainOptions extends Omit<ProtectOptions, "id" | "signal"> {
  /**
   * The agent's tools, of which contracts are made where the deployment has none. Where the
   * company's rules look things up, those of them that only read are called for it.
   */
  tools?: readonly StructuredToolInterface[];
  /** The agent's, which is the deployment's word. */
  systemPrompt?: string;
}

/** What marks a message that is in the user's name and not the user's. It stays with the message. */
const MARK = "remit";
/** Where LangChain says that it wrote a message itself, such as a summary. */
const SOURCE = "lc_source";
/** What of the state tools have no say in. */
const SESSION = "remit_session";
/** How many conversations, and texts of tools in the user's name, a process remembers. */
const REMEMBERED = 10_000;

interface State {
  messages: BaseMessage[];
  remit_session?: string | undefined;
}

/**
 * The middleware of agents. The model gets the explanation of a call that may not run as the
 * tool's message, with the status `error`. Messages of the user are the user's own words: put
 * what they pass on (mail, files, pages) into other content blocks than text. Make it the last
 * middleware of those that change tool calls: what comes after it is not checked again.
 *
 * A thread is one session: to join one of a gateway's, invoke the agent with
 * `{ messages, remit_session: id }`.
 */
export function remitMiddleware(remit: Remit, options: LangChainOptions = {}) {
  const threads = new Threads(remit, options);
  return createMiddleware({
    name: "RemitMiddleware",
    stateSchema: z.object({ remit_session: z.string().optional() }),
    // What the agent is invoked with is the application's.
    beforeAgent: (state, runtime) => threads.begin(state, runtime.signal),
    // What came since comes from tools, and so does what is left at the end.
    beforeModel: (state, runtime) => threads.read(state, runtime.signal),
    afterAgent: (state, runtime) => threads.read(state, runtime.signal),
    wrapToolCall: (request, handler) => threads.call(request.state, request.toolCall, (toolCall) => handler({ ...request, toolCall }), request.runtime.signal),
  });
}

/** What a graph's state has. Spread its `spec` to have more. */
export const RemitState = Annotation.Root({ ...MessagesAnnotation.spec, remit_session: Annotation<string | undefined>() });

/**
 * The nodes by which a graph tells Remit what its model sees, and asks about calls. `begin`
 * comes before everything else, and takes what the graph is invoked with as the
 * application's; `read` comes before each model that may have tools' messages before it.
 * Without `begin` no call runs.
 */
export class RemitNodes {
  readonly #threads: Threads;
  readonly #tools: StructuredToolInterface[];

  constructor(remit: Remit, options: LangChainOptions & { tools: readonly StructuredToolInterface[] }) {
    this.#threads = new Threads(remit, options);
    this.#tools = [...options.tools];
  }

  readonly begin = (state: State, config?: LangGraphRunnableConfig) => this.#threads.begin(state, config?.signal);

  readonly read = (state: State, config?: LangGraphRunnableConfig) => this.#threads.read(state, config?.signal);

  /** A `ToolNode` whose calls are decided before they run. */
  toolNode(options?: ConstructorParameters<typeof ToolNode>[1]): ToolNode {
    return new DecidedToolNode(this.#threads, this.#tools, options);
  }
}

type ToolCall = Parameters<ToolNode["runTool"]>[0];

class DecidedToolNode extends ToolNode {
  readonly #threads: Threads;

  constructor(threads: Threads, tools: StructuredToolInterface[], options?: ConstructorParameters<typeof ToolNode>[1]) {
    super(tools, options);
    this.#threads = threads;
  }

  protected override runTool(call: ToolCall, config: LangGraphRunnableConfig, state: unknown): Promise<ToolMessage | Command> {
    return this.#threads.call(state, call, (decided) => super.runTool(decided, config, state), config.signal);
  }
}

/** The conversations of an agent. */
class Threads {
  readonly #remit: Remit;
  readonly #options: LangChainOptions;
  readonly #toolsets: ToolSet[];
  readonly #together = new Together();
  readonly #conversations = new Map<string, Conversation>();
  /** Texts that came in the user's name while agents ran: a conversation can come back without its marks. */
  readonly #foreign = new Set<string>();

  constructor(remit: Remit, options: LangChainOptions) {
    const { tools = [], server = SERVER } = options;
    this.#remit = remit;
    this.#options = options;
    this.#toolsets = tools.length ? [{ server, tools: tools.map((tool) => convertToOpenAITool(tool)) as unknown as Record<string, unknown>[] }] : [];
  }

  async #conversation(id: string | undefined, signal: AbortSignal | undefined): Promise<Conversation> {
    const known = id === undefined ? undefined : this.#conversations.get(id);
    const found = known ?? (await Conversation.begin(this.#remit, this.#toolsets, { ...this.#options, id, signal }, this.#lookUp, this.#together));
    remember(this.#conversations, found.session.id, found);
    return found;
  }

  /** Takes what an agent is invoked with: it is what it says it is, unless it came while one ran. */
  async begin(state: State, signal: AbortSignal | undefined) {
    const conversation = await this.#conversation(state[SESSION], signal);
    const { systemPrompt } = this.#options;
    const prompt: Message[] = systemPrompt ? [{ from: "system", text: systemPrompt }] : [];
    const messages = state.messages.map((message) => ({ ...read(message), foreign: isMarked(message) || this.#foreign.has(said(message)) }));
    await conversation.hear([...prompt, ...messages], { running: false, signal });
    return { [SESSION]: conversation.session.id };
  }

  /** Takes what came since: it is of tools, whatever it says it is, and marked as that. */
  async read(state: State, signal: AbortSignal | undefined) {
    const conversation = await this.#begun(state, signal);
    const messages = state.messages.map(read);
    const others = await conversation.hear(messages, { running: true, signal });
    const marked = others.map((message) => this.#mark(state.messages[messages.indexOf(message)]));
    return marked.length ? { messages: marked.filter((message) => message !== undefined) } : undefined;
  }

  /** Decides a call, runs it if it may, and records what it returns. */
  async call(state: unknown, proposed: ToolCall, handle: (call: ToolCall) => ToolMessage | Command | Promise<ToolMessage | Command>, signal: AbortSignal | undefined): Promise<ToolMessage | Command> {
    // The call that is decided is the one that runs, whatever becomes of the message meanwhile.
    const call = { ...proposed };
    const conversation = await this.#begun(state as State, signal);
    const id = call.id ?? crypto.randomUUID();
    const message = (state as State).messages.findLast((one) => AIMessage.isInstance(one) && one.tool_calls?.some((each) => each.id === id));
    const among = AIMessage.isInstance(message) ? message.tool_calls?.length ?? 1 : 1;
    conversation.place(message?.id ?? id, { text: message?.id ? message.text : "", calls: [id] }, message?.id ? among : 1);
    try {
      const returned = await conversation.run({ id, tool: call.name, arguments: call.args }, (decision) => handle({ ...call, args: decision.arguments }), (result) => seen(id, result), signal, isGraphBubbleUp, isGraphInterrupt);
      return this.#returned(returned);
    } catch (error) {
      if (error instanceof Denied) return new ToolMessage({ content: error.message, tool_call_id: id, name: call.name, status: "error" });
      throw error;
    }
  }

  async #begun(state: State, signal: AbortSignal | undefined): Promise<Conversation> {
    const id = state[SESSION];
    if (typeof id !== "string") throw new NoSession("there is no session: Remit was not asked before the agent began");
    return this.#conversation(id, signal);
  }

  /** Calls a tool for a rule. The agent hears nothing of it. */
  readonly #lookUp: LookUp = async (server, name, args, { signal }) => {
    const { tools = [], server: own = SERVER } = this.#options;
    const tool = server === own ? tools.find((one) => one.name === name) : undefined;
    if (!tool) throw new RemitError(`the agent has no tool ${name} of ${server}`);
    return tool.invoke(args, signal ? { signal } : {});
  };

  /** The message, marked where the agent made it in somebody's name. */
  #mark(message: BaseMessage | undefined): BaseMessage | undefined {
    if (!message || AIMessage.isInstance(message) || ToolMessage.isInstance(message)) return message;
    remember(this.#foreign, said(message));
    if (MARK in message.additional_kwargs) return message;
    const { content, id, name } = message;
    const fields = { content, ...(id && { id }), ...(name && { name }), additional_kwargs: { ...message.additional_kwargs, [MARK]: "not the user's" } };
    return SystemMessage.isInstance(message) ? new SystemMessage(fields) : new HumanMessage(fields);
  }

  /** What a tool returned, with what it says in the user's name marked. */
  #returned(returned: ToolMessage | Command): ToolMessage | Command {
    if (!isCommand(returned)) return returned;
    const { update } = returned;
    if (!isObject(update)) return returned;
    delete update[SESSION];
    if ("messages" in update) update["messages"] = messagesOf(update["messages"]).map((message) => this.#mark(message));
    return returned;
  }
}

/** Keeps the newest. */
function remember<K>(kept: Set<K>, key: K): void;
function remember<K, V>(kept: Map<K, V>, key: K, value: V): void;
function remember<K, V>(kept: Map<K, V> | Set<K>, key: K, value?: V): void {
  kept.delete(key);
  if (kept instanceof Map) kept.set(key, value as V);
  else kept.add(key);
  const [oldest] = kept.keys();
  if (kept.size > REMEMBERED && oldest !== undefined) kept.delete(oldest);
}

function isMarked(message: BaseMessage): boolean {
  return MARK in message.additional_kwargs || SOURCE in message.additional_kwargs;
}

function said(message: BaseMessage): string {
  return JSON.stringify([message.getType(), message.content]);
}

function messagesOf(value: unknown): BaseMessage[] {
  return (Array.isArray(value) ? value : [value]).map((one) => coerceMessageLikeToMessage(one));
}

/** A message as Remit's. What the user wrote is text, and what else a message holds is passed on. */
function read(message: BaseMessage): Message {
  const { text, material } = parts(message.content);
  if (ToolMessage.isInstance(message)) return { from: "tool", calls: [message.tool_call_id], name: message.name, text, material };
  if (AIMessage.isInstance(message)) return { from: "assistant", text };
  if (SystemMessage.isInstance(message)) return { from: "system", text, material };
  if (HumanMessage.isInstance(message)) return { from: "user", text, material };
  return { from: "tool", name: message.getType(), text, material };
}

function parts(content: BaseMessage["content"]): { text: string; material: Material[] } {
  if (typeof content === "string") return { text: content, material: [] };
  const text = content.flatMap((block) => (block.type === "text" ? String(block["text"]) : [])).join("\n");
  const material = content.flatMap((block) => (block.type === "text" ? [] : { name: block.type, text: typeof block["text"] === "string" ? block["text"] : undefined }));
  return { text, material };
}

/** What of a tool's return may come before the model. */
function seen(call: string, returned: ToolMessage | Command): Returned {
  if (!isCommand(returned)) {
    const { text, material } = parts(returned.content);
    return { result: { content: text }, seen: text, material };
  }
  const update = isObject(returned.update) ? returned.update : {};
  const answer = messagesOf(update["messages"] ?? []).find((message) => ToolMessage.isInstance(message) && message.tool_call_id === call);
  const others = JSON.stringify({ ...update, ...("messages" in update && { messages: messagesOf(update["messages"]).map((message) => message.content) }) });
  return { result: { content: others }, seen: answer ? parts(answer.content).text : "" };
}
