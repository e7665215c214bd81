import { setTimeout as delay } from "node:timers/promises";
import {
  ExecutionEnvironment,
  type FunctionLog,
  type FunctionSettings,
  workerScript,
} from "./execution-environment.ts";
import { InvocationRejected, type InvokeResult } from "./interfaces.ts";
import { randomUUID } from "./randomness.ts";

/** Limit for one machine. Invocations beyond it wait for a free environment. */
const maximumEnvironments = 10;

const lookAgainMs = 50;
/** What loading one takes at least. Who has waited for less may be served by the others before. */
const leastLoadMs = 100;
/** An environment ends after so much idle time. */
const defaultIdleMs = 15_000;
/** The last one of a function, about as in AWS: what it knows, such as DNS, would be asked anew. */
const defaultLastIdleMs = 600_000;

export interface PoolOptions {
  readonly clockOffset: SharedArrayBuffer;
  readonly log: FunctionLog;
  readonly idleMs?: number;
  readonly lastIdleMs?: number;
  /** Whether the machine has room for another environment beside the first. */
  readonly mayGrow?: (size: number) => boolean;
}

interface Idle {
  readonly environment: ExecutionEnvironment;
  readonly sinceMs: number;
  readonly timer: NodeJS.Timeout;
}

interface Waiting {
  readonly sinceMs: number;
  start: (environment: ExecutionEnvironment) => void;
  reject: (error: Error) => void;
}

/** A function's execution environments. Another starts if none is free. */
export class FunctionPool {
  settings: FunctionSettings;
  readonly #options: Required<PoolOptions>;
  readonly #environments = new Set<ExecutionEnvironment>();
  /** The longest idle first; the last one is used next. */
  readonly #idle: Idle[] = [];
  readonly #waiting: Waiting[] = [];
  inFlight = 0;
  /** On busy cores it takes longer, and the others serve a burst sooner. */
  #loadMs = leastLoadMs;
  #isStarting = false;
  #isClosed = false;

  constructor(settings: FunctionSettings, options: PoolOptions) {
    this.settings = settings;
    // Inputs in turns are repeatable only in the environment that had those before.
    const lastIdleMs = settings.order === undefined ? defaultLastIdleMs : Number.POSITIVE_INFINITY;
    this.#options = { idleMs: defaultIdleMs, lastIdleMs, mayGrow: () => true, ...options };
  }

  /** What begins from now on runs this code. What runs ends with the old one. */
  replaceCode(codeDirectory: string): void {
    const variables = { ...this.settings.variables, LAMBDA_TASK_ROOT: codeDirectory };
    this.settings = { ...this.settings, codeDirectory, variables };
    for (const idle of [...this.#idle]) this.#endIdle(idle);
  }

  get size(): number {
    return this.#environments.size;
  }

  /** Throws InvocationRejected when the reserved concurrency is used up or the platform stops. */
  async invoke(
    payload: string,
    invokedFunctionArn = this.settings.identity.invokedFunctionArn,
    killAfterMs?: number,
  ): Promise<{ requestId: string; result: InvokeResult; isKilled: boolean }> {
    const { reservedConcurrency } = this.settings;
    if (reservedConcurrency !== undefined && this.inFlight >= reservedConcurrency) {
      throw new InvocationRejected("TooManyRequestsException", "Rate Exceeded.");
    }
    this.inFlight += 1;
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
        const result = await environment.invoke({ requestId, payload, invokedFunctionArn });
        return { requestId, result, isKilled };
      } finally {
        clearTimeout(timer);
        this.#release(environment);
      }
    } finally {
      this.inFlight -= 1;
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
      this.#waiting.push({ sinceMs: performance.now(), start, reject });
      void this.#startOne();
    });
  }

  /** Drops environments that failed while idle. */
  #takeIdle(): ExecutionEnvironment | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (!idle.environment.isBroken) return idle.environment;
      this.#environments.delete(idle.environment);
    }
    return undefined;
  }

  /** Starts one environment at once, and others while invocations wait. */
  async #startOne(): Promise<void> {
    if (this.#isStarting || this.#isClosed || this.#environments.size >= maximumEnvironments) return;
    this.#isStarting = true;
    const isNeeded = () => !this.#isClosed && this.#environments.size > 0 && this.#waiting.length > 0;
    const isEarly = () => performance.now() - (this.#waiting[0]?.sinceMs ?? 0) < this.#loadMs;
    while (isNeeded() && (isEarly() || !this.#options.mayGrow(this.size))) await delay(lookAgainMs);
    const script = await workerScript();
    if (this.#waiting.length > 0 && !this.#isClosed) {
      const { clockOffset, log } = this.#options;
      const environment = new ExecutionEnvironment(script, this.settings, clockOffset, log);
      this.#environments.add(environment);
      const startedMs = performance.now();
      await environment.initialize();
      this.#loadMs = Math.max(leastLoadMs, performance.now() - startedMs);
      this.#offer(environment);
    }
    this.#isStarting = false;
    if (this.#waiting.length > 0) void this.#startOne();
  }

  #end(environment: ExecutionEnvironment): void {
    this.#environments.delete(environment);
    void environment.stop();
  }

  #release(environment: ExecutionEnvironment): void {
    if (environment.isBroken) {
      this.#end(environment);
      if (this.#waiting.length > 0) void this.#startOne();
    } else {
      this.#offer(environment);
    }
  }

  #offer(environment: ExecutionEnvironment): void {
    if (environment.settings !== this.settings) {
      this.#end(environment);
      if (this.#waiting.length > 0) void this.#startOne();
      return;
    }
    const next = this.#waiting.shift();
    // An environment that failed to load fails one waiting invocation.
    if (next !== undefined) next.start(environment);
    else if (environment.isBroken) this.#environments.delete(environment);
    else {
      const timer = setTimeout(() => this.#endIfDue(idle), this.#options.idleMs).unref();
      const idle: Idle = { environment, sinceMs: performance.now(), timer };
      this.#idle.push(idle);
    }
  }

  /** The last one stays for longer. */
  #endIfDue(idle: Idle): void {
    const isLast = this.#environments.size === 1;
    if (isLast && performance.now() < idle.sinceMs + this.#options.lastIdleMs) idle.timer.refresh();
    else this.#endIdle(idle);
  }

  #endIdle(idle: Idle): void {
    clearTimeout(idle.timer);
    this.#idle.splice(this.#idle.indexOf(idle), 1);
    this.#end(idle.environment);
  }
}

function stopping(): Error {
  return new InvocationRejected("TooManyRequestsException", "The platform is stopping.");
}
