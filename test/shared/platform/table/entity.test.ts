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
import { transact } from "../../../../shared/platform/table/transact.ts";
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
