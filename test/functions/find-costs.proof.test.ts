import { beforeAll, describe, expect, test } from "vitest";
import { authorizationList } from "../../shared/authorizations/holds/history.ts";
import { holds } from "../../shared/authorizations/holds/hold.ts";
import { cardholderList, emailKey, phoneKey } from "../../shared/cardholders/cardholder.ts";
import { cardList } from "../../shared/cards/card-view.ts";
import { disputeList, disputes } from "../../shared/disputes/dispute.ts";
import { transferKey } from "../../shared/ledger/journal-entry.ts";
import { listChange } from "../../shared/lists/entry.ts";
import { searchedRecords } from "../../shared/lists/indexed-page.ts";
import { type List, type ListKind, type StoredRecord, toEntry } from "../../shared/lists/kind.ts";
import { earliestId } from "../../shared/platform/id.ts";
import { readBatch, writeBatch } from "../../shared/platform/table/batch.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { transactionList, transactions } from "../../shared/transactions/transaction.ts";
import { transferList } from "../../shared/wallets/transfer-list.ts";
import { compactNow } from "../harness/compact-now.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenProgram,
  givenWallet,
} from "../harness/given-cards.ts";
import { fromAfar, measure } from "../harness/measure.ts";
import { person } from "../harness/person.ts";
import { givenPurchase } from "./disputes/given-dispute.ts";

const atOnce = 2_500;
const since = Date.parse("2026-01-01T00:00:00.000Z");

/** What the list knows of so many, without their records: a second apart. */
async function fill(programId: string, kind: ListKind, count: number, toRecord: (index: number) => object) {
  for (let begin = 0; begin < count; begin += atOnce) {
    const indexes = Array.from({ length: Math.min(atOnce, count - begin) }, (_, at) => begin + at);
    const entries = indexes.map((index) => {
      const createdAt = new Date(since + index * 1000).toISOString();
      return toEntry(kind, `old_${String(index).padStart(8, "0")}`, { ...toRecord(index), createdAt });
    });
    await transact([listChange({ programId, kind }, entries)]);
  }
}

async function costOf(program: GivenProgram, route: string, query: Record<string, string>) {
  const ask = () => program.call(`GET ${route}` as never, { query } as never);
  const { result, cost } = await fromAfar(() => measure(ask));
  const { status, body } = result as { status: number; body: { total: number } };
  expect([query, status, body.total]).toEqual([query, 200, 1]);
  return cost;
}

test("among thousands, one is found by name, email, phone or last four within the units of a page", async () => {
  const program = await givenProgram();
  const { programId } = program;
  const cardholderId = await givenApprovedCardholder(program, {
    lastName: "Zyxel",
    email: "z@example.com",
  } as never);
  const card = await givenCard(program, { cardholderId });
  const lastFour = String(card.maskedCardNumber).slice(-4);
  await fill(programId, cardholderList, 5_000, (index) => ({
    ...{ status: 1, firstName: "Ada", lastName: `Lovelace ${index}` },
    ...{ email: `${index}@example.com`, phone: `+44${index}` },
  }));
  await fill(programId, cardList, 5_000, (index) => ({
    ...{ issuerCardStatus: 1, cardholderId: `chd_${index}`, cardHolderLastName: "Lovelace", cardForm: 0 },
    lastFour: lastFour === "1234" ? "4321" : "1234",
  }));
  await compactNow({ programId, kind: cardholderList }, { programId, kind: cardList });
  expect([emailKey("a"), phoneKey("1")].map(({ length }) => length)).toEqual([16, 16]);
  const queries: Record<string, string>[] = [
    { name: "zyx" },
    { email: "Z@example.com" },
    { name: `${person.firstName} zyx` },
  ];
  for (const query of queries) {
    const { readUnits, roundTrips } = await costOf(program, "/cardholders", query);
    expect(readUnits).toBeLessThan(60);
    expect(roundTrips).toBeLessThanOrEqual(5);
  }
  const byDigits = await costOf(program, "/cards", { lastFour });
  expect(byDigits.readUnits).toBeLessThan(60);
  expect(byDigits.roundTrips).toBeLessThanOrEqual(5);
  const byName = await costOf(program, "/cards", { name: "zyx" });
  expect(byName.readUnits).toBeLessThan(120);
  expect(byName.roundTrips).toBeLessThanOrEqual(9);
}, 120_000);

test("what no list knows is searched in so many records, and of more 422 says how many", async () => {
  const program = await givenProgram();
  await fill(program.programId, disputeList, searchedRecords + 1, () => ({
    status: "submitted",
    amountMinor: 1,
  }));
  const query = { referenceCode: "R1" };
  const { status, body } = await program.call("GET /disputes", { query });
  expect([status, body.errors?.[0]]).toMatchObject([422, { path: "query.after", code: "too_many_records" }]);
  expect(body.errors?.[0]?.message).toContain(String(searchedRecords + 1));
  const after = String(since / 1000 + searchedRecords - 10);
  expect((await program.call("GET /disputes", { query: { ...query, after } })).status).toBe(200);
}, 120_000);

type Route = "/cards/transactions" | "/authorizations" | "/disputes" | "/transfers";

/** A record as it is stored, for copies of it. */
interface Searched {
  readonly list: List;
  readonly idKind: Parameters<typeof earliestId>[0];
  readonly idName: string;
  readonly key: Key;
  /** What one of the copies has alone. */
  readonly own: object;
}

const copies = 350;
const aCard = `crd_${"0".repeat(24)}77`;
const anotherCard = `crd_${"0".repeat(24)}78`;

/** So many, a second apart, of which the list knows. */
async function copyStored({ list, idKind, idName, key, own }: Searched): Promise<void> {
  const [{ listed: _, ...stored } = {}] = (await readBatch([key])) as StoredRecord[];
  const made = Array.from({ length: copies }, (_none, index) => {
    const createdAt = new Date(since + index * 1000).toISOString();
    const id = `${earliestId(idKind, new Date(createdAt))}${"0".repeat(16)}`;
    const names = { [idName]: id, ...(stored.entityId !== undefined && { entityId: id }) };
    const record = { ...stored, ...names, createdAt, ...(index === copies - 7 && own) };
    const known = list.kind.toRecord?.(record, list) ?? record;
    const entry = toEntry(list.kind, id, known);
    return { put: { ...record, ...list.kind.recordKey?.(list, id, known) } as unknown as Key, entry };
  });
  await writeBatch(made);
  const entries = made.map(({ entry }) => entry);
  await transact([listChange(list, entries)]);
}

describe(`what no list knows, in ${copies} records`, () => {
  let program: GivenProgram;

  beforeAll(async () => {
    const purchase = await givenPurchase();
    ({ program } = purchase);
    const { programId } = program;
    const { cardId, transId, onCard } = purchase;
    const walletId = await givenWallet(program, 1_000);
    const { authorizationId } = (await onCard("authorizations", { amount: 100 })) as {
      authorizationId: string;
    };
    const { disputeId } = (await purchase.create()).body.data as { disputeId: string };
    const unload = { path: { cardId }, body: { walletId, amount: 100 } };
    const { transferId } = (await program.call("POST /cards/{cardId}/unload", unload)).body.data;
    const all: readonly Searched[] = [
      {
        ...{ list: { programId, kind: transactionList }, idKind: "transaction", idName: "transId" },
        key: transactions.key(programId, cardId, transId),
        own: { merchantName: "Café Zürich", merchantId: "M-77", referenceCode: "R-77" },
      },
      {
        ...{ list: { programId, kind: authorizationList }, idKind: "hold", idName: "authorizationId" },
        key: holds.key(programId, authorizationId),
        own: { merchant: { merchantName: "Café Zürich", merchantId: "M-77" } },
      },
      {
        ...{ list: { programId, kind: disputeList }, idKind: "dispute", idName: "disputeId" },
        key: disputes.key(programId, disputeId),
        own: { referenceCode: "R-77" },
      },
      {
        ...{ list: { programId, kind: transferList, owner: walletId }, idKind: "transfer" },
        ...{ idName: "transferId", key: transferKey(programId, walletId, transferId) },
        own: { sourceCardId: aCard, destinationId: anotherCard },
      },
    ];
    for (const one of all) await copyStored(one);
    await compactNow(...all.map(({ list }) => list));
  }, 60_000);

  /** Round trips and read units of a page of 50, and of the same one with a filter. */
  test.each<[Route, string, string, readonly [number, number], readonly [number, number]]>([
    ["/cards/transactions", "merchant", "cafe z", [4, 70], [4, 369]],
    ["/cards/transactions", "merchantId", "M-77", [4, 70], [4, 369]],
    ["/cards/transactions", "referenceCode", "R-77", [4, 70], [4, 369]],
    ["/authorizations", "merchant", "cafe z", [4, 68.5], [4, 369]],
    ["/authorizations", "merchantId", "M-77", [4, 68.5], [4, 369]],
    ["/disputes", "referenceCode", "R-77", [4, 56.5], [4, 357]],
    ["/transfers", "sourceCardId", aCard, [6, 57], [6, 357.5]],
    ["/transfers", "destinationId", anotherCard, [6, 57], [6, 357.5]],
  ])(
    "GET %s by %s reads each of them, in no more round trips",
    async (route, name, value, page, searched) => {
      const before = String(since / 1000 + copies);
      const costsOf = async (query: Record<string, string>, total: number) => {
        const ask = () => program.call(`GET ${route}` as never, { query: { before, ...query } } as never);
        // From now on, the process has the list's sparse indexes.
        await ask();
        const { result, cost } = await fromAfar(() => measure(ask));
        const { status, body } = result as { status: number; body: { total: number } };
        expect([query, status, body.total]).toEqual([query, 200, total]);
        return [cost.roundTrips, cost.readUnits];
      };
      expect([await costsOf({}, copies), await costsOf({ [name]: value }, 1)]).toEqual([page, searched]);
    },
  );
});
