import { randomUUID } from "node:crypto";
import type { Writable } from "node:stream";
import { ExecutionEnvironment, type FunctionSettings } from "./execution-environment.ts";
import { InvocationRejected, type InvokeResult } from "./interfaces.ts";

/** Limit for one machine. Invocations beyond it wait for a free environment. */
const maximumEnvironments = 10;

const growAfterMs = 50;

interface Waiting {
  start: (environment: ExecutionEnvironment) => void;
  reject: (error: Error) => void;
}

/** A function's execution environments. Idle ones stay warm; a new one starts if none is free. */
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

  /** Throws InvocationRejected when the reserved concurrency is used up or the platform stops. */
  async invoke(
    event: string,
    killAfterMs?: number,
  ): Promise<{ requestId: string; result: InvokeResult; isKilled: boolean }> {
    const { reservedConcurrency } = this.settings;
    if (reservedConcurrency !== undefined && this.#inFlight >= reservedConcurrency) {
      throw new InvocationRejected("TooManyRequestsException", "Rate Exceeded.");
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

  async warmUp(): Promise<void> {
    if (this.#environments.size === 0) this.#release(await this.#acquire());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(stopping());
    await Promise.all([...this.#environments].map((environment) => environment.stop()));
  }

  #acquire(): Promise<ExecutionEnvironment> {
    if (this.#isClosed) return Promise.reject(stopping());
    const idle = this.#takeIdle();
    if (idle !== undefined) return Promise.resolve(idle);
    return new Promise((start, reject) => {
      this.#waiting.push({ start, reject });
      this.#startOne();
    });
  }

  /** Drops environments that failed while idle. */
  #takeIdle(): ExecutionEnvironment | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (!idle.isBroken) return idle;
      this.#environments.delete(idle);
    }
    return undefined;
  }

  /**
   * Starts one environment at once, and another whenever an invocation has waited. On two cores, a
   * few warm environments serve a burst sooner than ten that are loading.
   */
  #startOne(): void {
    if (this.#isStarting || this.#isClosed || this.#environments.size >= maximumEnvironments) return;
    this.#isStarting = true;
    if (this.#environments.size === 0) this.#start();
    else
      setTimeout(
        () => (this.#waiting.length > 0 && !this.#isClosed ? this.#start() : this.#started()),
        growAfterMs,
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
    // An environment that failed to load fails one waiting invocation.
    if (next !== undefined) next.start(environment);
    else if (environment.isBroken) this.#environments.delete(environment);
    else this.#idle.push(environment);
  }
}

function stopping(): Error {
  return new InvocationRejected("TooManyRequestsException", "The platform is stopping.");
}
