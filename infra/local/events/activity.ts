import { setTimeout as delay } from "node:timers/promises";

/** Whether a part holds something that it will set in motion by itself, at once. */
export type Pending = () => Promise<boolean> | boolean;

const PATIENCE_MS = 60_000;

/** Something keeps moving, such as a function that waits for a receiver which never answers. */
class StillInMotion extends Error {
  constructor(what: readonly string[]) {
    super(`Still in motion after ${PATIENCE_MS / 1000} s: ${[...new Set(what)].join(", ")}`);
  }
}

/** What is in motion, so that the clock can wait until everything has come to rest. */
export class Activity {
  readonly #running = new Map<symbol, string>();
  readonly #pending = new Map<string, Pending>();
  #started = 0;

  /** Something starts. Gives the way to say that it has ended. */
  begin(name: string): () => void {
    const key = Symbol(name);
    this.#running.set(key, name);
    this.#started += 1;
    return () => void this.#running.delete(key);
  }

  async track<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const end = this.begin(name);
    try {
      return await work();
    } finally {
      end();
    }
  }

  addPending(name: string, pending: Pending): void {
    this.#pending.set(name, pending);
  }

  /** Resolves when nothing runs and nothing is about to. Errors: StillInMotion, after a minute. */
  async settled(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const started = this.#started;
      const busy = await this.#busy();
      if (busy.length === 0 && this.#running.size === 0 && this.#started === started) return;
      if (performance.now() > deadline) {
        throw new StillInMotion([...busy, ...this.#running.values()]);
      }
      await delay(1);
    }
  }

  async #busy(): Promise<string[]> {
    if (this.#running.size > 0) return [...this.#running.values()];
    const asked = [...this.#pending].map(async ([name, pending]) => ((await pending()) ? [name] : []));
    return (await Promise.all(asked)).flat();
  }
}
