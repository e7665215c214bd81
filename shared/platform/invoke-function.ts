import type { LambdaClient } from "@aws-sdk/client-lambda";
import { ApiError } from "./http/api-error.ts";
import { log } from "./log.ts";

/** A function was invoked, and failed. Its own error is in its log. */
export class FunctionFailedError extends Error {}

/**
 * Invokes another function and waits for its answer.
 * @throws ApiError UNAVAILABLE if it says so or does not answer in time; FunctionFailedError
 */
export type InvokeFunction = (name: string, input: unknown, timeoutMs?: number) => Promise<unknown>;

/** With a client of its own: beyond so many invocations at once, others wait within their time. */
export function createInvoker(sockets: number): InvokeFunction {
  let client: Promise<LambdaClient> | undefined;
  return async (name, input, timeoutMs = 8_000) => {
    const { InvokeCommand } = await import("@aws-sdk/client-lambda");
    client ??= createClient(sockets);
    const abortSignal = AbortSignal.timeout(timeoutMs);
    const { Payload, FunctionError } = await (await client)
      .send(new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(input) }), { abortSignal })
      .catch((error: unknown) => {
        throw abortSignal.aborted ? new ApiError("UNAVAILABLE") : error;
      });
    const answer = JSON.parse(Buffer.from(Payload ?? []).toString());
    if (FunctionError === undefined) return answer;
    if (answer.errorType === unavailable || String(answer.errorType).startsWith("Sandbox."))
      throw new ApiError("UNAVAILABLE");
    throw new FunctionFailedError(`The function ${name} failed: ${FunctionError}.`);
  };
}

/** Functions make few invocations at once. */
export const invokeFunction = createInvoker(50);

/**
 * Tells whether this process can invoke a function: Lambda is reached, knows it, and allows it.
 * Nothing runs. What Lambda answers to all alike, such as a throttling, is no fault of this
 * process. It has a client of its own: it must not wait for invocations.
 */
export function createProbe() {
  let client: Promise<LambdaClient> | undefined;
  return async (name: string, timeoutMs = 3_000): Promise<boolean> => {
    const { InvokeCommand, LambdaServiceException } = await import("@aws-sdk/client-lambda");
    client ??= createClient(4);
    const command = new InvokeCommand({ FunctionName: name, InvocationType: "DryRun" });
    try {
      await (await client).send(command, { abortSignal: AbortSignal.timeout(timeoutMs) });
      return true;
    } catch (error) {
      const status = error instanceof LambdaServiceException ? error.$metadata.httpStatusCode : undefined;
      if (status !== undefined && (status === 429 || status >= 500)) return true;
      log.warn("A function cannot be invoked.", { function: name, error });
      return false;
    }
  };
}

/** The name of an error that a repetition may not meet. */
export const unavailable = "Unavailable";

/** Imported with the first invocation: few handlers make one. */
async function createClient(maxSockets: number): Promise<LambdaClient> {
  const { LambdaClient } = await import("@aws-sdk/client-lambda");
  const agent = { maxSockets };
  return new LambdaClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, httpAgent: agent, httpsAgent: agent },
  });
}
