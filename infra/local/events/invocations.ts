import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { VirtualClock } from "../clock.ts";
import type { SqsEngine } from "../engines/sqs.ts";
import { type FunctionInvoker, InvocationRejected, type InvokeResult, type Trace } from "../interfaces.ts";
import type { Assembly } from "../template.ts";

/** The parts that everything needs that invokes functions without a request. */
export interface EventParts {
  assembly: Assembly;
  engine: SqsEngine;
  invoker: FunctionInvoker;
  clock: VirtualClock;
  activity: Activity;
  trace: Trace;
  commitMarker(): number | undefined;
  nextChange(withinMs: number, marker?: number): Promise<void>;
}

type Pending = () => Promise<boolean> | boolean;

const settleTimeoutMs = 60_000;

/** Tracks running work, so that the clock can wait until there is none. */
export class Activity {
  readonly #running = new Map<symbol, string>();
  readonly #pending = new Map<string, Pending>();
  #started = 0;

  /** Returns a function that ends the work. */
  begin(name: string): () => void {
    const key = Symbol(name);
    this.#running.set(key, name);
    this.#started += 1;
    return () => void this.#running.delete(key);
  }

  addPending(name: string, pending: Pending): void {
    this.#pending.set(name, pending);
  }

  /** Throws after a minute with what still runs. */
  async settled(): Promise<void> {
    const deadline = performance.now() + settleTimeoutMs;
    for (;;) {
      const started = this.#started;
      const busy = await this.#busy();
      if (busy.length === 0 && this.#running.size === 0 && this.#started === started) return;
      if (performance.now() > deadline) {
        const names = new Set([...busy, ...this.#running.values()]);
        throw new Error(`Still running after ${settleTimeoutMs / 1000} s: ${[...names].join(", ")}`);
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

const retryMs = 50;

/** Invokes a function once there is capacity: a concurrency rejection is not a failed attempt. */
export async function invokeWhenAvailable(
  invoker: FunctionInvoker,
  functionArn: string,
  event: unknown,
): Promise<InvokeResult> {
  for (;;) {
    try {
      return await invoker.invoke(functionArn, event);
    } catch (error) {
      if (!(error instanceof InvocationRejected) || error.code !== "TooManyRequestsException") throw error;
      await delay(retryMs);
    }
  }
}

const BatchResponse = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish() })
  .nullish();

/** Like Lambda, an invalid answer or an unknown item fails the whole batch: "all". */
export function itemFailures(result: InvokeResult, reports: boolean, batch: string[]): Set<string> | "all" {
  if (result.functionError !== undefined) return "all";
  if (!reports) return new Set();
  const { success, data } = BatchResponse.safeParse(result.payload);
  if (!success) return "all";
  const failed = (data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return failed.every((id) => batch.includes(id)) ? new Set(failed) : "all";
}
