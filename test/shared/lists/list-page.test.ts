import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { afterEach, describe, expect, it, test, vi } from "vitest";
import { cardholderList, cardholders as storedCardholders } from "../../../shared/cardholders/cardholder.ts";
import { listInsert, listUpdate } from "../../../shared/lists/entry.ts";
import type { PageQuery } from "../../../shared/lists/indexed-page.ts";
import { sortValue } from "../../../shared/lists/kind.ts";
import { type ListedRecords, listPage } from "../../../shared/lists/list-page.ts";
import { nameKey } from "../../../shared/lists/name-key.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { newId } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import { table } from "../../../shared/platform/table/client.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import { transact } from "../../../shared/platform/table/transact.ts";

interface Row extends Key, Record<string, unknown> {
  readonly entityId: string;
  readonly createdAt: string;
}

/** More rows than a BatchGetItem returns, with few values, so that most are ties. */
const rowCount = 230;
const programId = newId("program");
const rows = await put(
  Array.from({ length: rowCount }, (_, index): Row => {
    const entityId = newId("cardholder");
    return {
      ...storedCardholders.key(programId, entityId),
      entityId,
      status: index % 3,
      lastName: ["Lovelace", "Hopper", "hopper", "Ünal", "Curie"][(index * 7) % 5],
      firstName: "Ada",
      email: `ada+${index}@example.com`,
      createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, (index * 13) % 20, 500 * (index % 2))).toISOString(),
    };
  }),
);
await insert(programId, rows);
const otherId = newId("program");
await insert(otherId, await put([{ ...(rows[0] as Row), ...keysOf(otherId) }]));

const cardholders: ListedRecords<Row, Row> = {
  records: { list: { programId, kind: cardholderList } },
  orders: { cardholderId: "entityId", status: "status", lastName: "lastName", dateCreated: "createdAt" },
  view: (row) => row,
};
const query: PageQuery = { orderBy: "dateCreated", sort: "desc", limit: 50, offset: 0 };

function keysOf(otherProgram: string) {
  return storedCardholders.key(otherProgram, newId("cardholder"));
}

async function put<R extends Key>(items: R[]): Promise<R[]> {
  await writeBatch(items.map((item) => ({ put: item })));
  return items;
}

async function insert(of: string, items: Row[]): Promise<void> {
  for (const row of items) await transact([listInsert(cardholderList, of, row.entityId, row)]);
}

/** The order by definition: by value, then by id, both in the same direction. */
function expected(attribute: string, sort: "asc" | "desc", of: Row[] = rows): string[] {
  const ascending = of.toSorted((left, right) => {
    const [a, b] = [left, right].map((row) => sortValue(row, attribute, cardholderList.sortKeys) as string);
    if (a === undefined || b === undefined) throw new Error(`A row has no ${attribute}.`);
    if (a !== b) return a < b ? -1 : 1;
    return left.entityId < right.entityId ? -1 : 1;
  });
  return (sort === "asc" ? ascending : ascending.toReversed()).map(({ entityId }) => entityId);
}

async function pageIds(listing: ListedRecords<Row, Row>, pageQuery: PageQuery): Promise<unknown[]> {
  return (await listPage(listing, pageQuery)).items.map(({ entityId }) => entityId);
}

afterEach(() => vi.restoreAllMocks());

describe("a page of an indexed list", () => {
  test("has whole records, also beyond one batch", async () => {
    const { items } = await listPage(cardholders, { ...query, limit: 200 });
    expect(items).toHaveLength(200);
    for (const item of items) {
      expect(item).toEqual(rows.find(({ entityId }) => entityId === item.entityId));
    }
  });

  test("is empty beyond the end, with the exact total", async () => {
    const page = await listPage(cardholders, { ...query, offset: rowCount });
    expect(page).toEqual({ items: [], total: rowCount });
    expect(await pageIds(cardholders, { ...query, offset: rowCount - 1 })).toHaveLength(1);
  });

  test("is a slice of one order, for any limit and offset", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(rowCount + 5), fc.integer({ min: 1, max: 200 }), async (offset, limit) => {
        const ids = await pageIds(cardholders, { ...query, orderBy: "lastName", limit, offset });
        expect(ids).toEqual(expected("lastName", "desc").slice(offset, offset + limit));
      }),
      { numRuns: 15 },
    );
  });

  test("retries keys that DynamoDB leaves unprocessed", async () => {
    const send = table.send.bind(table) as (command: unknown) => Promise<Record<string, unknown>>;
    let left = 2;
    vi.spyOn(table, "send").mockImplementation((async (command: unknown) => {
      if (!(command instanceof BatchGetCommand) || left === 0) return send(command);
      left -= 1;
      const name = environment.issuingTable;
      const keys = command.input.RequestItems?.[name]?.Keys ?? [];
      const answer = await send(
        new BatchGetCommand({ RequestItems: { [name]: { Keys: keys.slice(0, 3) } } }),
      );
      return { ...answer, UnprocessedKeys: { [name]: { Keys: keys.slice(3) } } };
    }) as never);
    const { items } = await listPage(cardholders, { ...query, limit: 20 });
    expect(left).toBe(0);
    expect(items.map(({ email }) => email)).not.toContain(undefined);
    expect(items).toHaveLength(20);
  });

  test("is answered while a late change is missing, though its record is then in two positions", async () => {
    const programId = newId("program");
    const [row] = await put([
      { ...(rows[0] as Row), ...storedCardholders.key(programId, "chd_1"), entityId: "chd_1" },
    ]);
    const as = (status: number) => ({ ...(row as Row), status });
    await transact([listInsert(cardholderList, programId, "chd_1", as(4))]);
    // From 4 to 3 is what is missing.
    await transact([listUpdate(cardholderList, programId, "chd_1", as(3), as(1))]);
    const records = { list: { programId, kind: cardholderList } };
    const { items } = await listPage({ ...cardholders, records }, query);
    expect(items.map(({ status }) => status).toSorted()).toEqual([1, 4]);
  });

  test("fails for an order that the list does not know", async () => {
    const unknown = { ...query, orderBy: "nickname" };
    await expect(listPage(cardholders, unknown)).rejects.toThrow("does not know nickname");
  });
});

describe("a page of a partition", () => {
  const partition = `${programId}#wlt_fat`;
  const transfers: ListedRecords<Row, Row> = {
    records: { partitions: [{ pk: partition, sk: "TRANSFER#" }] },
    orders: { amount: "amountMinor", dateCreated: "createdAt" },
    view: (row) => row,
  };

  test("has only the records with the prefix, from all query pages", async () => {
    const record = (sk: string, amountMinor: number) => ({
      pk: partition,
      sk,
      amountMinor,
      createdAt: "2026-01-01T00:00:00.000Z",
      memo: "x".repeat(150_000),
    });
    await put([record("ENTRY#1", 0), record("WALLET", 0), record("TRANSFER", 0)]);
    const sks = Array.from({ length: 12 }, (_, index) => `TRANSFER#${String(index).padStart(2, "0")}`);
    for (const sk of sks) await put([record(sk, 5)]);
    const { items, total } = await listPage(transfers, { ...query, orderBy: "amount", limit: 5, offset: 5 });
    expect(total).toBe(12);
    expect(items.map(({ sk }) => sk)).toEqual(sks.toReversed().slice(5, 10));
  });
});

const sorted = (names: readonly string[]) =>
  names.toSorted((left, right) => (nameKey(left) < nameKey(right) ? -1 : 1));

describe("the order of names", () => {
  it.each([
    [["Abalos", "ábalos", "de Souza", "Öztürk", "Zimmer"]],
    [["Dávila", "De Vries", "de Vries", "Dekker", "DeVries"]],
    [["Lund", "Łukasz", "Lyon"].toSorted(new Intl.Collator("en").compare)],
    [["Straßer", "Strasser-Ohm", "Strasshof", "Strömberg"].toSorted(new Intl.Collator("en").compare)],
    [["Aesop", "Æthelred", "Afra", "Østergaard", "Otto"].toSorted(new Intl.Collator("en").compare)],
    [["O'Brien", "O’Dell", "Oakes"].toSorted(new Intl.Collator("en").compare)],
    [["Иванов", "Йонов", "иванова"].toSorted(new Intl.Collator("ru").compare)],
    [["", "A"]],
  ])("is %j", (names) => {
    expect(sorted(names.toReversed())).toEqual(names);
  });

  it("tells different names apart, and no name from itself", () => {
    const name = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\u0000"));
    fc.assert(
      fc.property(name, name, (left, right) => {
        expect(nameKey(left) === nameKey(right)).toBe(left === right);
      }),
    );
  });
});
