import { setImmediate as turn } from "node:timers/promises";
import { type StateFile, stateFile } from "./files.ts";
import type { Clock } from "./interfaces.ts";
import { readSharedTime } from "./moved-date.ts";

/** A part with its own timers, such as the queue engine with its invisible messages. */
export interface TimedPart {
  nextDueAt(): Promise<number | undefined>;
  wake(): Promise<void>;
}

interface Timer {
  dueAt: number;
  run(): void | Promise<void>;
  /** During an advance: the time before which the timer has nothing to do. */
  idleUntil?(): number;
}

const longestTimeoutMs = 3_600_000;
const advanceTimeoutMs = 120_000;

/** The clock stopped before its target. The caller can request the rest. */
export class AdvanceUnfinished extends Error {
  readonly leftMs: number;

  constructor(leftMs: number, reason: string) {
    const left = `${Math.ceil(leftMs / 1000)} s of the advance are left: ask for them again`;
    super(
      `${reason}. ${leftMs > 0 ? left : "The clock has reached its target, but what fell due still runs"}`,
    );
    this.leftMs = leftMs;
  }
}

/**
 * Real time plus an offset that survives restarts. An advance runs what falls due, in order. A held
 * clock moves by advances only, and keeps nothing.
 */
export class VirtualClock implements Clock {
  readonly sharedOffset = new SharedArrayBuffer(16);
  readonly #shared = new BigInt64Array(this.sharedOffset);
  readonly #state: StateFile<{ offsetMs: number }>;
  readonly #timers = new Set<Timer>();
  #part: TimedPart | undefined;
  #settled: () => Promise<void> = async () => undefined;
  #advances: Promise<void> = Promise.resolve();
  #advancing = 0;
  #timeout: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(file: string, heldAt = 0) {
    this.#state = stateFile(file);
    this.#shared[0] = BigInt(this.#state.read({ offsetMs: 0 }).offsetMs);
    this.#shared[1] = BigInt(heldAt);
  }

  now(): number {
    return readSharedTime(this.#shared, Date.now());
  }

  get offsetMs(): number {
    return Number(Atomics.load(this.#shared, 0));
  }

  get isHeld(): boolean {
    return Atomics.load(this.#shared, 1) !== 0n;
  }

  at(dueAt: number, run: Timer["run"], idleUntil?: Timer["idleUntil"]): () => void {
    const timer: Timer = { dueAt, run, ...(idleUntil && { idleUntil }) };
    this.#timers.add(timer);
    this.#arm();
    return () => {
      this.#timers.delete(timer);
      this.#arm();
    };
  }

  /** Resolves after a virtual delay, or at once if the signal aborts. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = (): void => {
        cancel();
        signal.removeEventListener("abort", done);
        resolve();
      };
      const cancel = this.at(this.now() + delayMs, done);
      signal.addEventListener("abort", done);
    });
  }

  addPart(part: TimedPart): void {
    this.#part = part;
  }

  settleWith(settled: () => Promise<void>): void {
    this.#settled = settled;
  }

  /**
   * Moves the clock forward, from one due time to the next, waiting at each until nothing runs.
   * Advances run one after the other. Throws AdvanceUnfinished after `timeoutMs` of real time.
   */
  advance(ms: number, timeoutMs = advanceTimeoutMs): Promise<void> {
    const advanced = this.#advances.then(async () => {
      this.#advancing += 1;
      this.#arm();
      try {
        await this.#advanceTo(this.now() + ms, performance.now() + timeoutMs);
      } finally {
        this.#advancing -= 1;
        this.#arm();
      }
    });
    this.#advances = advanced.catch(() => undefined);
    return advanced;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timeout);
    this.#timers.clear();
  }

  async #advanceTo(target: number, until: number): Promise<void> {
    const unfinished = (reason: string) => new AdvanceUnfinished(Math.max(0, target - this.now()), reason);
    const atRest = async () => {
      await this.#settled().catch((error: Error) => {
        throw unfinished(error.message);
      });
    };
    await atRest();
    for (;;) {
      const dueAt = await this.nextDueAt();
      const last = dueAt > target;
      if (!last && performance.now() > until) throw unfinished("The advance took too long");
      this.#moveTo(Math.min(dueAt, target));
      // Skipped timers run at the end.
      await this.#runDue(Math.min(this.now(), target), last ? undefined : movedDueAt);
      await this.#part?.wake();
      // Work that waited for this time starts in the next turns.
      await turn();
      await atRest();
      if (last) return;
    }
  }

  /** Infinity if nothing is planned. */
  async nextDueAt(): Promise<number> {
    const due = (await this.#part?.nextDueAt()) ?? Number.POSITIVE_INFINITY;
    return [...this.#timers].map(movedDueAt).reduce((least, at) => Math.min(least, at), due);
  }

  /** Saves the offset before it takes effect, so that time never goes back after a restart. */
  #moveTo(time: number): void {
    const missingMs = time - this.now();
    if (missingMs <= 0) return;
    if (this.isHeld) return void Atomics.store(this.#shared, 1, BigInt(time));
    const offsetMs = this.offsetMs + missingMs;
    this.#state.write({ offsetMs });
    Atomics.store(this.#shared, 0, BigInt(offsetMs));
  }

  /** Runs timers one after the other, so that each sees the effects of earlier ones. */
  async #runDue(until: number, dueAt?: (timer: Timer) => number): Promise<void> {
    for (const timer of this.#takeDue(until, dueAt)) await runSafely(timer);
  }

  #takeDue(until: number, dueAt = (timer: Timer) => timer.dueAt): Timer[] {
    const due = [...this.#timers].filter((timer) => dueAt(timer) <= until);
    for (const timer of due) this.#timers.delete(timer);
    return due.sort((a, b) => a.dueAt - b.dueAt);
  }

  #arm(): void {
    clearTimeout(this.#timeout);
    if (this.#stopped || this.isHeld || this.#advancing > 0 || this.#timers.size === 0) return;
    const delayMs = Math.min(...[...this.#timers].map((timer) => timer.dueAt)) - this.now();
    this.#timeout = setTimeout(
      () => {
        for (const timer of this.#takeDue(this.now())) void runSafely(timer);
        this.#arm();
      },
      Math.min(Math.max(delayMs, 0), longestTimeoutMs),
    );
  }
}

function movedDueAt({ dueAt, idleUntil }: Timer): number {
  return Math.max(dueAt, idleUntil?.() ?? dueAt);
}

async function runSafely(timer: Timer): Promise<void> {
  try {
    await timer.run();
  } catch (error) {
    console.error(error);
  }
}
