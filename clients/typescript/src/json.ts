import { BadAnswer, BadRequest } from "./errors.js";

/**
 * A value as JSON, which is what is decided and what runs: a `Map` or a function would
 * run unseen. Members without a value are left out, as JSON leaves them out.
 */
export function toJSON(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value, plain));
  } catch (cause) {
    throw cause instanceof BadRequest ? cause : new BadRequest("the arguments are no JSON", { cause });
  }
}

function plain(name: string, value: unknown): unknown {
  const bad = (what: string) => new BadRequest(`the arguments are no JSON: ${name || "they"} would be ${what}`);
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") throw bad(`a ${typeof value}`);
  if (typeof value === "number" && !Number.isFinite(value)) throw bad(String(value));
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const kind: unknown = Object.getPrototypeOf(value);
  if (kind !== null && Object.getPrototypeOf(kind) !== null) throw bad("an object of a class");
  return value;
}

/** Numbers and strings of a JSON text; what is in a string is no number. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
/** As many digits as every number of JavaScript's keeps. */
const KEPT = 15;

/**
 * Parses JSON, and refuses numbers that JavaScript would change: what runs is what was
 * decided, to the last digit of an account.
 */
export function parseExactly(text: string): unknown {
  for (const [token] of text.matchAll(TOKENS)) {
    if (!token.startsWith('"') && !keeps(token)) throw new BadAnswer(`JavaScript can't hold the number ${token}`);
  }
  return JSON.parse(text);
}

function keeps(token: string): boolean {
  const value = Number(token);
  const digits = token.replace(/[eE].*$/, "").replace(/\D/g, "").replace(/^0+|0+$/g, "");
  if (digits.length <= KEPT) return Number.isFinite(value) && (value !== 0 || digits === "");
  if (/^-?\d+$/.test(token)) return BigInt(token) === BigInt(value);
  return String(value) === token;
}
