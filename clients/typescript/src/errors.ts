/** Why there is no answer that lets anything run: the base of all that this package throws. */
export class RemitError extends Error {
  override name = "RemitError";
}

/** The server could not be reached, or its answer not be read. The cause is fetch's error. */
export class Unreachable extends RemitError {
  override name = "Unreachable";
}

/** An agent asks about a call before its conversation was begun. */
export class NoSession extends RemitError {
  override name = "NoSession";
}

/** The server's answer is not what its description says. */
export class BadAnswer extends RemitError {
  override name = "BadAnswer";
}

/** What was to be sent can't be: the arguments of a call are no JSON, a name is no name. */
export class BadRequest extends RemitError {
  override name = "BadRequest";
}

/** Why a request was not carried out (RFC 9457). A call that it is about must not run. */
export class Problem extends RemitError {
  override name = "Problem";

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** The end of the problem's type, such as `session-ended`; empty when it has none. */
    readonly kind: string,
    readonly title: string,
    readonly detail: string,
  ) {
    super(detail ? `${title}: ${detail}` : title);
  }
}
