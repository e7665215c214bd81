import { randomUUID } from "node:crypto";
import type { Writable } from "node:stream";
import { ExecutionEnvironment, type FunctionSettings } from "./execution-environment.ts";
import { InvocationRefused, type InvokeResult } from "./interfaces.ts";

/** A bound for one machine; AWS's own is the account's. Invocations over it wait for a free environment. */
const MAXIMUM_ENVIRONMENTS = 10;

const GROW_AFTER_MS = 50;

interface Waiting {
  start: (environment: ExecutionEnvironment) => void;
  refuse: (error: Error) => void;
}

/** The execution environments of one function. Idle ones stay warm; a new one starts only when none is free. */
export class FunctionPool {
  readonly settings: FunctionSettings;
  readonly #clockOffset: SharedArrayBuffer;
  readonly #log: Writable;
  readonly #environments = new Set<ExecutionEnvironment>();
  readonly #idle: ExecutionEnvironment[] = [];
  readonly #waiting: Waiting[] = [];
  #inFlight = 0;
  #isStarting = false;
  #isClosed = false;

  constructor(settings: FunctionSettings, clockOffset: SharedArrayBuffer, log: Writable) {
    this.settings = settings;
    this.#clockOffset = clockOffset;
    this.#log = log;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /**
   * Runs one invocation; with `killAfterMs` it is killed where it runs for longer. Errors: InvocationRefused where the reserved concurrency is used
   * up or the platform stops.
   */
  async invoke(
    event: string,
    killAfterMs?: number,
  ): Promise<{ requestId: string; result: InvokeResult; isKilled: boolean }> {
    const { reservedConcurrency } = this.settings;
    if (reservedConcurrency !== undefined && this.#inFlight >= reservedConcurrency) {
      throw new InvocationRefused("TooManyRequestsException", "Rate Exceeded.");
    }
    this.#inFlight += 1;
    try {
      const environment = await this.#acquire();
      const requestId = randomUUID();
      let isKilled = false;
      const kill = () => {
        isKilled = true;
        environment.kill();
      };
      const timer = killAfterMs === undefined ? undefined : setTimeout(kill, killAfterMs);
      try {
        const result = await environment.invoke(requestId, event);
        return { requestId, result, isKilled };
      } finally {
        clearTimeout(timer);
        this.#release(environment);
      }
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** Loads the code into one environment ahead of the first invocation. */
  async warmUp(): Promise<void> {
    if (this.#environments.size === 0) this.#release(await this.#acquire());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { refuse } of this.#waiting.splice(0)) refuse(stopping());
    await Promise.all([...this.#environments].map((environment) => environment.stop()));
  }

  #acquire(): Promise<ExecutionEnvironment> {
    if (this.#isClosed) return Promise.reject(stopping());
    const idle = this.#takeIdle();
    if (idle !== undefined) return Promise.resolve(idle);
    return new Promise((start, refuse) => {
      this.#waiting.push({ start, refuse });
      this.#startOne();
    });
  }

  /** The warm environment used last; one that broke while it was idle is dropped. */
  #takeIdle(): ExecutionEnvironment | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (!idle.isBroken) return idle;
      this.#environments.delete(idle);
    }
    return undefined;
  }

  /**
   * The first environment starts at once, a further one when an invocation has waited for longer than a short run takes, and
   * one at a time: a burst on two cores is served sooner by a few warm environments than by ten that load.
   */
  #startOne(): void {
    if (this.#isStarting || this.#isClosed || this.#environments.size >= MAXIMUM_ENVIRONMENTS) return;
    this.#isStarting = true;
    if (this.#environments.size === 0) this.#start();
    else
      setTimeout(
        () => (this.#waiting.length > 0 && !this.#isClosed ? this.#start() : this.#started()),
        GROW_AFTER_MS,
      );
  }

  #start(): void {
    const environment = new ExecutionEnvironment(this.settings, this.#clockOffset, this.#log);
    this.#environments.add(environment);
    void environment.initialize().then(() => {
      this.#offer(environment);
      this.#started();
    });
  }

  #started(): void {
    this.#isStarting = false;
    if (this.#waiting.length > 0) this.#startOne();
  }

  #release(environment: ExecutionEnvironment): void {
    if (environment.isBroken) {
      this.#environments.delete(environment);
      if (this.#waiting.length > 0) this.#startOne();
    } else {
      this.#offer(environment);
    }
  }

  #offer(environment: ExecutionEnvironment): void {
    const next = this.#waiting.shift();
    // An environment that failed to load still answers one invocation, with its error; idle it would be of no use.
    if (next !== undefined) next.start(environment);
    else if (environment.isBroken) this.#environments.delete(environment);
    else this.#idle.push(environment);
  }
}

function stopping(): Error {
  return new InvocationRefused("TooManyRequestsException", "The platform is stopping.");
}
