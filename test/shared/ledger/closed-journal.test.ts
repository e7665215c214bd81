import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import {
  hashBytes,
  isMovedMonth,
  isOverdue,
  keptSince,
  movedMonths,
  readJournalItems,
  readJournalPages,
  readMoved,
  toLines,
  toMonth,
  WholeJournal,
} from "../../../shared/ledger/closed-journal.ts";
import { earliestId, newId, ulidTimeLength, withoutPrefix } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import { givenObjects } from "../../harness/given-objects.ts";

type Entry = Readonly<{ pk: string; sk: string; amount: number }>;

const programId = newId("program");
const cardId = newId("card");
const pk = `${programId}#${cardId}`;
const january = toMonth(new Date("2020-01-05T00:00:00Z"));
const march = toMonth(new Date("2020-03-31T23:59:59.999Z"));

/** One entry, under a key of its time. */
function entryAt(time: string, amount: number, part = pk): Entry {
  const id =
    earliestId("journalEntry", new Date(time)) + withoutPrefix(newId("journalEntry")).slice(ulidTimeLength);
  return { pk: part, sk: `ENTRY#${id}`, amount };
}

/** The month's object, and what leads to it. Items in the table stay where they are. */
async function move(entries: readonly Entry[], month = january, wrong: object = {}) {
  const { recordsBucket } = await import("../../../shared/platform/file-store.ts");
  const text = toLines(entries);
  const movedTo = `journal/${newId("program")}.jsonl`;
  await recordsBucket.write(movedTo, text, "application/x-ndjson");
  const moved = { movedTo, sha256: hashBytes(text), entries: entries.length, movedAt: "" };
  const [of = "", cardOf = ""] = (entries[0]?.pk ?? pk).split("#");
  return { ...moved, ...wrong, ...movedMonths.key(of, cardOf, month) };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const store = (items: readonly object[]) => writeBatch(items.map((put) => ({ put: put as Key })));
const amounts = (items: readonly object[]) => items.map((item) => (item as Entry).amount);

beforeAll(async () => {
  await givenObjects();
});

describe("a month", () => {
  it("is one of the calendar in UTC, and begins before and ends after all of its entries", () => {
    expect(toMonth(new Date("2020-01-05T00:00:00Z"))).toMatchObject({
      name: "2020-01",
      from: new Date("2020-01-01T00:00:00Z"),
      until: new Date("2020-02-01T00:00:00Z"),
    });
    expect(toMonth(new Date("2020-12-31T00:00:00Z")).until).toEqual(new Date("2021-01-01T00:00:00Z"));
    expect(entryAt("2020-01-01T00:00:00.000Z", 1).sk > january.first).toBe(true);
    expect(entryAt("2020-01-31T23:59:59.999Z", 1).sk < january.end).toBe(true);
    expect(entryAt("2020-02-01T00:00:00.000Z", 1).sk > january.end).toBe(true);
  });

  it("stays for thirteen whole months beside the one under way", () => {
    expect(keptSince(new Date("2021-03-15T00:00:00Z"))).toEqual(new Date("2020-02-01T00:00:00Z"));
  });

  it.each([
    ["of the month before the last", "2019-12-31T23:59:59.999Z", true],
    ["of the month that is being moved", "2020-01-01T00:00:00.000Z", false],
    ["of a month that stays", "2020-02-01T00:00:00.000Z", false],
  ])("is overdue for a Card's entry %s: %s, %s", (_, time, overdue) => {
    expect(isOverdue({ ...entryAt(time, 1) }, new Date("2021-03-15T00:00:00Z"))).toBe(overdue);
  });

  it("is overdue from its first entry on, not from what stands before it", () => {
    const at = new Date("2021-03-15T00:00:00Z");
    expect(isOverdue({ pk, sk: january.first }, at)).toBe(false);
    expect(isOverdue({ pk, sk: "CARD" }, at)).toBe(false);
    const ofWallet = { ...entryAt("2019-12-01T00:00:00Z", 1), pk: `${programId}#${newId("wallet")}` };
    expect(isOverdue(ofWallet, at)).toBe(false);
  });
});

describe("a moved month", () => {
  it("is read within any span, with both ends included, from the object alone", async () => {
    const part = `${programId}#${newId("card")}`;
    const moved = [2, 10, 20].map((day, index) =>
      entryAt(`2020-01-${String(day).padStart(2, "0")}T00:00:00Z`, index + 1, part),
    );
    const [, second, third] = moved as [Entry, Entry, Entry];
    const kept = [
      entryAt("2020-02-02T00:00:00Z", 4, part),
      entryAt("2020-02-03T00:00:00Z", 5, part),
    ] as const;
    // One that a run had no time to delete, and which counts no more.
    const left = { ...second, amount: 2_000 };
    await store([await move(moved), left, ...kept]);
    const read = async (first: string, last: string) =>
      amounts(await collect(readJournalItems(part, { first, last })));
    expect(await read(january.first, march.end)).toEqual([1, 2, 3, 4, 5]);
    expect(await read(january.first.slice(0, -10), march.end)).toEqual([1, 2, 3, 4, 5]);
    expect(await read(second.sk, kept[0].sk)).toEqual([2, 3, 4]);
    expect(await read(`${second.sk}!`, `${kept[0].sk}!`)).toEqual([3, 4]);
    expect(await read(second.sk, third.sk)).toEqual([2, 3]);
    expect(await read(january.first, second.sk)).toEqual([1, 2]);
    expect(await read(kept[0].sk, kept[1].sk)).toEqual([4, 5]);
    // A span with no entry has no page that is not empty.
    const pages = await collect(readJournalPages(part, { first: `${third.sk}!`, last: `${third.sk}~` }));
    expect(pages.flat()).toEqual([]);
  });

  it("is read to its end where nothing follows it, in one last page", async () => {
    const part = `${programId}#${newId("card")}`;
    const moved = [entryAt("2020-03-01T00:00:00Z", 1, part), entryAt("2020-03-31T00:00:00Z", 2, part)];
    await store([await move(moved, march)]);
    const pages = await collect(readJournalPages(part, { first: march.first, last: march.end }));
    expect(pages.map(amounts)).toEqual([[], [1, 2]]);
  });

  it("takes no further page of a part without one", async () => {
    const part = `${programId}#${newId("card")}`;
    const entries = [entryAt("2020-01-01T00:00:00Z", 1, part), entryAt("2020-01-02T00:00:00Z", 2, part)];
    await store(entries);
    const keys = { first: entries[1]?.sk ?? "", last: january.end };
    expect((await collect(readJournalPages(part, keys))).map(amounts)).toEqual([[2]]);
  });

  it("is put between the items of other partitions and months", async () => {
    const other = `${programId}#${newId("card")}`;
    const moved = [entryAt("2020-01-03T00:00:00Z", 1), entryAt("2020-01-04T00:00:00Z", 2)];
    const whole = new WholeJournal();
    expect(whole.end()).toEqual([]);
    expect(await whole.add(await move(moved))).toEqual([]);
    const between = entryAt("2020-01-03T12:00:00Z", 3);
    expect(amounts(await whole.add(between))).toEqual([1, 3]);
    // Its key is before those of the month, but it is of another Card.
    const foreign = entryAt("2020-01-01T00:00:00Z", 4, other);
    expect(amounts(await whole.add(foreign))).toEqual([2, 4]);
    expect(whole.end()).toEqual([]);
  });

  it("is of the Card whose item leads to it, which its lines do not name", async () => {
    const text = toLines([entryAt("2020-01-03T00:00:00Z", 1)]);
    expect(text).not.toContain(pk);
    expect(text.endsWith("}\n")).toBe(true);
    const moved = movedMonths.parse(await move([entryAt("2020-01-03T00:00:00Z", 1)]));
    expect(await readMoved("part", moved)).toMatchObject([{ pk: "part", amount: 1 }]);
    expect([isMovedMonth({ ...moved }), isMovedMonth({ pk })]).toEqual([true, false]);
  });

  it.each([
    ["is gone", { movedTo: "journal/gone.jsonl" }, "The closed month journal/gone.jsonl is gone."],
    ["has other bytes", { sha256: createHash("sha256").digest("hex") }, "is not the one that was written"],
    ["lacks an entry", { entries: 2 }, "is not the one that was written"],
  ])("is not read if its object %s", async (_, wrong, message) => {
    const moved = movedMonths.parse(await move([entryAt("2020-01-03T00:00:00Z", 1)], january, wrong));
    await expect(readMoved(pk, moved)).rejects.toThrow(message);
  });

  it("is looked for only by readings that begin over a year ago", async () => {
    const recent = new Date(Date.now() - 20 * 86_400_000);
    const part = `${programId}#${newId("card")}`;
    const [early, late] = [
      new Date(Date.UTC(recent.getUTCFullYear(), recent.getUTCMonth(), 2)),
      new Date(Date.UTC(recent.getUTCFullYear(), recent.getUTCMonth(), 4)),
    ];
    const month = toMonth(early);
    const moved = [entryAt(early.toISOString(), 1, part), entryAt(late.toISOString(), 2, part)];
    await store([await move(moved, month)]);
    const keys = { first: moved[1]?.sk ?? "", last: month.end };
    expect(await collect(readJournalItems(part, keys))).toEqual([]);
  });
});
