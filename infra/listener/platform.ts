import { askVault } from "../../shared/cards/ask-vault.ts";
import { ProcessorResult } from "../../shared/contract/processor.ts";
import { BoundedMap } from "../../shared/platform/bounded-map.ts";
import { monotonicMs, now } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { createInvoker, createProbe, type InvokeFunction } from "../../shared/platform/invoke-function.ts";
import { log } from "../../shared/platform/log.ts";
import { keepRefused } from "../../shared/platform/refused/refused-input.ts";
import { leftMs } from "../../shared/platform/time-budget.ts";
import { hasNetwork } from "../../shared/tenancy/connections/connection.ts";
import type { ListenerPorts } from "./answer-message.ts";

/** A question to a Program's receiver takes up to three seconds, and one more to lapse. */
const timeoutMs = 12_000;

/**
 * The platform's functions, invoked for so many messages at once: a message has one invocation at a
 * time. An event that failed is sent again: it is applied once.
 */
export function connectPlatform(messages: number): ListenerPorts {
  const invoke = createInvoker(messages);
  const processors = new Processors();
  // Checks come before the event. Too late a message ends with them: it moves no money.
  const invokeInTime: InvokeFunction = (name, input, ms = 8_000) =>
    invoke(name, input, Math.ceil(Math.max(1, Math.min(ms, leftMs()))));
  return {
    askVault: (command, input) => askVault(command, input, invokeInTime),
    isServed: (programId) => processors.isServed(programId),
    apply: async (event) =>
      ProcessorResult.parse(await invoke(environment.processorFunction, event, timeoutMs)),
    keepRefused: (refused) => keepRefused({ port: "network", ...refused }),
    now,
  };
}

const ofProcess = createProbe();

/** Whether this listener can invoke what answers a message. */
export async function isPlatformReached(canInvoke = ofProcess): Promise<boolean> {
  const functions = [environment.vaultFunction, environment.processorFunction];
  return (await Promise.all(functions.map((name) => canInvoke(name)))).every(Boolean);
}

/** A change is unnoticed for so long at most. */
export const staleMs = 30_000;
/** Then it is read again, while messages go on with what is known. */
const freshMs = 10_000;

interface Known {
  readonly isServed: Promise<boolean>;
  readonly readMs: number;
  isRefreshed?: boolean;
}

/** Which Programs ISO 8583 serves. A message of a busy Program does not wait for a read. */
export class Processors {
  readonly #known = new BoundedMap<string, Known>(10_000);
  readonly #read: (programId: string) => Promise<boolean>;

  constructor(read = hasNetwork) {
    this.#read = read;
  }

  isServed(programId: string): Promise<boolean> {
    const known = this.#known.get(programId);
    const ageMs = known ? monotonicMs() - known.readMs : Number.POSITIVE_INFINITY;
    if (!known || ageMs >= staleMs) return this.#remember(programId).isServed;
    if (ageMs >= freshMs && !known.isRefreshed) {
      known.isRefreshed = true;
      this.#refresh(programId).catch((error: unknown) => {
        known.isRefreshed = false;
        log.warn("A Program's processor cannot be read again.", { programId, error });
      });
    }
    return known.isServed;
  }

  #remember(programId: string): Known {
    const known = { readMs: monotonicMs(), isServed: this.#read(programId) };
    this.#known.set(programId, known);
    known.isServed.catch(() => {
      if (this.#known.get(programId) === known) this.#known.delete(programId);
    });
    return known;
  }

  async #refresh(programId: string): Promise<void> {
    const readMs = monotonicMs();
    const isServed = await this.#read(programId);
    this.#known.set(programId, { readMs, isServed: Promise.resolve(isServed) });
  }
}
