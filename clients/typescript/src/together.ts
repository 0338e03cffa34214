import { RemitError } from "./errors.js";
import type { Decision } from "./models.js";
import type { Session, WaitOptions } from "./session.js";
import { pause } from "./wire.js";

/** How long the first call of a question waits for others, in milliseconds: nothing to a person. */
const MOMENT = 200;
/** How many calls a question may have. */
const MOST = 16;

/** A call that was held back, and what it is made with. */
export interface Held {
  decision: Decision;
  /** Names the model's message, and how many calls that has. */
  message?: string | undefined;
  among?: number | undefined;
}

/** A question in the making. */
class Batch {
  readonly calls: string[] = [];
  isFull = false;
  readonly full: Promise<void>;
  readonly answers: Promise<Map<string, Decision>>;
  fill!: () => void;
  answer!: (found: Map<string, Decision>) => void;
  fail!: (error: unknown) => void;

  constructor() {
    this.full = new Promise((resolve) => {
      this.fill = () => {
        this.isFull = true;
        resolve();
      };
    });
    this.answers = new Promise((resolve, reject) => {
      this.answer = resolve;
      this.fail = reject;
    });
    // Who made it hears of a failure, also where nobody else waits.
    this.answers.catch(() => undefined);
  }
}

/** Gathers the calls of a message that are held back, and asks once for all of them. */
export class Together {
  readonly #open = new Map<string, Batch>();
  /** How many calls of each message are being decided. */
  readonly #deciding = new Map<string, number>();

  /** Decides a call of a message: the question of its message waits for that. */
  async deciding(session: Session, message: string, decide: () => Promise<Decision>): Promise<Decision> {
    const key = JSON.stringify([session.id, message]);
    this.#deciding.set(key, (this.#deciding.get(key) ?? 0) + 1);
    try {
      return await decide();
    } finally {
      const left = (this.#deciding.get(key) ?? 1) - 1;
      if (left > 0) this.#deciding.set(key, left);
      else this.#deciding.delete(key);
    }
  }

  /** Asks about a call and those that are held back beside it, and returns what holds. */
  async ask(session: Session, held: Held, seconds: number, signal?: AbortSignal): Promise<Decision> {
    const { decision, message, among = 1 } = held;
    const key = JSON.stringify([session.id, message ?? decision.call]);
    const open = this.#open.get(key);
    const batch = open ?? new Batch();
    batch.calls.push(decision.call);
    this.#open.set(key, batch);
    if (batch.calls.length >= Math.min(message ? among : 1, MOST)) this.#shut(key, batch);
    if (open) return (await abortable(batch.answers, signal)).get(decision.call) ?? decision;
    try {
      do await Promise.race([batch.full, pause(MOMENT, signal)]);
      while (!batch.isFull && this.#deciding.has(key));
      this.#shut(key, batch);
      const asked = await session.ask(batch.calls, { signal });
      const found = (await answers(session, asked.id, { seconds, signal })) ?? [];
      batch.answer(new Map(found.map((one) => [one.call, one])));
    } catch (error) {
      this.#shut(key, batch);
      batch.fail(error instanceof RemitError ? error : new RemitError("the call that asked was given up", { cause: error }));
      throw error;
    }
    return (await batch.answers).get(decision.call) ?? decision;
  }

  #shut(key: string, batch: Batch): void {
    if (this.#open.get(key) === batch) this.#open.delete(key);
    batch.fill();
  }
}

/** The answers of a person; a question whose caller leaves without one is withdrawn. */
async function answers(session: Session, approval: string, options: WaitOptions): Promise<Decision[] | undefined> {
  let found: Decision[] | undefined;
  try {
    found = await session.awaitAnswers(approval, options);
  } catch (error) {
    await session.withdraw(approval).catch(() => undefined);
    throw error;
  }
  const answered = !found && (await session.withdraw(approval, { signal: options.signal })).state !== "cancelled";
  return answered ? session.awaitAnswers(approval, options) : found; // somebody was quicker
}

/** A promise, unless it is given up. */
async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const given = () => reject(signal.reason);
    signal.addEventListener("abort", given, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", given));
  });
}
