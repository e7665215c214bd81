import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { table } from "../../../shared/platform/table/client.ts";
import { injectFaults } from "../../harness/faults.ts";
import { call } from "./authorizer-event.ts";
import { type GivenCaller, givenCaller, ip, keyRefused } from "./given-caller.ts";

interface Batch {
  readonly Keys: readonly unknown[];
}

describe("the authorizer, on a table that does not answer", () => {
  let caller: GivenCaller;

  beforeAll(async () => {
    caller = await givenCaller();
  });
  afterEach(() => table.middlewareStack.remove("throttled"));
  afterAll(() => caller.stop());

  /** The first `times` answers are incomplete: only `answered` keys are processed. */
  const throttle = (times: number, answered = 0) => {
    const answers: number[] = [];
    table.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName !== "BatchGetItemCommand") return next(args);
        const { RequestItems } = args.input as { RequestItems: Record<string, Batch> };
        const [[tableName, batch]] = Object.entries(RequestItems) as [[string, Batch]];
        answers.push(batch.Keys.length);
        if (answers.length > times) {
          const { output, ...answer } = await next(args);
          // Left out nothing: then an answer need not say so.
          return { ...answer, output: { ...output, UnprocessedKeys: undefined } };
        }
        const part = (Keys: readonly unknown[]) => ({ [tableName]: { ...batch, Keys } });
        const UnprocessedKeys = part(batch.Keys.slice(answered));
        const taken = part(batch.Keys.slice(0, answered));
        const answer = await next(answered === 0 ? args : { ...args, input: { RequestItems: taken } });
        const Responses = answered === 0 ? undefined : (answer.output as { Responses?: object }).Responses;
        return { ...answer, output: { ...answer.output, Responses, UnprocessedKeys } };
      },
      { step: "initialize", priority: "low", name: "throttled" },
    );
    return answers;
  };
  const verdict = () => call(caller.withKey(caller.programKey.apiKey));

  it("answers 503 to every caller", async () => {
    const tableName = process.env.ACCOUNTS_TABLE;
    process.env.ACCOUNTS_TABLE = "no-such-table";
    await expect(verdict()).rejects.toThrow();
    process.env.ACCOUNTS_TABLE = tableName;
  });

  it("reads unprocessed keys again, because an unread certificate is not an unknown one", async () => {
    const answers = throttle(1);
    expect(await verdict()).toMatchObject({ status: 200 });
    expect(answers).toEqual([3, 3]);
  });

  it("reads only the unprocessed keys again", async () => {
    const answers = throttle(1, 1);
    expect(await verdict()).toMatchObject({ status: 200 });
    expect(answers).toEqual([3, 2]);
  });

  it("retries for half a second, and then answers 503", async () => {
    const three = throttle(3);
    expect(await verdict()).toMatchObject({ status: 200 });
    expect(three).toHaveLength(4);
    table.middlewareStack.remove("throttled");
    const all = throttle(Number.POSITIVE_INFINITY);
    const startedMs = performance.now();
    await expect(verdict()).rejects.toThrow("throttled");
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    expect(all.length).toBeGreaterThan(1);
  });

  it("reads credentials as the last write left them, so that a revocation holds for the very next request", async () => {
    using faults = injectFaults(() => undefined);
    await verdict();
    const reads = faults.calls.map(({ command, input }) =>
      command === "BatchGetItem" ? Object.values(input.RequestItems as object)[0] : input,
    );
    expect(reads.map(({ ConsistentRead }) => ConsistentRead)).toEqual([true, true]);
  });

  it("is not asked for what cannot be a key", async () => {
    const answers = throttle(0);
    expect(await call(caller.withKey("wrong"))).toEqual(keyRefused);
    expect(await call({ certificatePem: caller.certificatePem, ip })).toEqual(keyRefused);
    expect(answers).toEqual([2, 2]);
  });
});
