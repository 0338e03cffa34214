/**
 * Remit for the OpenAI Agents SDK: every function that an agent calls goes through a decision.
 *
 *     const { model, tools } = await protect(remit, { model: "gpt-5.2", tools: [readInbox, sendEmail] });
 *     await run(new Agent({ name, instructions, model, tools }), "Send the notes to bob@corp.example");
 *
 * @module
 */
import { type AgentInputItem, type FunctionTool, type Model, type ModelProvider, type ModelRequest, OpenAIProvider, type Tool } from "@openai/agents";
import type { Remit } from "./client.js";
import { Conversation, type Material, type Message, plainly, type ProtectOptions, SERVER } from "./conversation.js";
import { NoSession, RemitError } from "./errors.js";
import { Denied, isObject } from "./models.js";
import type { Session } from "./session.js";

/** What is protected, and how. */
export interface AgentOptions<T extends Tool<any>> extends ProtectOptions {
  /** The model that the agent asks, or its name. */
  model: Model | string;
  /** Where a model's name comes from; OpenAI when it is left out. */
  modelProvider?: ModelProvider;
  /** The agent's tools. Each is decided before it runs. */
  tools: readonly T[];
  /** The tools that nobody decides, by name: those that the provider runs. What they return is external. */
  undecided?: readonly string[];
}

/** An agent's model and tools for one conversation. An agent with them must have no `mcpServers`. */
export interface ProtectedAgent<T extends Tool<any>> {
  model: Model;
  tools: T[];
  session: Session;
  /** Says that the next message is the user's. It is needed only after a run that ended with calls. */
  turn(): void;
}

/**
 * Protects the agent of one conversation, and those that it hands off to if they have the same
 * model and tools. `instructions` and what the run is started with count as the deployment's
 * and the user's word; what comes while it runs is external, but for what contracts say.
 */
export async function protect<T extends Tool<any>>(remit: Remit, options: AgentOptions<T>): Promise<ProtectedAgent<T>> {
  const { model, modelProvider, tools, undecided = [], server = SERVER } = options;
  for (const tool of tools) {
    if (tool.type !== "function" && !undecided.includes(tool.name)) throw new RemitError(`nothing here runs the tool ${tool.name} as a function, so nothing can decide it: leave it out, or name it in undecided`);
  }
  const definitions = tools.flatMap((tool) => (tool.type === "function" ? { name: tool.name, description: tool.description, inputSchema: tool.parameters } : []));
  const conversation = await Conversation.begin(remit, definitions.length ? [{ server, tools: definitions }] : [], options);
  const asked = typeof model === "string" ? await (modelProvider ?? new OpenAIProvider()).getModel(model) : model;
  return {
    model: listening(conversation, asked),
    tools: tools.map((tool) => (tool.type === "function" ? (guarded(conversation, tool) as unknown as T) : tool)),
    session: conversation.session,
    turn: () => conversation.turn(),
  };
}

/** A function whose calls are decided before they run. The model gets the explanation of one that doesn't. */
function guarded(conversation: Conversation, tool: FunctionTool<any, any, any>): FunctionTool<any, any, any> {
  return {
    ...tool,
    async invoke(context, input, details) {
      const id = details?.toolCall?.callId;
      if (id === undefined) throw new NoSession(`the call of ${tool.name} has no id`);
      // Without what the SDK made of the model's text: the function gets what was decided.
      const { toolCall, signal, resumeState } = details ?? {};
      const rest = { ...(toolCall && { toolCall }), ...(signal && { signal }), ...(resumeState !== undefined && { resumeState }) };
      try {
        return await conversation.run({ id, tool: tool.name, arguments: input || "{}" }, (decision) => tool.invoke(context, JSON.stringify(decision.arguments), rest), plainly, signal);
      } catch (error) {
        if (error instanceof Denied) return error.message;
        throw error;
      }
    },
  };
}

/** Tells Remit what the model gets and what it answers. */
function listening(conversation: Conversation, model: Model): Model {
  return {
    async getResponse(request) {
      await conversation.hear(heard(request), { signal: request.signal });
      const response = await model.getResponse(request);
      await answered(conversation, response.output, request.signal);
      return response;
    },
    async *getStreamedResponse(request) {
      await conversation.hear(heard(request), { signal: request.signal });
      for await (const event of model.getStreamedResponse(request)) {
        // Calls run when the answer is whole.
        if (event.type === "response_done") await answered(conversation, event.response.output as AgentInputItem[], request.signal);
        yield event;
      }
    },
    ...(model.getRetryAdvice && { getRetryAdvice: model.getRetryAdvice.bind(model) }),
  };
}

async function answered(conversation: Conversation, output: readonly AgentInputItem[], signal: AbortSignal | undefined): Promise<void> {
  const said = output.flatMap(message);
  // What a provider's own tools returned was read before the rest was written.
  await conversation.add(said.filter((one) => one.from !== "assistant"), { signal });
  const text = said.flatMap((one) => (one.from === "assistant" ? one.text : [])).join("\n");
  const calls = output.flatMap((item) => (item.type === "function_call" ? item.callId : []));
  await conversation.answered({ from: "assistant", text, calls }, signal);
}

function heard({ systemInstructions, input }: ModelRequest): Message[] {
  const items: Message[] = typeof input === "string" ? [{ from: "user", text: input }] : input.flatMap(message);
  return [...(systemInstructions ? [{ from: "system" as const, text: systemInstructions }] : []), ...items];
}

/** What is the model's own, and tells it nothing. */
const OWN: readonly unknown[] = ["function_call", "reasoning"];

/** An item as Remit's. What it doesn't know is of a tool. */
function message(item: AgentInputItem): Message[] {
  if ("role" in item) return [{ from: item.role, ...parts(item.content) }];
  if (OWN.includes(item.type)) return [];
  if (item.type === "function_call_result") return [{ from: "tool", calls: [item.callId], name: item.name, ...parts(item.output) }];
  return [{ from: "tool", name: String(item.type), text: JSON.stringify(item) }];
}

function parts(content: unknown): { text: string; material: Material[] } {
  if (typeof content === "string") return { text: content, material: [] };
  const blocks = (Array.isArray(content) ? content : [content]).filter(isObject);
  const own = (block: Record<string, unknown>) => (typeof block["text"] === "string" ? block["text"] : typeof block["refusal"] === "string" ? block["refusal"] : undefined);
  const text = blocks.flatMap((block) => own(block) ?? []).join("\n");
  const material = blocks.flatMap((block) => (own(block) === undefined ? { name: String(block["type"]), text: undefined } : []));
  return { text, material };
}
