import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { type FunctionInvoker, InvocationRejected, type InvokeResult } from "../interfaces.ts";

const retryMs = 50;

/** Invokes a function once there is capacity: a concurrency rejection is not a failed attempt. */
export async function invokeWithRoom(
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

/**
 * Returns the batch items that the function reported as failed. Like Lambda, an invalid answer or
 * an unknown item fails the whole batch: "all".
 */
export function itemFailures(result: InvokeResult, reports: boolean, batch: string[]): Set<string> | "all" {
  if (result.functionError !== undefined) return "all";
  if (!reports) return new Set();
  const { success, data } = BatchResponse.safeParse(result.payload);
  if (!success) return "all";
  const failed = (data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return failed.every((id) => batch.includes(id)) ? new Set(failed) : "all";
}
