import { createHash, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Remit } from "./client.js";
import { NoSession, RemitError } from "./errors.js";
import { type Aborted, Denied, type Decision, type Event, isObject, type LookUp, type Scope, type ToolSet } from "./models.js";
import type { ResultOptions, Session } from "./session.js";
import { Together } from "./together.js";

/** What every adapter is told. */
export interface ProtectOptions extends Aborted {
  /** The session's id: a session of that id is joined. One is made when it is left out. */
  id?: string | undefined;
  /** What contracts call the agent's tools; `agent` when it is left out. */
  server?: string | undefined;
  /** Whether the model sees what doesn't come by here: memory, other agents, pictures. */
  unseenUser?: boolean | undefined;
  /** For how long a call that is held back waits for a person; not at all when it is left out. */
  approvalSeconds?: number | undefined;
  /**
   * A planner of your own: it gets what the user said last, and returns what that
   * authorises, or nothing. Where the server has a planner, leave it out.
   */
  scope?: ((said: string) => Scope | undefined | Promise<Scope | undefined>) | undefined;
}

/** A message of a conversation, whatever framework it is of. */
export interface Message {
  /** In whose name it is. */
  from: "system" | "user" | "assistant" | "tool";
  text: string;
  /** What the message carries that its author did not write. */
  material?: readonly Material[] | undefined;
  /** Of a tool: the call that returned it. Of an assistant: those that it makes. */
  calls?: readonly string[];
  /** The tool's name. */
  name?: string | undefined;
  /** Whether it is known not to be whose name it is in. */
  foreign?: boolean;
}

/** What was passed on: a text, or what only a model can read. */
export interface Material {
  name: string;
  text: string | undefined;
}

/** A call as a framework makes it. */
export interface Proposed {
  id: string;
  /** The tool's server, where the agent has tools of several. */
  server?: string;
  tool: string;
  arguments: Record<string, unknown> | string;
}

/** Where a call stands: its message, what that says, and how many calls it has. */
interface Place {
  message: string;
  beside: string;
  among: number;
}

/** What came of a call: what is recorded, and how the framework gives it to the model. */
export interface Returned {
  result: Omit<ResultOptions, "signal">;
  /** The text that the model gets, by which the result is known when it comes back. */
  seen: string;
  /** What only a model can read of it. */
  material?: readonly Material[] | undefined;
}

/**
 * One conversation as an adapter passes it on. Each model call shows it the messages that the
 * model gets; what is new among them is recorded before the model sees it. A call runs
 * only by {@link Conversation.run}.
 */
export class Conversation {
  readonly session: Session;
  readonly #options: ProtectOptions;
  readonly #together: Together;
  readonly #lookUp: LookUp | undefined;
  readonly #heard: Heard;
  readonly #places = new Map<string, Place>();
  /** Whether the model's last answer has calls: until it speaks again, nothing new is the user's. */
  #running = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(session: Session, heard: Heard, options: ProtectOptions, lookUp: LookUp | undefined, together: Together) {
    this.session = session;
    this.#heard = heard;
    this.#options = options;
    this.#lookUp = lookUp;
    this.#together = together;
  }

  /** Begins a conversation, or goes on with the one of that id, of whatever process it was. */
  static async begin(remit: Remit, tools: ToolSet[], options: ProtectOptions, lookUp?: LookUp, together = new Together()): Promise<Conversation> {
    const { id, unseenUser, signal } = options;
    const session = await remit.session({ id, tools, unseenUser, signal });
    const heard = new Heard();
    if (id !== undefined) for await (const event of logged(remit, session, signal)) heard.log(event);
    return new Conversation(session, heard, options, lookUp, together);
  }

  /**
   * Records what is new among the messages that a model is about to get, from the
   * conversation's beginning. `running` says that an agent runs: what is new then is of
   * tools, whatever name it is in. It returns what is in somebody's name and not theirs.
   */
  async hear(messages: readonly Message[], options: Aborted & { running?: boolean } = {}): Promise<Message[]> {
    return this.#next(() => this.#record(messages, this.#heard.counting(), options));
  }

  /** Records what a model or a tool says just now. */
  async add(messages: readonly Message[], options: Aborted = {}): Promise<void> {
    await this.#next(() => this.#record(messages, () => false, { ...options, running: true }));
  }

  /** One after the other: what is new is found by what was heard before. */
  async #next<T>(record: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(record);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #record(messages: readonly Message[], known: (event: Spoken) => boolean, options: Aborted & { running?: boolean }): Promise<Message[]> {
    const { running = this.#running, signal } = options;
    const others: Message[] = [];
    let said: string | undefined;
    for (const message of messages) {
      this.#readable(message);
      for (const event of this.#events(message, running, known)) {
        await this.session.event(event, { signal });
        this.#heard.log(event);
        if (event.type === "user") said = event.text;
        if (event.type === "attach" && isNamed(message)) others.push(message);
      }
    }
    const scope = said === undefined ? undefined : await this.#options.scope?.(said);
    if (scope) await this.session.giveScope(scope, { signal });
    return others;
  }

  /** What only a model can read may say anything: somebody has to say what that means. */
  #readable({ material = [] }: Pick<Message, "material">): void {
    const hidden = material.find((part) => part.text === undefined);
    if (hidden && this.#options.unseenUser === undefined) {
      throw new RemitError(`the model sees what Remit can't read (${hidden.name}): set unseenUser to true, or to false where nobody else can have written it`);
    }
  }

  /** What is new in a message. */
  #events({ from, text, calls = [], material = [], name, foreign = false }: Message, running: boolean, known: (event: Spoken) => boolean): Spoken[] {
    const attached = material.flatMap((part) => (part.text ? [attach(part.name, part.text)] : [])).filter((event) => !known(event));
    if (!text) return attached;
    if (from === "tool") {
      // What the model gets of a call that was decided here is known by its text.
      const result = attach(`result of ${name ?? "a tool"}`, text);
      return this.#heard.returned(calls[0], text) || known(result) ? attached : [result, ...attached];
    }
    const own: Spoken = { type: from, text };
    const added = attach(`added for the ${from}`, text);
    if (known(own) || known(added)) return attached;
    const others = from !== "assistant" && (running || foreign || this.#heard.has(added));
    return [others ? added : own, ...attached];
  }

  /** Notes what a model answers: its calls may run now. Without calls the answer ends the run. */
  async answered(answer: Message, signal?: AbortSignal): Promise<void> {
    this.place(randomUUID(), answer);
    this.#running = !!answer.calls?.length;
    if (!this.#running) await this.add([answer], { signal });
  }

  /** Notes the message that calls are in, and how many it has. */
  place(message: string, { text, calls = [] }: Pick<Message, "text" | "calls">, among = calls.length): void {
    for (const call of calls) this.#places.set(call, { message, beside: text, among });
  }

  /** Says that the next message is the user's: the agent's run ended with calls. */
  turn(): void {
    this.#running = false;
  }

  /** Decides a call of an answer. A person's answer is waited for, where that is wanted. */
  async decide(call: Proposed, signal?: AbortSignal): Promise<Decision> {
    const place = this.#places.get(call.id);
    if (!place) throw new NoSession(`the call ${call.id} is in no answer of a model that Remit saw: give the agent the protected model`);
    const { message, beside } = place;
    const options = { call: call.id, server: call.server ?? this.#options.server ?? SERVER, message, beside, lookUp: this.#lookUp, signal };
    const decision = await this.#together.deciding(this.session, message, () => this.session.decide(call.tool, call.arguments, options));
    const seconds = this.#options.approvalSeconds ?? 0;
    if (decision.verdict !== "ask" || seconds <= 0) return decision;
    return this.#together.ask(this.session, { decision, message, among: place.among }, seconds, signal);
  }

  /**
   * Runs a call if it may, with the arguments that were decided, and records what comes of
   * it. `isControl` tells the errors by which a tool only says how to go on.
   */
  async run<T>(
    call: Proposed,
    run: (decision: Decision) => T | Promise<T>,
    read: (returned: T) => Returned | Promise<Returned>,
    signal?: AbortSignal,
    isControl: (error: unknown) => boolean = () => false,
    isWaiting: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    const decision = await this.decide(call, signal);
    if (!decision.allowed) throw this.denied(decision);
    let returned: T;
    try {
      returned = await run(decision);
    } catch (error) {
      if (isWaiting(error)) await this.session.event({ type: "result", call: call.id, suspended: true }, { signal });
      else if (!isControl(error)) await this.result(call.id, failed(error), signal);
      throw error;
    }
    await this.result(call.id, await read(returned), signal);
    return returned;
  }

  /** What stops a call. The model reads its words, which are Remit's own. */
  denied(decision: Decision): Denied {
    const denied = new Denied(decision);
    this.#heard.returns(decision.call, denied.message);
    return denied;
  }

  /** Records what a call returned. */
  async result(call: string, returned: Returned, signal?: AbortSignal): Promise<void> {
    await this.session.result(call, { ...returned.result, signal });
    this.#readable(returned);
    this.#heard.returns(call, returned.seen);
  }
}

/** An event that is the text of somebody. */
type Spoken = Exclude<Event, { type: "result" }>;

/** An event as the log of a session has it. */
interface Logged {
  kind: string;
  name?: string;
  text?: string;
  result?: { call: string; content?: string; structured?: unknown; suspended?: boolean };
  decision?: { call: string; explanation?: string };
}

/** Whether a message is in the name of somebody who is trusted. */
function isNamed({ from }: Message): boolean {
  return from === "user" || from === "system";
}

function attach(name: string, text: string): Spoken {
  return { type: "attach", name, text };
}

/** What a session was told, by how often it was. */
class Heard {
  readonly #counts = new Map<string, number>();
  /** What the model was given for each call. */
  readonly #returned = new Map<string, string>();

  /** Whether something was heard. */
  has(event: Spoken): boolean {
    return this.#counts.has(key(event));
  }

  /** Notes what was heard just now, or stands in the log. */
  log(event: Spoken | Logged): void {
    if ("type" in event) {
      this.#counts.set(key(event), (this.#counts.get(key(event)) ?? 0) + 1);
    } else if (event.result) {
      const { call, content, structured, suspended } = event.result;
      if (suspended) return; // nothing was returned
      this.returns(call, content ?? JSON.stringify(structured));
    } else if (event.decision?.explanation) {
      this.returns(event.decision.call, event.decision.explanation);
    } else if (event.text !== undefined) {
      const { kind, name = "", text } = event;
      if (kind === "attachment") this.log({ type: "attach", name, text });
      if (kind === "user" || kind === "assistant" || kind === "system") this.log({ type: kind, text });
    }
  }

  /** Goes through a conversation from its beginning, and says of each event whether it was heard. */
  counting(): (event: Spoken) => boolean {
    const before = new Map(this.#counts);
    return (event) => {
      const left = before.get(key(event)) ?? 0;
      if (left > 0) before.set(key(event), left - 1);
      return left > 0;
    };
  }

  /** Notes what the model was given for a call. */
  returns(call: string, text: string): void {
    this.#returned.set(call, text);
  }

  /** Whether the model was given that for a call, however its JSON is written. */
  returned(call: string | undefined, text: string): boolean {
    const known = call === undefined ? undefined : this.#returned.get(call);
    if (known === undefined || known === text) return known !== undefined;
    try {
      return isDeepStrictEqual(JSON.parse(known), JSON.parse(text));
    } catch {
      return false;
    }
  }
}

/** Tells what was said, by whom. It is known by its digest: conversations are long. */
function key(event: Spoken): string {
  const name = event.type === "attach" ? event.name ?? "" : "";
  return createHash("sha256").update(JSON.stringify([event.type, name.toWellFormed(), event.text.toWellFormed()])).digest("base64");
}

/** The log of a session. */
async function* logged(remit: Remit, session: Session, signal: AbortSignal | undefined): AsyncGenerator<Logged> {
  let cursor: string | undefined = "";
  do {
    const path = `/v1/sessions/${session.id}/events?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = (await remit.send({ method: "GET", path }, { signal })) as { events: Logged[]; next?: string };
    yield* page.events;
    cursor = page.next;
  } while (cursor);
}

/** The name of an agent's own tools in contracts. */
export const SERVER = "agent";

/** What a tool's error says to a model. */
export function failed(error: unknown): Returned {
  const text = error instanceof Error ? error.message : typeof error === "string" ? error : JSON.stringify(error) ?? "unknown error";
  return { result: { content: text }, seen: text };
}

/** What a tool returned, where the model gets a text as it is and all else as JSON. */
export function plainly(returned: unknown): Returned {
  const seen = typeof returned === "string" ? returned : JSON.stringify(returned) ?? "null";
  if (!isObject(returned) && !Array.isArray(returned)) return { result: { content: seen }, seen };
  return { result: { structured: JSON.parse(seen) }, seen };
}
