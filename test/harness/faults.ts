import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { table } from "../../shared/platform/table/client.ts";

/**
 * What goes wrong with one HTTP call to DynamoDB, in place of the engine's answer:
 * - `conflict`: another writer holds an item of the transaction; nothing is written;
 * - `key-conflict`: a request with the same `Idempotency-Key` holds its row; nothing is written;
 * - `usage-conflict`: another writer counts in the same usage of controls; nothing is written;
 * - `throttled-item`: one item of a transaction is throttled; nothing is written;
 * - `throttle`: the table is throttled; nothing is written;
 * - `server-error`: DynamoDB answers 500; nothing is written;
 * - `lost`: the connection breaks before the call arrives; nothing is written;
 * - `timeout-after-commit`: the call is carried out, and its answer is lost.
 */
export type FaultKind =
  | "conflict"
  | "key-conflict"
  | "usage-conflict"
  | "throttle"
  | "throttled-item"
  | "server-error"
  | "lost"
  | "timeout-after-commit";

/** An HTTP call: its command, its number since the injection (from 1), its wire input. */
export interface DynamoCall {
  readonly command: string;
  readonly number: number;
  readonly input: Record<string, unknown>;
}

export interface InjectedFaults extends Disposable {
  /** The calls that the platform made, in order, with the fault that each met. */
  readonly calls: readonly (DynamoCall & { readonly fault: FaultKind | undefined })[];
}

/**
 * Until disposed of, `choose` decides about each HTTP call of the DynamoDB client. Faults pass
 * through the SDK's own deserializer and retries.
 */
export function injectFaults(choose: (call: DynamoCall) => FaultKind | undefined): InjectedFaults {
  const calls: (DynamoCall & { fault: FaultKind | undefined })[] = [];
  const name = `faults-${randomUUID()}`;
  table.middlewareStack.add(
    (next, context) => async (args) => {
      const { body } = args.request as { body: Uint8Array };
      const call = {
        command: String(context.commandName).replace(/Command$/, ""),
        number: calls.length + 1,
        input: JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>,
      };
      const fault = choose(call);
      calls.push({ ...call, fault });
      if (fault === undefined) return next(args);
      if (fault === "timeout-after-commit") {
        const { response } = await next(args);
        // An unread answer would keep its connection. An engine in this process has none.
        (response as { body?: Readable } | undefined)?.body?.resume();
      }
      return { response: answerOf(fault, call.input), output: {} as never };
    },
    { step: "deserialize", priority: "low", name },
  );
  return { calls, [Symbol.dispose]: () => void table.middlewareStack.remove(name) };
}

type Picks = (command: string, input: string) => boolean;

/** Acts before the first call that `picks` chooses. */
export function interrupt(picks: Picks, act: () => Promise<unknown>) {
  let isDone = false;
  return interruptEach((command, input) => {
    if (isDone || !picks(command, input)) return false;
    isDone = true;
    return true;
  }, act);
}

/** Acts before each call that `picks` chooses. */
export function interruptEach(picks: Picks, act: () => Promise<unknown>) {
  const name = `interrupt-${randomUUID()}`;
  table.middlewareStack.add(
    (next, context) => async (args) => {
      const command = String(context.commandName).replace(/Command$/, "");
      if (picks(command, JSON.stringify(args.input))) await act();
      return next(args);
    },
    { step: "initialize", name },
  );
  return { [Symbol.dispose]: () => void table.middlewareStack.remove(name) };
}

/** Applies `kind` to the first `count` calls that the predicate picks, by default all writes. */
export function firstCalls(
  count: number,
  kind: FaultKind,
  picks = isWrite,
): (call: DynamoCall) => FaultKind | undefined {
  let met = 0;
  return (call) => {
    if (!picks(call)) return undefined;
    met += 1;
    return met <= count ? kind : undefined;
  };
}

export function isWrite(call: DynamoCall): boolean {
  return /^(TransactWrite|Put|Update|Delete)/.test(call.command);
}

function answerOf(fault: FaultKind, input: Record<string, unknown>) {
  switch (fault) {
    case "lost":
    case "timeout-after-commit":
      throw Object.assign(new Error("The connection timed out."), { name: "TimeoutError" });
    case "server-error":
      return httpError(500, "InternalServerError", {});
    case "throttle":
      return httpError(400, "ThrottlingException", {});
    case "throttled-item":
      return conflict(input, (_, index) => index === 0, "ThrottlingError");
    case "conflict":
      return conflict(input, (_, index) => index === 0);
    case "key-conflict":
      return conflict(input, isIdempotencyPut);
    case "usage-conflict":
      return conflict(input, isUsagePut);
  }
}

/** Whether an item of a transaction keeps the answer to a request under its `Idempotency-Key`. */
export function isIdempotencyPut(item: unknown): boolean {
  const { Put } = item as { Put?: { Item?: { sk?: { S?: string } } } };
  return Put?.Item?.sk?.S === "IDEMPOTENCY";
}

function isUsagePut(item: unknown): boolean {
  return (item as { Put?: { Item?: { sk?: { S?: string } } } }).Put?.Item?.sk?.S === "CONTROL_USAGE";
}

/** A transaction names its contended items; a single write has another exception. */
function conflict(
  input: Record<string, unknown>,
  isContended: (item: unknown, index: number) => boolean,
  Code = "TransactionConflict",
) {
  const items = input.TransactItems;
  if (!Array.isArray(items)) return httpError(400, "TransactionConflictException", {});
  const CancellationReasons = items.map((item, index) =>
    isContended(item, index) ? { Code, Message: "The item was not available" } : { Code: "None" },
  );
  return httpError(400, "TransactionCanceledException", { CancellationReasons });
}

function httpError(statusCode: number, name: string, members: object) {
  const type = `com.amazonaws.dynamodb.v20120810#${name}`;
  const body = JSON.stringify({ __type: type, message: `Injected: ${name}`, ...members });
  return {
    statusCode,
    headers: { "content-type": "application/x-amz-json-1.0" },
    body: Readable.from([Buffer.from(body)]),
  };
}
