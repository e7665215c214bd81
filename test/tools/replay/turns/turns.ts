import type { VirtualClock } from "../../../../infra/local/clock.ts";
import { drawFromSeed } from "./drawn.ts";
import type { Outside, OutsideAnswer } from "./outside.ts";
import type { Write, WrittenRecords } from "./written.ts";

export interface TurnsOptions {
  seed: string;
  clock: VirtualClock;
  outside: Outside;
  written: Pick<WrittenRecords, "take">;
  /** Runs everything that the input has caused. */
  drain(): Promise<void>;
}

/** What an input did. */
export interface Turn {
  number: number;
  at: number;
  /** Table by table, in the order of their streams. */
  writes: readonly Write[];
  outside: readonly OutsideAnswer[];
}

/**
 * Runs one input at a time, with all that it causes. The clock is stopped while code runs, and what
 * is drawn depends on the seed and the turn's number: the same inputs write the same records.
 */
export class Turns {
  readonly #options: TurnsOptions;
  #last: Promise<unknown> = Promise.resolve();
  #number = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /**
   * First runs what is due at the time that `at` returns. `answer` settles before the turn ends:
   * the caller need not wait for what the input causes.
   */
  take<T>(
    at: (now: number) => number,
    run: (turn: Pick<Turn, "number" | "at">) => Promise<T>,
  ): { answer: Promise<T>; ended: Promise<Turn> } {
    const answer = Promise.withResolvers<T>();
    const ended = this.#last.then(async () => {
      const { clock, drain, outside, written, seed } = this.#options;
      this.#number += 1;
      const number = this.#number;
      const time = at(clock.now());
      drawFromSeed(`${seed}/${number}`);
      const answers = outside.beginTurn();
      await clock.advance(Math.max(0, time - clock.now()), Number.POSITIVE_INFINITY);
      await run({ number, at: time }).then(answer.resolve, answer.reject);
      await drain();
      return { number, at: time, writes: await written.take(), outside: answers };
    });
    // A failed turn leaves the platform in an unknown state: later ones fail too.
    this.#last = ended;
    ended.catch(answer.reject);
    return { answer: answer.promise, ended };
  }
}
