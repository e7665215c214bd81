import { describe, expect, test } from "vitest";
import * as z from "zod";
import { newId } from "../../../../shared/platform/id.ts";
import { above, exists } from "../../../../shared/platform/table/condition.ts";
import { defineEntity } from "../../../../shared/platform/table/entity.ts";
import { ContendedError } from "../../../../shared/platform/table/retry.ts";
import { withinTime } from "../../../../shared/platform/time-budget.ts";
import { firstCalls, injectFaults } from "../../../harness/faults.ts";

const counters = defineEntity({
  name: "counter",
  schema: z.object({ count: z.int() }),
  key: (pk: string) => ({ pk, sk: "COUNTER" }),
});
const newCounter = () => counters.at(newId("program"));
const increment = { add: { count: 1 } };

describe("a conditional update", () => {
  test("returns the updated item", async () => {
    const counter = newCounter();
    await counter.updateNow(increment);
    expect(await counter.updateNow(increment)).toEqual({ updated: true, item: { count: 2 } });
  });

  test("returns the item that failed the condition, if any", async () => {
    const counter = newCounter();
    expect(await counter.updateNow(increment, exists)).toEqual({ updated: false, stored: undefined });
    await counter.updateNow(increment);
    const failed = await counter.updateNow(increment, { count: above(1) });
    expect(failed).toEqual({ updated: false, stored: { count: 1 } });
  });

  test("retries while a transaction holds the item, and is carried out once", async () => {
    const counter = newCounter();
    using faults = injectFaults(firstCalls(3, "conflict"));
    expect(await counter.updateNow(increment)).toMatchObject({ updated: true });
    expect(faults.calls.map(({ fault }) => fault)).toEqual(["conflict", "conflict", "conflict", undefined]);
    expect(await counter.get()).toEqual({ count: 1 });
  });

  test("gives up when the time for retries is up, and writes nothing", async () => {
    const counter = newCounter();
    {
      using faults = injectFaults(firstCalls(Number.POSITIVE_INFINITY, "conflict"));
      await expect(withinTime(100, () => counter.updateNow(increment))).rejects.toThrow(ContendedError);
      expect(faults.calls.length).toBeGreaterThan(1);
    }
    expect(await counter.get()).toBeUndefined();
  });
});

describe("the write of a new item", () => {
  test("returns nothing for the first writer, and the existing item for later ones", async () => {
    const counter = newCounter();
    expect(await counter.createNow({ count: 1 })).toBeUndefined();
    expect(await counter.createNow({ count: 2 })).toEqual({ count: 1 });
    expect(await counter.get()).toEqual({ count: 1 });
  });

  test("succeeds for one of two simultaneous writers", async () => {
    const counter = newCounter();
    const found = await Promise.all([1, 2].map((count) => counter.createNow({ count })));
    expect(found.filter((item) => item === undefined)).toHaveLength(1);
    expect(found).toContainEqual(await counter.get());
  });

  test("returns its own item if the answer was lost", async () => {
    using _ = injectFaults(firstCalls(1, "timeout-after-commit"));
    expect(await newCounter().createNow({ count: 1 })).toEqual({ count: 1 });
  });
});
