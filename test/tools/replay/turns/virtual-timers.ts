import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";

interface VirtualTimer {
  dueAt: number;
  delayMs: number;
  repeats: boolean;
  invocation: number;
  run(): void;
}

/** The idle turns of the event loop after which nothing but a timer can go on. */
const idleTurns = 3;

const real = { setImmediate };

/**
 * Timers that take no time: if the invocation waits for nothing else, the next one fires, and the
 * clock moves to its time. Timers that an earlier invocation left never move the clock.
 */
export class VirtualTimers {
  readonly #clock: { now(): number; moveTo(time: number): void };
  readonly #isBusy: () => boolean;
  readonly #timers = new Set<VirtualTimer>();
  #invocation = 0;
  #isRunning = false;
  #looks = 0;

  constructor(clock: { now(): number; moveTo(time: number): void }, isBusy: () => boolean) {
    this.#clock = clock;
    this.#isBusy = isBusy;
    this.#install();
  }

  begin(): void {
    this.#invocation += 1;
    this.#isRunning = true;
    this.#fireDue();
    this.look();
  }

  end(): void {
    this.#isRunning = false;
  }

  /** Fires the next timer if nothing else happens. */
  look(): void {
    this.#looks += 1;
    const look = this.#looks;
    const wait = (turns: number) => {
      if (look !== this.#looks || !this.#isRunning || this.#isBusy()) return;
      if (turns > 0) real.setImmediate(() => wait(turns - 1));
      else if (isThreadPoolBusy()) this.look();
      else this.#fireNext();
    };
    wait(idleTurns);
  }

  #fireNext(): void {
    const own = [...this.#timers].filter(({ invocation }) => invocation === this.#invocation);
    if (own.length === 0) return;
    this.#clock.moveTo(own.reduce((least, { dueAt }) => Math.min(least, dueAt), Number.POSITIVE_INFINITY));
    this.#fireDue();
    this.look();
  }

  #fireDue(): void {
    const now = this.#clock.now();
    const due = [...this.#timers].filter(({ dueAt }) => dueAt <= now).sort((a, b) => a.dueAt - b.dueAt);
    for (const timer of due) {
      if (!this.#timers.delete(timer)) continue;
      if (timer.repeats) this.#add(timer);
      timer.run();
    }
  }

  #add(timer: Omit<VirtualTimer, "dueAt" | "invocation">): VirtualTimer {
    const dueAt = this.#clock.now() + Math.max(1, timer.delayMs);
    const added = Object.assign(timer, { dueAt, invocation: this.#invocation });
    this.#timers.add(added);
    if (this.#isRunning) this.look();
    return added;
  }

  #install(): void {
    const set =
      (repeats: boolean) =>
      (run: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]) => {
        const timer = this.#add({ delayMs, repeats, run: () => run(...args) });
        return handle(() => void this.#timers.delete(timer));
      };
    const clear = (timer: { close?(): void } | undefined) => timer?.close?.();
    const own = {
      setTimeout: set(false),
      setInterval: set(true),
      clearTimeout: clear,
      clearInterval: clear,
    };
    Object.assign(globalThis, own);
    Object.assign(timers, own);
    syncBuiltinESMExports();
    AbortSignal.timeout = (delayMs) => {
      const controller = new AbortController();
      own.setTimeout(
        () => controller.abort(new DOMException("The operation timed out", "TimeoutError")),
        delayMs,
      );
      return controller.signal;
    };
  }
}

/** Such as with a hash. */
function isThreadPoolBusy(): boolean {
  return process.getActiveResourcesInfo().some((name) => /Req(uest|Promise|Callback|Wrap)?$/i.test(name));
}

/** As `setTimeout` returns it. */
function handle(close: () => void) {
  const self = {
    ref: () => self,
    unref: () => self,
    hasRef: () => true,
    refresh: () => self,
    close,
    [Symbol.dispose]: close,
  };
  return self;
}
