import { setTimeout as sleep } from "node:timers/promises";
import { logMeasured } from "../shared/platform/metrics.ts";

const reportMs = 60_000;

/** Counts messages, and reports them once a minute: also none, which is how silence is heard. */
export class Traffic {
  #received = 0;
  readonly #stopped = new AbortController();

  readonly #reporting: Promise<void>;

  constructor(everyMs = reportMs) {
    this.#reporting = this.#keepReporting(everyMs);
  }

  count(messages: number): void {
    this.#received += messages;
  }

  /** Once it has reported what came since the last minute. */
  stop(): Promise<void> {
    this.#stopped.abort();
    return this.#reporting;
  }

  async #keepReporting(everyMs: number): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { ref: false, signal }).catch(() => {});
      const received = this.#received;
      this.#received = 0;
      logMeasured("Messages of the network.", {}, () => ({ MessagesReceived: received }));
    }
  }
}
