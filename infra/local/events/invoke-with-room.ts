import { setTimeout as delay } from "node:timers/promises";
import { type FunctionInvoker, InvocationRefused, type InvokeResult } from "../interfaces.ts";

const refusedIntervalMs = 50;

/** Invokes a function, as soon as it has room: to be refused for want of it is no failed attempt. Errors: it is refused for another reason. */
export async function invokeWithRoom(
  invoker: FunctionInvoker,
  functionArn: string,
  event: unknown,
): Promise<InvokeResult> {
  for (;;) {
    try {
      return await invoker.invoke(functionArn, event);
    } catch (error) {
      if (!(error instanceof InvocationRefused) || error.code !== "TooManyRequestsException") throw error;
      await delay(refusedIntervalMs);
    }
  }
}
