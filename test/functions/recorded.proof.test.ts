import { afterAll, beforeAll, describe, it } from "vitest";
import { type DynamoCall, injectFaults, isIdempotencyPut } from "../harness/faults.ts";
import { expectAnswer, recordedCases } from "./given-recorded.ts";

/** Simulates a request in progress: each write of the key's row conflicts. */
let contended: Disposable;
beforeAll(() => {
  contended = injectFaults((call) => (isInFlight(call) ? "key-conflict" : undefined));
});
afterAll(() => contended[Symbol.dispose]());

function isInFlight({ input: { TransactItems } }: DynamoCall): boolean {
  const items = Array.isArray(TransactItems) ? TransactItems : [];
  return JSON.stringify(items.filter(isIdempotencyPut)).includes("request-in-flight");
}

describe.concurrent("each answer of the contract", () => {
  it.for(recordedCases())(
    "$status $code: $key",
    // A limit is reached by many requests, beside all the others.
    { timeout: 240_000 },
    (one) => expectAnswer(one),
  );
});
