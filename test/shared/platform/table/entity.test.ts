import { describe, expect, test } from "vitest";
import * as z from "zod";
import { newId } from "../../../../shared/platform/id.ts";
import {
  above,
  absent,
  all,
  any,
  atLeast,
  atMost,
  below,
  type Condition,
  differsFrom,
  exists,
  fewerThan,
  not,
  oneOf,
  present,
} from "../../../../shared/platform/table/condition.ts";
import { defineEntity } from "../../../../shared/platform/table/entity.ts";
import { ContendedError } from "../../../../shared/platform/table/retry.ts";
import { transact } from "../../../../shared/platform/table/transact.ts";
import { findStep, type TransitionTable } from "../../../../shared/platform/table/transition.ts";
import { withinTime } from "../../../../shared/platform/time-budget.ts";
import { firstCalls, injectFaults } from "../../../harness/faults.ts";
import { overwrite } from "../../../harness/given-cards.ts";
import { storedItem } from "../../../harness/stored.ts";

const Door = z.object({
  status: z.enum(["open", "closed"]),
  width: z.int(),
  colour: z.string().optional(),
  painted: z.string().optional(),
  keys: z.set(z.string()).optional(),
  place: z.object({ street: z.string() }).optional(),
});
type Door = z.output<typeof Door>;
const doors = defineEntity({
  name: "door",
  schema: Door,
  key: (houseId: string, floor: number, doorId: string) => ({ pk: houseId, sk: `DOOR#${floor}#${doorId}` }),
});
const open: Door = { status: "open", width: 80 };

async function givenDoor(door: Door = open) {
  const at = doors.at(newId("program"), 0, "front");
  expect(await transact([at.create(door)])).toEqual({ committed: true });
  return at;
}

describe("an entity", () => {
  test("reads an item without its key and without attributes that its schema does not name", async () => {
    const at = await givenDoor();
    await overwrite(at.key, { addedByAnotherVersion: true });
    expect(await at.get()).toEqual(open);
    expect(await storedItem(at.key)).toEqual({ ...at.key, ...open, addedByAnotherVersion: true });
  });

  test("rejects a stored item that does not match the schema", async () => {
    const at = await givenDoor();
    await overwrite(at.key, { width: "wide" });
    await expect(at.get()).rejects.toThrow("width");
  });

  test("answers NOT_FOUND for a required item that does not exist", async () => {
    await expect(doors.at(newId("program"), 0, "none").require()).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  test("lists items by the first parts of their ids, also over several pages", async () => {
    const house = newId("program");
    const colour = "x".repeat(300_000);
    const ids = [...Array(5).keys()].map((door) => `${door}`);
    for (const id of ids) await doors.at(house, 1, id).createNow({ ...open, colour });
    await doors.at(house, 11, "another").createNow(open);
    expect(await doors.list(house, 1)).toHaveLength(5);
    expect(await doors.list(house)).toHaveLength(6);
    expect(await doors.first(2, house, 1)).toHaveLength(2);
    // Four items exceed 1 MB, so that the second page has more than the missing item.
    for (const id of ["5", "6", "7"]) await doors.at(house, 1, id).createNow({ ...open, colour });
    expect(await doors.first(5, house, 1)).toHaveLength(5);
  });

  test("creates an item once, within a transaction and outside", async () => {
    const at = await givenDoor();
    const again = await transact([at.create({ status: "closed", width: 1 })]);
    expect(again).toMatchObject({ committed: false });
    expect(await at.createNow({ status: "closed", width: 1 })).toEqual(open);
  });

  test("sets, adds and removes attributes", async () => {
    const at = await givenDoor({ ...open, colour: "red" });
    const change = { set: { status: "closed" as const }, add: { width: 10 }, remove: ["colour" as const] };
    expect(await at.updateNow(change, exists)).toEqual({
      updated: true,
      item: { status: "closed", width: 90 },
    });
    expect(await at.updateNow(change, { width: 80 })).toEqual({
      updated: false,
      stored: { status: "closed", width: 90 },
    });
  });

  test("adds elements to a set, removes them again, and copies an attribute", async () => {
    const at = await givenDoor({ ...open, colour: "red" });
    const keys = new Set(["a", "b"]);
    await at.updateNow({ add: { keys } });
    await at.updateNow({
      add: { keys: new Set(["c"]) },
      copy: { painted: "colour" },
      set: { colour: "blue" },
    });
    const { keys: _, ...others } = (await at.get()) ?? {};
    expect(others).toEqual({ ...open, colour: "blue", painted: "red" });
    expect(await at.updateNow({ discard: { keys } }, { keys: fewerThan(3) })).toMatchObject({
      updated: false,
    });
    const changed = await at.updateNow({ discard: { keys } }, { keys: fewerThan(4) });
    expect(changed).toMatchObject({ updated: true, item: { keys: new Set(["c"]) } });
  });

  test("is deleted outside a transaction, whether or not it exists", async () => {
    const at = await givenDoor();
    await at.deleteNow();
    await at.deleteNow();
    expect(await at.get()).toBeUndefined();
  });

  test("is deleted on a condition", async () => {
    const at = await givenDoor();
    expect(await transact([at.delete({ status: "closed" })])).toMatchObject({ committed: false });
    expect(await transact([at.delete({ status: "open" })])).toMatchObject({ committed: true });
    expect(await at.get()).toBeUndefined();
  });

  const door: Door = { ...open, colour: "red", place: { street: "Main" } };
  const holds: Condition<Door>[] = [
    { status: "open", width: 80 },
    { place: { street: "Main" } },
    { colour: present, status: oneOf(["closed", "open"]) },
    all<Door>({ width: atLeast(80) }, { width: atMost(80) }),
    any<Door>({ width: below(80) }, { width: above(79) }),
    not<Door>(any<Door>({ width: below(80) }, { width: above(80) })),
    all<Door>({ status: differsFrom("closed") }, not<Door>({ colour: absent })),
  ];
  const fails: Condition<Door>[] = [
    { status: "open", width: 81 },
    { colour: undefined },
    { width: above(80) },
    { status: oneOf(["closed"]) },
    not<Door>(all<Door>({ status: "open" }, { width: 80 })),
    all<Door>(any<Door>({ width: 80 }, { width: 81 }), { colour: "blue" }),
  ];
  test.each([
    ...holds.map((condition) => [condition, true] as const),
    ...fails.map((condition) => [condition, false] as const),
  ])("condition %# is as DynamoDB says", async (condition, committed) => {
    const at = await givenDoor(door);
    expect(await transact([at.check(condition)])).toMatchObject({ committed });
  });
});

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

const steps: TransitionTable<0 | 1 | 2, "open" | "lock" | "toggle" | "paint"> = [
  { from: 0, trigger: "open", to: 1 },
  { from: 2, trigger: "open", to: 1 },
  { from: 0, trigger: "lock", to: 2 },
  { from: 0, trigger: "toggle", to: 1 },
  { from: 1, trigger: "toggle", to: 0 },
];

describe("a transition", () => {
  test("leads from every status that permits its trigger to one", () => {
    expect(findStep(steps, "open")).toEqual({ from: [0, 2], to: 1 });
  });

  test("is rejected if the table does not have its trigger, or leads to two statuses", () => {
    expect(() => findStep(steps, "paint")).toThrow("paint");
    expect(() => findStep(steps, "toggle")).toThrow("toggle");
  });
});
