import { BadAnswer, BadRequest, Problem, Unreachable } from "./errors.js";
import { parseExactly } from "./json.js";
import { Decision, isObject, type Lookup, type LookupResult, type ProposedCall } from "./models.js";

/** How often a request is sent that got no answer, or was told to come back: over some six seconds, in which a server starts again. */
export const ATTEMPTS = 6;
/** The longest that is waited in between, in milliseconds. */
const LONGEST_PAUSE = 2_000;
/** How long an answer may take, in milliseconds: longer than the longest wait for a person. */
const TIMEOUT = 100_000;
/** The longest that one request waits for a person's answer, in seconds. */
export const LONGEST_WAIT = 60;
/** How often look-ups are made for one decision: each may depend on those before. */
export const ROUNDS = 8;

const TYPE = "urn:remit:problem:";
const AGAIN: readonly string[] = ["unavailable", "too-many"];

/** A request. Sent again, it has the same key, and is carried out once. */
export interface Request {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
  /** The answer has arguments that will run: numbers are read to the last digit. */
  exactly?: boolean;
}

/** Where requests go. */
export interface Target {
  url: string;
  token: string;
  fetch: typeof fetch;
  attempts: number;
}

/** Sends a request until it is answered, or not worth trying any more. */
export async function send(to: Target, request: Request, signal: AbortSignal | undefined): Promise<unknown> {
  const key = crypto.randomUUID();
  const body = written(request);
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted();
    let failed: Problem | Unreachable;
    try {
      return await once(to, request, body, key, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
      failed = error;
    }
    const again = failed instanceof Unreachable || AGAIN.includes(failed.kind);
    if (!again || attempt + 1 >= to.attempts) throw failed;
    await pause(Math.min(100 * 4 ** attempt, LONGEST_PAUSE), signal);
  }
}

function written(request: Request): string | undefined {
  try {
    return request.body === undefined ? undefined : JSON.stringify(request.body);
  } catch (cause) {
    throw new BadRequest("the request is no JSON", { cause });
  }
}

async function once(to: Target, request: Request, body: string | undefined, key: string, signal: AbortSignal | undefined): Promise<unknown> {
  const limit = AbortSignal.timeout(TIMEOUT);
  const headers: Record<string, string> = { Authorization: `Bearer ${to.token}`, Accept: "application/json, application/problem+json" };
  if (request.method === "POST") headers["Idempotency-Key"] = key;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  let text: string;
  try {
    response = await to.fetch(to.url + request.path, {
      method: request.method,
      headers,
      body: body ?? null,
      // A decision comes from the server that was named, and from no other.
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    text = await response.text();
  } catch (cause) {
    throw new Unreachable(`the server gave no answer: ${describe(cause)}`, { cause });
  }
  return read(response, text, request.exactly ? parseExactly : JSON.parse);
}

/** Reads an answer: JSON, nothing, or the problem that it is. */
function read(response: Response, text: string, parse: (text: string) => unknown): unknown {
  if (response.status === 204) return undefined;
  let data: unknown;
  try {
    data = parse(text);
  } catch (error) {
    if (error instanceof BadAnswer) throw error;
  }
  if (response.ok && isObject(data)) return data;
  const problem = isObject(data) ? data : {};
  const said = (name: string) => (typeof problem[name] === "string" ? problem[name] : "");
  const type = said("type");
  const kind = type.startsWith(TYPE) ? type.slice(TYPE.length) : "";
  throw new Problem(response.status, kind, said("title") || "the server's answer is not understood", said("detail"));
}

/** What an error says, with what fetch hides in its cause. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message || error.cause.name}` : error.message || error.name;
}

/** Waits, unless it is given up. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      signal?.removeEventListener("abort", given);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    const given = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted) given();
    else signal?.addEventListener("abort", given, { once: true });
  });
}

/** A text as one segment of a path. */
export function segment(text: string): string {
  if (text === "" || text === "." || text === "..") throw new BadRequest(`${JSON.stringify(text)} names nothing`);
  return encodeURIComponent(text.toWellFormed());
}

/** The look-ups that an answer asks for instead of a decision. */
export function asked(answer: Record<string, unknown>): Lookup[] {
  if ("verdict" in answer || !Array.isArray(answer["lookups"])) return [];
  return answer["lookups"] as Lookup[];
}

/** What a look-up returned. */
export function looked(id: string, returned: unknown): LookupResult {
  return typeof returned === "string" ? { id, content: returned.toWellFormed() } : { id, structured: returned ?? null };
}

/** Why a look-up has no result. */
export function unlooked(id: string, error: unknown): LookupResult {
  return { id, error: describe(error) || "it failed" };
}

/** The decisions on several calls, each with the call that it is about. */
export function evaluated(answer: unknown, session: string, calls: readonly ProposedCall[]): Decision[] {
  const found = isObject(answer) ? answer["evaluations"] : undefined;
  if (!Array.isArray(found) || found.length !== calls.length) throw new BadAnswer(`the server answered ${calls.length} calls with another number of decisions`);
  return calls.map(({ tool, call }, i) => {
    const one: unknown = found[i];
    const context = isObject(one) ? one["context"] : undefined;
    if (!isObject(context)) throw new BadAnswer("the answer has no decision");
    const decision = Decision.of({ ...context, session, tool });
    if (call !== undefined && decision.call !== call) throw new BadAnswer("the server's decisions are in another order than the calls");
    return decision;
  });
}

/** What holds after an answer, for each call of its question. */
export function used(answer: unknown): Decision[] {
  const found = isObject(answer) && "decisions" in answer ? answer["decisions"] : [answer];
  if (!Array.isArray(found) || found.length === 0) throw new BadAnswer("the server answered a question with no decisions");
  return found.map((one) => Decision.of(one));
}
