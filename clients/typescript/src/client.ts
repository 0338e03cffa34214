import { BadRequest, Problem } from "./errors.js";
import type { Aborted, Approval, Extent, SessionInfo, ToolSet } from "./models.js";
import { Session } from "./session.js";
import { ATTEMPTS, type Request, segment, send, type Target } from "./wire.js";

/** How a client reaches its server. */
export interface RemitOptions {
  /** What sends requests instead of the global `fetch`: a proxy, client certificates. */
  fetch?: typeof fetch;
  /** How often a request is sent that gets no answer; 6, over some six seconds, when it is left out. */
  attempts?: number;
}

/** What a session is begun with. */
export interface SessionOptions extends Aborted {
  /** The session's id; one is made when it is left out. A session of that id is joined. */
  id?: string | undefined;
  /** The tools count when the session is begun, and are kept with it. */
  tools?: ToolSet[] | undefined;
  /**
   * True when not everything that the model sees is passed on (memory, retrieved text,
   * other agents): what nothing explains is external then.
   */
  unseenUser?: boolean | undefined;
}

/** An answer to a question. */
export interface AnswerOptions extends Aborted {
  approve: boolean;
  /** The calls that an approval is for: a question about several calls needs them. */
  calls?: readonly string[];
  /** `once` for the call alone, `session` (the default), or `always`, which several calls can't have. */
  extent?: Extent;
  /** For the record. */
  why?: string;
}

/** A connection to `remit serve`. */
export class Remit {
  readonly #target: Target;

  /** Makes a client for a server and a token of `remit token new`. */
  constructor(url: string, token: string, options: RemitOptions = {}) {
    if (!URL.canParse(url)) throw new BadRequest(`${JSON.stringify(url)} is no URL of a server`);
    if (!/^[!-~]+$/.test(token)) throw new BadRequest("that is no token: make one with remit token new");
    this.#target = { url: url.replace(/\/+$/, ""), token, fetch: options.fetch ?? ((input, init) => fetch(input, init)), attempts: options.attempts ?? ATTEMPTS };
  }

  /** Sends a request until it is answered, or not worth trying any more. */
  async send(request: Request, options: Aborted = {}): Promise<unknown> {
    return send(this.#target, request, options.signal);
  }

  /** Begins a session, or joins the one of that id. */
  async session(options: SessionOptions = {}): Promise<Session> {
    const { id, tools, unseenUser, signal } = options;
    const body = { ...(id !== undefined && { id }), ...(tools?.length && { tools }), ...(unseenUser !== undefined && { unseen_user: unseenUser }) };
    let info: unknown;
    try {
      info = await this.send({ method: "POST", path: "/v1/sessions", body }, { signal });
    } catch (problem) {
      if (id === undefined || !(problem instanceof Problem) || problem.kind !== "session-exists") throw problem;
      info = await this.send({ method: "GET", path: `/v1/sessions/${segment(id)}` }, { signal });
    }
    return new Session(this, (info as SessionInfo).id);
  }

  /** The questions that wait, oldest first. */
  async pending(options: Aborted = {}): Promise<Approval[]> {
    const found: Approval[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const query: string = cursor && `?cursor=${encodeURIComponent(cursor)}`;
      const page = (await this.send({ method: "GET", path: `/v1/approvals${query}` }, options)) as { approvals: Approval[]; next?: string };
      found.push(...page.approvals);
      cursor = page.next || undefined;
    }
    return found;
  }

  /** Answers a question. Never give an agent a token that may: it could approve its own calls. */
  async answer(approval: string, options: AnswerOptions): Promise<Approval> {
    const { approve, calls, extent = "session", why = "", signal } = options;
    const body = { answer: approve ? "approve" : "deny", for: extent, why, ...(calls?.length && { calls }) };
    return (await this.send({ method: "POST", path: `/v1/approvals/${segment(approval)}/answer`, body }, { signal })) as Approval;
  }
}
