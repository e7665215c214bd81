import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { Context } from "aws-lambda";
import {
  type VaultCommand,
  type VaultInput,
  type VaultOutput,
  vaultCallers,
} from "../../shared/contract/vault.ts";
import { startKeyServer } from "./key-server.ts";
import { listen } from "./listen.ts";

/** The next invocation fails before or after the vault has done its work, or gets no answer. */
export const vaultFault: { next: "before" | "after" | "never" | undefined } = { next: undefined };

export function callerOf(command: VaultCommand): string {
  const may = (commands: readonly string[]) => commands.includes(command);
  return Object.entries(vaultCallers).find(([, commands]) => may(commands))?.[0] ?? "";
}

/** As a caller that may give the command. `callers.test.ts` has those that may not. */
function contextOf(event: unknown): Context {
  const { command } = event as { command: VaultCommand };
  const invokedFunctionArn = `arn:aws:lambda:eu-west-1:111122223333:function:vault:${callerOf(command)}`;
  return { awsRequestId: "vault", invokedFunctionArn, getRemainingTimeInMillis: () => 60_000 } as Context;
}

/**
 * A Lambda that has the functions which others invoke. Returns its endpoint; it does not keep the
 * process running.
 */
export async function startFunctionServer(): Promise<string> {
  const server = createServer(async (request, response) => {
    const event: unknown = JSON.parse(await text(request));
    const isProcessor = request.url?.includes("/processor-events/");
    const fault = isProcessor ? undefined : vaultFault.next;
    if (!isProcessor) vaultFault.next = undefined;
    response.setHeader("content-type", "application/json");
    const fail = () => response.setHeader("x-amz-function-error", "Unhandled").end('{"errorType":"Error"}');
    if (fault === "never") return;
    if (fault === "before") return fail();
    try {
      const answer = JSON.stringify(await (isProcessor ? applyEvent(event) : invoke(event)));
      return fault === "after" ? fail() : response.end(answer);
    } catch (error) {
      const errorType = (error as Error).name;
      return response.setHeader("x-amz-function-error", "Unhandled").end(JSON.stringify({ errorType }));
    }
  });
  return listen(server);
}

async function applyEvent(event: unknown): Promise<unknown> {
  const { handler } = await import("../../functions/processor-events/handler.ts");
  return handler(event as never);
}

async function invoke(event: unknown): Promise<unknown> {
  await startKeyServer();
  const { handler } = await import("../../functions/vault/handler.ts");
  return handler(event, contextOf(event));
}

/** Directly, without a function that invokes it. */
export async function vault<C extends VaultCommand>(
  command: C,
  input: VaultInput<C>,
): Promise<VaultOutput<C>> {
  return (await invoke({ command, input })) as VaultOutput<C>;
}
