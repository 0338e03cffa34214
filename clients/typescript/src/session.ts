import type { Remit } from "./client.js";
import { BadAnswer, BadRequest, Problem } from "./errors.js";
import { toJSON } from "./json.js";
import { type Aborted, type Approval, type Arguments, Decision, type Delegation, type Event, type Explanation, isObject, type LookUp, type LookupResult, type ProposedCall, type Scope, type TurnScope } from "./models.js";
import { asked, evaluated, LONGEST_WAIT, looked, ROUNDS, segment, unlooked, used } from "./wire.js";

/** What else is known of a proposed call. */
export interface CallOptions extends Aborted {
  /** Names the call within its session; one is made when it is left out. */
  call?: string | undefined;
  server?: string | undefined;
  /** Names the model's message that the call is in: calls of one message are made together. */
  message?: string | undefined;
  /** What the model says to the user in that message. */
  beside?: string | undefined;
  /** Finds out what the company's rules need to know, by calling the tools that it is told. */
  lookUp?: LookUp | undefined;
}

/** What a call returned, as the model sees it, as JSON, or both. */
export interface ResultOptions extends Aborted {
  content?: string | undefined;
  structured?: unknown;
  /** Whether the call failed, where the tool says so beside what it returned. */
  failed?: boolean | undefined;
}

/** How long a person has for an answer. */
export interface WaitOptions extends Aborted {
  seconds: number;
}

/** One conversation of one agent: tell it everything that the model sees, in that order. */
export class Session {
  readonly #remit: Remit;
  readonly #path: string;

  /** A session that was begun already. */
  constructor(
    remit: Remit,
    readonly id: string,
  ) {
    this.#remit = remit;
    this.#path = `/v1/sessions/${segment(id)}`;
  }

  /** Text of the deployment. */
  async system(text: string, options: Aborted = {}): Promise<void> {
    await this.event({ type: "system", text }, options);
  }

  /** What the user said, by their own channel: what it names, the user vouches for. */
  async user(text: string, options: Aborted = {}): Promise<void> {
    await this.event({ type: "user", text }, options);
  }

  /** Material that the user passed on and did not write. */
  async attach(name: string, text: string, options: Aborted = {}): Promise<void> {
    await this.event({ type: "attach", name, text }, options);
  }

  /** What the model wrote to the user. */
  async assistant(text: string, options: Aborted = {}): Promise<void> {
    await this.event({ type: "assistant", text }, options);
  }

  /** What a call returned, before the model sees it. */
  async result(call: string, returned: ResultOptions): Promise<void> {
    const { content, structured, failed, signal } = returned;
    const told = { ...(content !== undefined && { content }), ...(structured !== undefined && { structured }), ...(failed !== undefined && { failed }) };
    await this.event({ type: "result", call, ...told } as Event, { signal });
  }

  /** Adds an event, in the form of the session protocol's lines. */
  async event(event: Event, options: Aborted = {}): Promise<void> {
    await this.#post("/events", wellFormed(event), options);
  }

  /**
   * Says what the user's last turn authorises, as a planner of yours wrote it. A planner
   * reads trusted text alone: never pass on what an agent, a tool or a page says. The scope
   * ends with the turn.
   */
  async giveScope(scope: Scope, options: Aborted = {}): Promise<TurnScope> {
    return (await this.#post("/scope", { scope }, options)) as TurnScope;
  }

  /** What the user's last turn authorises, or why it has no scope; nothing as long as there is neither. */
  async scope(options: Aborted = {}): Promise<TurnScope | undefined> {
    try {
      return (await this.#get("/scope", options)) as TurnScope;
    } catch (problem) {
      if (problem instanceof Problem && problem.kind === "not-found") return undefined;
      throw problem;
    }
  }

  /**
   * The sources whose instructions the user told the agent to follow, each with its plan.
   * Ask for them when a call was held back, show a person the `question` as it is, and
   * `agree` to those that the person agrees to.
   */
  async delegations(options: Aborted = {}): Promise<Delegation[]> {
    return ((await this.#get("/delegations", options)) as { delegations: Delegation[] }).delegations;
  }

  /** Says that a person agreed to a plan; then decide the held calls again, under their ids. */
  async agree(delegation: Delegation, options: Aborted & { answer?: string } = {}): Promise<void> {
    const { plan, delegated } = delegation;
    if (!plan || !delegated) throw new BadRequest(`there is no plan to agree to: ${delegation.failed ?? ""}`);
    await this.#post("/delegations", { plan, delegated, answer: options.answer ?? "" }, options);
  }

  /** Decides a proposed call, before it runs. */
  async decide(tool: string, args: Arguments, options: CallOptions = {}): Promise<Decision> {
    const { call, server, message, beside, lookUp, signal } = options;
    const proposed = { tool, arguments: typeof args === "string" ? args : toJSON(args), id: call, server, message, beside: beside?.toWellFormed() };
    const lookups: LookupResult[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const answer = await this.#post("/decisions", lookUp ? { ...proposed, lookups } : proposed, { signal }, true);
      const wanted = lookUp && isObject(answer) ? asked(answer) : [];
      if (!lookUp || wanted.length === 0) return Decision.of(answer);
      for (const lookup of wanted) {
        lookups.push(await find(lookUp, lookup.id, lookup.server ?? "", lookup.tool, lookup.arguments, signal));
      }
    }
    throw new BadAnswer(`the rules for ${tool} need look-ups that depend on others, more than ${ROUNDS} times`);
  }

  /**
   * Decides up to 100 calls in one request, one after the other: each sees those before it. The
   * server decides them as AuthZEN's evaluations: without look-ups of yours, and as if the model
   * had seen more than was passed on, unless the session was begun with `unseenUser: false`.
   */
  async decideAll(calls: readonly ProposedCall[], options: Aborted = {}): Promise<Decision[]> {
    if (calls.length === 0) return [];
    const evaluations = calls.map(({ server, tool, arguments: args, call }) => ({
      action: { name: tool },
      resource: { type: "server", id: server },
      context: { session: this.id, call, arguments: typeof args === "string" ? args : toJSON(args) },
    }));
    const body = { subject: { type: "session", id: this.id }, evaluations };
    return evaluated(await this.#remit.send({ method: "POST", path: "/access/v1/evaluations", body, exactly: true }, options), this.id, calls);
  }

  /** Asks a person about a call that was held back, or about several in one question. */
  async ask(calls: string | readonly string[], options: Aborted = {}): Promise<Approval> {
    const [call, ...more] = typeof calls === "string" ? [calls] : calls;
    return (await this.#post("/approvals", { call, ...(more.length && { more }) }, options)) as Approval;
  }

  /** Waits for the answer about one call and acts on it; nothing when nobody answered in time. */
  async awaitAnswer(approval: string, options: WaitOptions): Promise<Decision | undefined> {
    const found = await this.awaitAnswers(approval, options);
    if (found && found.length !== 1) throw new BadAnswer(`the question was about ${found.length} calls: use awaitAnswers`);
    return found?.[0];
  }

  /** Waits for a person's answer and acts on it, for each call of the question in their order. */
  async awaitAnswers(approval: string, options: WaitOptions): Promise<Decision[] | undefined> {
    const { seconds, signal } = options;
    const path = `/v1/approvals/${segment(approval)}`;
    const until = performance.now() + seconds * 1000;
    for (let left = seconds; left > 0; left = (until - performance.now()) / 1000) {
      const wait = Math.min(Math.max(Math.trunc(left), 1), LONGEST_WAIT);
      const found = (await this.#remit.send({ method: "GET", path: `${path}?wait=${wait}` }, { signal })) as Approval;
      if (found.state !== "pending") {
        return used(await this.#remit.send({ method: "POST", path: `${path}/use`, exactly: true }, { signal }));
      }
    }
    return undefined;
  }

  /** Closes a question whose answer nobody waits for; one that is settled stays as it is. */
  async withdraw(approval: string, options: Aborted = {}): Promise<Approval> {
    return (await this.#remit.send({ method: "POST", path: `/v1/approvals/${segment(approval)}/withdraw` }, options)) as Approval;
  }

  /**
   * The last decision on a call, with the places that its arguments came from. Their text
   * may be an attacker's: never show it raw.
   */
  async explain(call: string, options: Aborted = {}): Promise<Explanation> {
    return (await this.#get(`/decisions/${segment(call)}/explanation`, options)) as Explanation;
  }

  /** Ends the session, for every enforcement point. */
  async end(options: Aborted = {}): Promise<void> {
    await this.#post("/end", undefined, options);
  }

  #get(path: string, options: Aborted): Promise<unknown> {
    return this.#remit.send({ method: "GET", path: this.#path + path }, options);
  }

  #post(path: string, body: unknown, options: Aborted, exactly = false): Promise<unknown> {
    return this.#remit.send({ method: "POST", path: this.#path + path, body, exactly }, options);
  }
}

async function find(lookUp: LookUp, id: string, server: string, tool: string, args: Record<string, unknown>, signal: AbortSignal | undefined): Promise<LookupResult> {
  try {
    return looked(id, await lookUp(server, tool, args, { signal }));
  } catch (error) {
    signal?.throwIfAborted();
    return unlooked(id, error);
  }
}

/**
 * An event with the texts that reach a model: halves of surrogate pairs, which a tool may
 * cut a text into, are sent to no model as they are either.
 */
function wellFormed(event: Event): Event {
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [name, typeof value === "string" && name !== "call" ? value.toWellFormed() : value])) as Event;
}
