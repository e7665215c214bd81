import { Resolver } from "node:dns/promises";
import fs from "node:fs/promises";
import { Agent, type ClientRequest } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { setImmediate as turn } from "node:timers/promises";

/** Where a call goes. `direct` may change it before it starts. */
export interface Target {
  host?: string | null | undefined;
  port?: number | string | null | undefined;
}

type AddRequest = (this: Agent, request: ClientRequest, target: Target, ...more: unknown[]) => void;

/** Of the event loop. */
const turnsAfterCall = 3;

/**
 * Starts this thread's HTTP calls, DNS queries and work in other threads one after the other, in
 * the order of its code. So the order of their answers does not depend on the machine.
 */
export class OneCallAtATime {
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #idle: () => void;
  #isRunning = false;
  #current: Promise<void> = Promise.resolve();
  #setAside = Promise.withResolvers<void>();
  #late: Promise<void> = Promise.resolve();
  #arriving = 0;

  /** `direct` may change the target; `idle` is called when nothing runs any more. */
  constructor(direct: (target: Target) => Promise<void>, idle: () => void) {
    this.#idle = idle;
    this.#orderRequests(direct);
    for (const name of ["resolve4", "resolve6", "resolvePtr"] as const) this.#order(Resolver.prototype, name);
    this.#order(fs, "readFile");
    const { constructor: _, ...subtle } = Object.getOwnPropertyDescriptors(SubtleCrypto.prototype);
    for (const name of Object.keys(subtle)) this.#order(SubtleCrypto.prototype as never, name);
    syncBuiltinESMExports();
  }

  /** Whether the thread waits for an answer that takes no time. */
  get isBusy(): boolean {
    return this.#isRunning || this.#arriving > 0;
  }

  /** The current call's answer comes later, if at all: other calls and timers go on. */
  setAside(): void {
    this.#late = this.#current;
    this.#setAside.resolve();
  }

  /** The answer of the call that was set aside comes now. */
  async receive(): Promise<void> {
    this.#arriving += 1;
    await this.#late;
    await someTurns();
    this.#arriving -= 1;
    this.#idle();
  }

  #enter(call: () => Promise<void>): void {
    this.#waiting.push(call);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let call = this.#waiting.shift(); call !== undefined; call = this.#waiting.shift()) {
      this.#setAside = Promise.withResolvers();
      this.#current = call();
      await Promise.race([this.#current, this.#setAside.promise]);
      await someTurns();
    }
    this.#isRunning = false;
    this.#idle();
  }

  /** Every request of `http` and `https` asks its agent for a socket. */
  #orderRequests(direct: (target: Target) => Promise<void>): void {
    const agent = Agent.prototype as unknown as { addRequest: AddRequest };
    const { addRequest } = agent;
    const enter = (call: () => Promise<void>) => this.#enter(call);
    agent.addRequest = function (request, target, ...more) {
      enter(async () => {
        const closed = new Promise<void>((resolve) => void request.once("close", resolve));
        if (request.closed) return;
        await direct(target);
        addRequest.call(this, request, target, ...more);
        await closed;
      });
    };
  }

  #order<Name extends string>(owner: { [name in Name]: unknown }, name: Name): void {
    const original = owner[name] as (...args: unknown[]) => Promise<unknown>;
    const enter = (call: () => Promise<void>) => this.#enter(call);
    const ordered = function (this: unknown, ...args: unknown[]): Promise<unknown> {
      return new Promise((resolve, reject) => {
        enter(() => original.apply(this, args).then(resolve, reject));
      });
    };
    Object.assign(owner, { [name]: ordered });
  }
}

/** What a call's answer causes has happened then. */
async function someTurns(): Promise<void> {
  for (let count = 0; count < turnsAfterCall; count += 1) await turn();
}
