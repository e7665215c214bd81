import { expect, test } from "vitest";
import { compactLists } from "../../../functions/list-indexer/compact-lists.ts";
import { TransferStatus } from "../../../shared/contract/enums.ts";
import { ownChange, transferKey } from "../../../shared/ledger/journal-entry.ts";
import { walletTransactionList } from "../../../shared/ledger/wallet-transactions.ts";
import { streamedChanges } from "../../../shared/list-kinds.ts";
import { compactList } from "../../../shared/lists/compaction.ts";
import { listTotal } from "../../../shared/lists/indexed-page.ts";
import { changedEntries, type Entry, type List, type ListKind, toEntry } from "../../../shared/lists/kind.ts";
import { deleteOldChanges } from "../../../shared/lists/late-changes.ts";
import { listPage } from "../../../shared/lists/list-page.ts";
import { readManifest } from "../../../shared/lists/manifest.ts";
import { checkList, rebuildList } from "../../../shared/lists/rebuild.ts";
import { toOwnChange } from "../../../shared/lists/store.ts";
import { newId, withoutPrefix } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import { transferList } from "../../../shared/wallets/transfer-list.ts";
import { eventOf, later, useOwnDays } from "./given-list.ts";

const day = 86_400_000;
useOwnDays(Date.UTC(2031, 5, 1), 300);

/** A Wallet that many transfers were made from. Each record carries its journal entry. */
function givenWallet() {
  const [programId, owner] = [newId("program"), newId("wallet")];
  const listOf = (kind: ListKind): List => ({ programId, kind, owner });
  return { programId, owner, transfers: listOf(transferList), transactions: listOf(walletTransactionList) };
}
type Wallet = ReturnType<typeof givenWallet>;

function transferRecord({ programId, owner }: Wallet, amountMinor: number) {
  const transferId = newId("transfer");
  return {
    ...transferKey(programId, owner, transferId),
    ...ownChange,
    transferId,
    transStatus: TransferStatus.approved,
    requestedAmountMinor: amountMinor,
    createdAt: new Date().toISOString(),
    entry: {
      entryId: `jrn_${withoutPrefix(transferId)}`,
      kind: "transfer",
      postings: [
        { account: `${owner}:available`, amountMinor: -amountMinor },
        { account: "crd_1:available", amountMinor },
      ],
    },
  };
}

async function write(wallet: Wallet, count: number) {
  const records = Array.from({ length: count }, (_, index) => transferRecord(wallet, index + 1));
  await writeBatch(records.map((put) => ({ put })));
  return records;
}

async function compact({ transfers, transactions }: Wallet): Promise<void> {
  later(60_000);
  for (const list of [transfers, transactions]) await compactList(list);
}

async function totals({ transfers, transactions }: Wallet): Promise<number[]> {
  return [await listTotal(transfers), await listTotal(transactions)];
}

/** The entries that the stored records have. */
const entriesOf = (list: List, records: readonly object[]): Entry[] =>
  records.flatMap((item) => {
    const record = list.kind.toRecord?.(item as never, list);
    return record ? [toEntry(list.kind, String(record.entityId), record)] : [];
  });

test("records without rows are in both lists of their Wallet, before and after their compaction", async () => {
  const wallet = givenWallet();
  const records = await write(wallet, 700);
  expect(await totals(wallet)).toEqual([700, 700]);
  await compact(wallet);
  expect((await readManifest(wallet.transfers)).segments.length).toBeGreaterThan(0);
  const more = await write(wallet, 30);
  expect(await totals(wallet)).toEqual([730, 730]);
  for (const list of [wallet.transfers, wallet.transactions]) {
    expect(await checkList(list, async () => entriesOf(list, [...records, ...more]))).toEqual([]);
  }
  const { items } = await listPage(
    {
      records: { list: wallet.transactions },
      orders: { amount: "amountMinor" },
      view: (record: { relatedId: string; amountMinor: number }) => record,
    },
    { orderBy: "amount", sort: "asc", limit: 2, offset: 0 },
  );
  expect(items).toMatchObject([
    { relatedId: records[699]?.transferId, amountMinor: -700, type: "transfer_out" },
    { relatedId: records[698]?.transferId, amountMinor: -699 },
  ]);
});

test("a record that missed its compaction is added once to each list, however often it arrives", async () => {
  const wallet = givenWallet();
  const late = transferRecord(wallet, 5);
  const inTime = (await write(wallet, 600)).slice(0, 1);
  await compact(wallet);
  await writeBatch([{ put: late }]);
  expect(await totals(wallet)).toEqual([600, 600]);
  const arrival = eventOf([late]);
  const [record] = arrival.Records;
  if (record?.dynamodb) record.dynamodb.ApproximateCreationDateTime = Math.floor(Date.now() / 1_000);
  await Promise.all([compactLists(arrival), compactLists(arrival)]);
  await compactLists(arrival);
  expect(await totals(wallet)).toEqual([601, 601]);
  await write(wallet, 600);
  await compact(wallet);
  expect(await totals(wallet)).toEqual([1_201, 1_201]);
  // Long after, when no record shows any more which changes were compacted.
  later(5 * day);
  for (const list of [wallet.transfers, wallet.transactions]) await deleteOldChanges(list);
  await compactLists(arrival);
  await compactLists(eventOf(inTime));
  expect(await totals(wallet)).toEqual([1_201, 1_201]);
});

test("a record that missed its compaction and never arrives is added when the compaction is forgotten", async () => {
  const wallet = givenWallet();
  const late = transferRecord(wallet, 5);
  await write(wallet, 600);
  await compact(wallet);
  await writeBatch([{ put: late }]);
  later(3 * day);
  for (const list of [wallet.transfers, wallet.transactions]) await deleteOldChanges(list);
  expect(await totals(wallet)).toEqual([601, 601]);
});

test("transactions behind more declined transfers than a page of a query has are compacted", async () => {
  const wallet = givenWallet();
  const memo = "m".repeat(2_000);
  const declined = Array.from({ length: 700 }, () => {
    const { entry: _, ...record } = transferRecord(wallet, 1);
    return { ...record, memo };
  });
  await writeBatch(declined.map((put) => ({ put })));
  await write(wallet, 300);
  await compact(wallet);
  expect((await readManifest(wallet.transactions)).segments.length).toBeGreaterThan(0);
  expect(await totals(wallet)).toEqual([1_000, 300]);
});

test("a rebuild counts each record once, also when nothing tells any more what was compacted", async () => {
  const wallet = givenWallet();
  const records = await write(wallet, 600);
  await compact(wallet);
  later(5 * day);
  for (const list of [wallet.transfers, wallet.transactions]) await deleteOldChanges(list);
  const more = await write(wallet, 600);
  await compact(wallet);
  for (const list of [wallet.transfers, wallet.transactions]) {
    expect(await rebuildList(list, async () => entriesOf(list, [...records, ...more]))).toBe(true);
  }
  expect(await totals(wallet)).toEqual([1_200, 1_200]);
});

test("a declined transfer is in the list of transfers alone", () => {
  const wallet = givenWallet();
  const { entry: _, ...declined } = transferRecord(wallet, 5);
  const entriesOfLists = (record: object) =>
    streamedChanges({ ...record }).map(({ list, row }) => [list.kind.name, changedEntries(row).length]);
  expect(entriesOfLists(declined)).toEqual([
    ["transfers", 1],
    ["walletTransactions", 0],
  ]);
  expect(entriesOfLists(transferRecord(wallet, 5))).toEqual([
    ["transfers", 1],
    ["walletTransactions", 1],
  ]);
});

test("what no list has is no change of one: a compaction does not count it", () => {
  const wallet = givenWallet();
  const { transactions } = wallet;
  const record = transferRecord(wallet, 5);
  const { listed: _, ...unlisted } = record;
  expect(toOwnChange(transactions, record)).toMatchObject({ listed: "walletTransactions" });
  expect(toOwnChange(transactions, unlisted)).toBeUndefined();
});
