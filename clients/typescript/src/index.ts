/**
 * Asks Remit before a tool call runs. Only a {@link Decision} whose `allowed` is true lets
 * a call run, with its `arguments`. Whatever is thrown is a refusal: a {@link RemitError},
 * or the reason of your own signal.
 */
export { Remit, type AnswerOptions, type RemitOptions, type SessionOptions } from "./client.js";
export { BadAnswer, BadRequest, NoSession, Problem, RemitError, Unreachable } from "./errors.js";
export { Decision, Denied } from "./models.js";
export type { Aborted, Approval, Arguments, Delegation, Event, Explanation, Extent, Finding, Lookup, LookUp, ProposedCall, Reading, Reason, Scope, SessionInfo, ToolSet, TurnScope, Verdict } from "./models.js";
export { Session, type CallOptions, type ResultOptions, type WaitOptions } from "./session.js";
export type { Request } from "./wire.js";
export type { components, operations, paths } from "./openapi.js";
