import { BadAnswer, RemitError } from "./errors.js";
import type { components } from "./openapi.js";

type Schemas = components["schemas"];

/** The answer to a call: only `allow` lets it run. */
export type Verdict = Schemas["Decision"]["verdict"];
/** One reason why a call was not simply allowed. */
export type Reading = Schemas["Reading"];
export type Reason = Schemas["Reason"];
/** What is known about one leaf of the arguments. */
export type Finding = Schemas["Finding"];
/** A session as the server lists it. */
export type SessionInfo = Schemas["Session"];
/** The tools of a server: in the form of MCP, OpenAI or OpenAPI. */
export type ToolSet = NonNullable<Schemas["NewSession"]["tools"]>[number];
/** A scope: what a turn of the user's authorises. */
export type Scope = Schemas["NewScope"]["scope"];
/** What the user's last turn authorises, or why it has no scope. */
export type TurnScope = Schemas["TurnScope"];
/** A source whose instructions the user told the agent to follow, with the plan made of it. */
export type Delegation = Schemas["Delegation"];
/** A question to a person, with what became of it. */
export type Approval = Schemas["Approval"];
/** A decision whose findings say where the arguments came from. Never show its text raw. */
export type Explanation = Schemas["Explanation"];
/** What a rule needs a tool that only reads to be called for. */
export type Lookup = Schemas["Lookup"];
/** The result of a look-up, as it is sent. */
export type LookupResult = Schemas["LookupResults"][number];
/** What the model sees, in the form of the session protocol's lines. */
export type Event = Schemas["Event"];
/** How far an approval reaches. */
export type Extent = NonNullable<Schemas["Answer"]["for"]>;

/** The arguments of a call, or the text that the model wrote for them. */
export type Arguments = Record<string, unknown> | string;

/** One of several calls that are decided in one request. */
export interface ProposedCall {
  server: string;
  tool: string;
  arguments: Arguments;
  /** Names the call within its session; one is made when it is left out. */
  call?: string | undefined;
}

/**
 * Makes a look-up: gets the server, the tool and the arguments, and returns what the tool
 * returned, a text or JSON. Whatever it throws says that there is no result. The model must
 * see nothing of it.
 */
export type LookUp = (server: string, tool: string, args: Record<string, unknown>, options: Aborted) => unknown;

/** What can be given up. */
export interface Aborted {
  /** Gives the request up. What is thrown then is the signal's reason. */
  signal?: AbortSignal | undefined;
}

function isVerdict(value: unknown): value is Verdict {
  return value === "allow" || value === "ask" || value === "deny";
}

/** The answer to one proposed call. */
export class Decision {
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  readonly verdict: Verdict;
  /** Forward these, not what the model wrote. */
  readonly arguments: Record<string, unknown>;
  readonly reasons: readonly Reason[];
  readonly findings: readonly Finding[];
  readonly confirmed: boolean;
  /** What to tell the model instead of a result; empty when allowed. */
  readonly explanation: string;

  private constructor(data: Record<string, unknown>, verdict: Verdict, args: Record<string, unknown>) {
    this.session = text(data, "session");
    this.call = text(data, "call");
    this.tool = text(data, "tool");
    this.verdict = verdict;
    this.arguments = args;
    this.reasons = list(data["reasons"]);
    this.findings = list(data["findings"]);
    this.confirmed = data["confirmed"] === true;
    this.explanation = typeof data["explanation"] === "string" ? data["explanation"] : "";
  }

  /** Whether the call may run. */
  get allowed(): boolean {
    return this.verdict === "allow";
  }

  /** Reads a decision. What has no known verdict is an error, never allowed. */
  static of(data: unknown): Decision {
    if (!isObject(data) || !isVerdict(data["verdict"])) throw new BadAnswer("the answer has no verdict");
    const args = data["arguments"] ?? {};
    if (!isObject(args)) throw new BadAnswer("the decision's arguments are no object");
    return new Decision(data, data["verdict"], args);
  }
}

/** A call was stopped: the message is the explanation, which the model is to read. */
export class Denied extends RemitError {
  override name = "Denied";

  constructor(readonly decision: Decision) {
    super(decision.explanation || `Remit answered ${decision.verdict}: the call did not run.`);
  }
}

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(data: Record<string, unknown>, name: string): string {
  const value = data[name];
  if (typeof value !== "string") throw new BadAnswer(`the decision has no ${name}`);
  return value;
}

function list<T>(value: unknown): T[] {
  return Array.isArray(value) ? (value as T[]) : [];
}
