import { describe, expect, test } from "vitest";
import { type Change, findTorn } from "../../infra/commands/failover/find-torn.ts";
import {
  stamped,
  toPlace,
  writtenAll,
  writtenBefore,
  writtenWith,
} from "../../shared/platform/table/stamp.ts";

const start = Date.parse("2026-11-20T10:00:00Z");
const [table, sk] = ["issuing", "ITEM"];
type Stored = Record<string, unknown>;

/** A store that writes transactions, and knows the change of each item. */
class First {
  readonly items = new Map<string, Stored>();
  #seconds = 0;

  /** By name: what each item of one transaction becomes; undefined where it is deleted. */
  transact(writes: Record<string, Stored | undefined>): Record<string, Change> {
    this.#seconds += 1;
    const given = Object.entries(writes).map(([pk, item]) => {
      if (item === undefined) return { Delete: { TableName: table, Key: { pk, sk } } };
      if (this.items.has(pk)) return { Update: { TableName: table, Key: { pk, sk }, UpdateExpression: "" } };
      const isNew = {
        ConditionExpression: "attribute_not_exists(#0)",
        ExpressionAttributeNames: { "#0": "pk" },
      };
      return { Put: { TableName: table, Item: { pk, sk, ...item }, ...isNew } };
    });
    const done = stamped(given).map(({ Put, Update }, index): [string, Change] => {
      const [pk, item] = Object.entries(writes)[index] as [string, Stored | undefined];
      if (Put) return [pk, this.write(pk, Put.Item)];
      const before = this.items.get(pk) ?? {};
      const values = Update?.ExpressionAttributeValues ?? {};
      const last = [writtenWith, ...writtenBefore].map((name) => before[name] ?? "-");
      const chain = Object.fromEntries(writtenBefore.map((name, at) => [name, last[at]]));
      const stamp = { [writtenWith]: values[":writtenWith"], [writtenAll]: values[":writtenAll"], ...chain };
      return [pk, this.write(pk, item && { ...before, ...item, ...stamp })];
    });
    return Object.fromEntries(done);
  }

  /** One item alone. */
  write(pk: string, after: Stored | undefined): Change {
    const before = this.items.get(pk);
    if (after) this.items.set(pk, after);
    else this.items.delete(pk);
    return { table, key: { pk, sk }, at: new Date(start + this.#seconds * 1_000), before, after };
  }
}

const joined = (one: Change, other: Change): Change => ({ ...other, before: one.before });
const names = (places: readonly { readonly key: Stored }[]) => places.map(({ key }) => key.pk).toSorted();
const find = (...changes: (Change | undefined)[]) => {
  const { undone, restored } = findTorn(changes as Change[], new Date(start));
  const back = restored.map(({ key, item }) => [key.pk, item?.minor] as const);
  return {
    torn: undone.filter(({ isTorn }) => isTorn).length,
    upon: undone.filter(({ isTorn }) => !isTorn).length,
    back: Object.fromEntries(back),
  };
};
const nothing = { torn: 0, upon: 0, back: {} };

describe("a replica", () => {
  test("keeps transactions of which it has every item, and writes of one item", () => {
    const first = new First();
    const one = first.transact({ a: { minor: 1 }, b: { minor: 1 } });
    const alone = first.write("b", { ...first.items.get("b"), seen: true });
    expect(find(one.a, one.b, alone)).toEqual(nothing);
  });

  test("loses one that it has in part: what was there before is there again", () => {
    const first = new First();
    const old = first.transact({ a: { minor: 5 } });
    const part = first.transact({ a: { minor: 2 }, b: { minor: 1 }, c: { minor: 1 } });
    expect(find(old.a, part.a, part.b)).toEqual({ torn: 1, upon: 0, back: { a: 5, b: undefined } });
  });

  test("loses what was written upon it, and upon that in turn, but nothing that was before", () => {
    const first = new First();
    const t1 = first.transact({ a: { minor: 1 }, x: { minor: 1 } });
    const torn = first.transact({ a: { minor: 2 }, lost: {} });
    const t3 = first.transact({ a: { minor: 3 }, b: { minor: 3 } });
    const alone = first.write("b", { ...first.items.get("b"), alone: true });
    const t4 = first.transact({ c: { minor: 4 } });
    expect(find(t1.a, t1.x, torn.a, t3.a, t3.b, alone, t4.c)).toEqual({
      torn: 1,
      upon: 1,
      back: { a: 1, b: undefined },
    });
  });

  test("has two changes of an item as one: each of the transactions is whole", () => {
    const first = new First();
    const old = first.transact({ a: { minor: 1 }, o: {} });
    const [t1, t2, t3] = [2, 3, 4].map((minor) => first.transact({ a: { minor }, [`x${minor}`]: {} }));
    const whole = [old.o, joined(old.a as Change, t3?.a as Change), t1?.x2, t2?.x3, t3?.x4];
    expect(find(...whole)).toEqual(nothing);
    // Of one of them, the other item has not come: all of the change goes, and all that was in it.
    const { x3: _, ...rest } = { x3: t2?.x3, x2: t1?.x2, x4: t3?.x4 };
    expect(find(old.a, old.o, joined(t1?.a as Change, t3?.a as Change), rest.x2, rest.x4)).toEqual({
      torn: 1,
      upon: 2,
      back: { a: 1, x2: undefined, x4: undefined },
    });
  });

  test("does not keep a part where a change is of more transactions than an item names", () => {
    const first = new First();
    const old = first.transact({ a: { minor: 0 }, o: {} });
    const many = [1, 2, 3, 4, 5, 6].map((minor) => first.transact({ a: { minor }, [`x${minor}`]: {} }));
    const change = { ...(many.at(-1)?.a as Change), before: old.a?.after };
    const others = many.map((one, index) => one[`x${index + 1}`]);
    const { torn, upon, back } = find(old.a, old.o, change, ...others);
    expect([torn, upon, back.a, Object.keys(back).length]).toEqual([2, 4, 0, 7]);
  });

  test("knows an item that was replaced for one that may hide a transaction", () => {
    const first = new First();
    const old = first.transact({ a: { minor: 1 }, o: {} });
    const hidden = first.transact({ a: { minor: 2 }, b: { minor: 2 } });
    const [{ Put } = {}] = stamped([{ Put: { TableName: table, Item: { pk: "a", sk, minor: 3 } } }]);
    const replaced = joined(hidden.a as Change, first.write("a", Put?.Item));
    expect(find(old.a, old.o, replaced, hidden.b)).toEqual({
      torn: 1,
      upon: 1,
      back: { a: 1, b: undefined },
    });
  });

  test("has a transaction in part where an item is still there that it deleted", () => {
    const first = new First();
    const old = first.transact({ gone: { minor: 7 } });
    const one = first.transact({ a: {}, gone: undefined });
    expect(find(old.gone, one.a)).toEqual({ torn: 1, upon: 0, back: { a: undefined } });
    expect(find(old.gone, one.a, one.gone)).toEqual(nothing);
    // It was there before all that the stream has.
    const changes = [one.a as Change];
    const place = toPlace(table, { pk: "gone", sk });
    expect(findTorn(changes, new Date(start), new Set([place])).undone).toHaveLength(1);
    expect(findTorn(changes, new Date(start)).undone).toEqual([]);
  });

  test("gets a deleted item back where nothing else of the transaction has come", () => {
    const first = new First();
    first.transact({ gone: { minor: 7 } });
    const one = first.transact({ a: {}, b: {}, gone: undefined });
    expect(find(one.gone)).toEqual({ torn: 0, upon: 0, back: { gone: 7 } });
    expect(find(one.a, one.gone)).toEqual({ torn: 1, upon: 0, back: { a: undefined, gone: 7 } });
  });

  test("does not get an item back whose time was up", () => {
    const first = new First();
    first.transact({ gone: { minor: 7, expiresAtSeconds: start / 1_000 - 60 } });
    expect(find(first.write("gone", undefined))).toEqual(nothing);
  });

  test("does not guess which of two deletions is which", () => {
    const first = new First();
    first.transact({ gone: { minor: 1 } });
    const t1 = first.transact({ a: { minor: 1 }, gone: undefined });
    const t2 = first.transact({ gone: { minor: 2 } });
    const t3 = first.transact({ b: { minor: 3 }, c: {}, gone: undefined });
    expect(find(t1.a, t1.gone, t2.gone, t3.b, t3.c, t3.gone)).toEqual(nothing);
    const { torn, upon, back } = find(t1.a, t1.gone, t2.gone, t3.b, t3.gone);
    expect([torn, upon, back]).toEqual([1, 2, { a: undefined, b: undefined, gone: 1 }]);
  });

  test("loses what deleted an item upon which it has no right to build", () => {
    const first = new First();
    const old = first.transact({ part: { minor: 9 } });
    const torn = first.transact({ part: { minor: 2 }, lost: {} });
    const deleting = first.transact({ whole: { minor: 3 }, part: undefined });
    expect(find(old.part, torn.part, deleting.whole, deleting.part)).toEqual({
      torn: 1,
      upon: 1,
      back: { part: 9, whole: undefined },
    });
  });

  test("loses both where one wrote an item, another deleted it, and no change shows it", () => {
    const first = new First();
    const one = first.transact({ brief: { minor: 1 }, a: {} });
    const other = first.transact({ brief: undefined, b: {} });
    expect(find(one.a, other.b)).toEqual({ torn: 1, upon: 1, back: { a: undefined, b: undefined } });
    expect(find(other.b)).toEqual(nothing);
  });

  test("loses no more when what was lost is undone again, wholly or in part", () => {
    const first = new First();
    const t1 = first.transact({ a: { minor: 1 }, b: {} });
    const torn = first.transact({ a: { minor: 2 }, c: {}, lost: {} });
    const lost = [t1.a, t1.b, torn.a, torn.c];
    const back = first.write("a", t1.a?.after as Stored);
    const buried = [first.write("c", { undone: true }), first.write("c", undefined)] as const;
    expect(find(...lost, back, ...buried)).toEqual(nothing);
    expect(find(...lost, back)).toMatchObject({ back: { c: undefined } });
    const half = findTorn([...lost, back, buried[0]] as Change[], new Date(start)).restored;
    expect(names(half)).toEqual(["c"]);
    expect(find(...lost, ...buried)).toMatchObject({ back: { a: 1 } });
  });

  test("has all of what began before the time that is given", () => {
    const one = new First().transact({ a: {}, b: {} });
    expect(findTorn([one.a as Change], new Date(start + 60_000)).undone).toEqual([]);
  });
});

describe("a stamp", () => {
  const TableName = table;
  const Key = { pk: "a", sk };

  test("is on each item that is put or updated, with all that is written and deleted", () => {
    const items = stamped([
      { Put: { TableName, Item: { pk: "p", sk, writtenBefore2: "of what was read" } } },
      { Update: { TableName, Key, UpdateExpression: "SET #x = :x ADD #n :n" } },
      { Update: { TableName, Key, UpdateExpression: "REMOVE #x" } },
      { Delete: { TableName, Key } },
      { ConditionCheck: { TableName, Key, ConditionExpression: "attribute_exists(pk)" } },
    ]);
    const [put, ...updates] = items;
    const places = [{ pk: "p", sk }, Key, Key].map((key) => toPlace(table, key)).join("");
    const all = { places, deleted: [[table, "a", sk]] };
    const id = put?.Put?.Item?.[writtenWith];
    expect(id).toMatch(/^.{12}4$/);
    expect(put?.Put?.Item).toEqual({
      pk: "p",
      sk,
      [writtenWith]: id,
      [writtenAll]: all,
      writtenBefore1: "?",
    });
    for (const { Update } of updates.slice(0, 2))
      expect(Update?.ExpressionAttributeValues).toEqual({
        ":writtenWith": id,
        ":writtenAll": all,
        ":first": "-",
      });
    expect(updates.slice(0, 2).map(({ Update }) => Update?.UpdateExpression)).toEqual([
      expect.stringMatching(/^SET #writtenWith = :writtenWith, .*, #x = :x ADD #n :n$/),
      expect.stringMatching(/^SET #writtenWith = :writtenWith, .* REMOVE #x$/),
    ]);
    expect(items[4]).toEqual({ ConditionCheck: expect.anything() });
  });
});
