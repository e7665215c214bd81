import { pause } from "../../shared/platform/clock.ts";
import { table } from "../../shared/platform/table/client.ts";

/** What a piece of work cost in DynamoDB. */
export interface Cost {
  /** How many calls had to wait for one another: calls that run side by side count once. */
  readonly roundTrips: number;
  readonly calls: readonly string[];
  /** Read and write capacity units that DynamoDB charges. */
  readonly readUnits: number;
  readonly writeUnits: number;
}

interface Consumed {
  readonly CapacityUnits?: number;
}

const reads = new Set(["GetItemCommand", "BatchGetItemCommand", "QueryCommand", "TransactGetItemsCommand"]);

/** Counts DynamoDB calls and units exactly. Not for nested or concurrent work. */
export async function measure<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly cost: Cost }> {
  const spans: { start: number; end: number }[] = [];
  const calls: string[] = [];
  let readUnits = 0;
  let writeUnits = 0;
  table.middlewareStack.add(
    (next, context) => async (args) => {
      const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "TOTAL" } });
      const sum = capacityUnits(answer.output);
      if (reads.has(String(context.commandName))) readUnits += sum;
      else writeUnits += sum;
      return answer;
    },
    { step: "initialize", name: "measure-units" },
  );
  table.middlewareStack.add(
    (next, context) => async (args) => {
      const span = { start: performance.now(), end: Number.POSITIVE_INFINITY };
      spans.push(span);
      calls.push(String(context.commandName).replace(/Command$/, ""));
      try {
        return await next(args);
      } finally {
        span.end = performance.now();
      }
    },
    { step: "deserialize", priority: "low", name: "measure-spans" },
  );
  try {
    const result = await work();
    return { result, cost: { roundTrips: longestChain(spans), calls, readUnits, writeUnits } };
  } finally {
    table.middlewareStack.remove("measure-units");
    table.middlewareStack.remove("measure-spans");
  }
}

function capacityUnits(output: object): number {
  const consumed = (output as { ConsumedCapacity?: Consumed | Consumed[] }).ConsumedCapacity ?? [];
  return [consumed].flat().reduce((total, { CapacityUnits = 0 }) => total + CapacityUnits, 0);
}

/** The most spans of which each began after the one before had ended. */
function longestChain(spans: readonly { start: number; end: number }[]): number {
  let chain = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const span of spans.toSorted((left, right) => left.end - right.end)) {
    if (span.start < end) continue;
    chain += 1;
    end = span.end;
  }
  return chain;
}

const farMs = 30;

/** Adds latency to calls, so that dependent calls add up and concurrent ones do not. */
export async function fromAfar<T>(work: () => Promise<T>): Promise<T> {
  const { requestHandler } = table.config;
  const handle = requestHandler.handle.bind(requestHandler);
  const before = Object.getOwnPropertyDescriptor(requestHandler, "handle");
  requestHandler.handle = async (...request: Parameters<typeof handle>) => {
    const response = await handle(...request);
    await pause(farMs);
    return response;
  };
  try {
    return await work();
  } finally {
    Reflect.deleteProperty(requestHandler, "handle");
    if (before) Object.defineProperty(requestHandler, "handle", before);
  }
}
