import { beforeAll, describe, expect, it } from "vitest";
import { compactLists } from "../../../functions/list-indexer/compact-lists.ts";
import { entryPuts, journalEntry } from "../../../shared/ledger/journal-entry.ts";
import { transferred } from "../../../shared/ledger/postings.ts";
import { walletTransactionList } from "../../../shared/ledger/wallet-transactions.ts";
import { readManifest } from "../../../shared/lists/manifest.ts";
import { now, timestamp } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import type { WriteAction } from "../../../shared/platform/table/transact.ts";
import { transferPuts } from "../../../shared/wallets/transfer.ts";
import { transferList } from "../../../shared/wallets/transfer-list.ts";
import { type GivenProgram, givenProgram } from "../../harness/given-cards.ts";
import { measure } from "../../harness/measure.ts";
import { eventOf, later, useOwnDays } from "../../shared/lists/given-list.ts";

useOwnDays(Date.UTC(2100, 0, 1));

let program: GivenProgram;
let wallets: [string, string];
/** Signed amounts of the first Wallet, oldest first. */
const amounts: number[] = [];
const count = 700;

/** The items that actions put, those alongside included. */
function itemsOf(actions: readonly WriteAction[]): Key[] {
  return actions.flatMap((action) => [
    ...("Put" in action ? [action.Put.Item as unknown as Key] : []),
    ...itemsOf(action.alongside ?? []),
  ]);
}

/** Transfers to and fro as they are recorded, without balances. */
async function writeTransfers(): Promise<Key[]> {
  const { programId } = program;
  const items: Key[] = [];
  for (let index = 0; index < count; index += 1) {
    const [from, to] = index % 3 === 0 ? wallets.toReversed() : wallets;
    const [transferId, at, amountMinor] = [newId("transfer"), now(), (index * 7_919) % 501];
    const moved = amountMinor + 1;
    const entry = journalEntry("transfer", transferId, transferred(from ?? "", to ?? "", moved), at);
    const transfer = {
      ...({ transferId, transStatus: 1, sourceWalletId: from ?? "", destinationType: 0 } as const),
      ...{ destinationId: to ?? "", requestedAmountMinor: moved, transferredAmountMinor: moved },
      ...({ currency: 0, createdAt: timestamp(at) } as const),
    };
    items.push(...itemsOf([...entryPuts(programId, entry), ...transferPuts(programId, transfer)]));
    amounts.push(from === wallets[0] ? -moved : moved);
    later(100);
  }
  await writeBatch(items.map((put) => ({ put })));
  return items;
}

beforeAll(async () => {
  program = await givenProgram();
  const create = async () =>
    (await program.call("POST /wallets", { body: { name: "Busy" } })).body.data.walletId as string;
  wallets = [await create(), await create()];
}, 180_000);

async function page(route: "transactions" | "transfers", query: Record<string, string>) {
  const { body } = await program.call(`GET /wallets/{walletId}/${route}`, {
    path: { walletId: wallets[0] },
    query,
  });
  const items = body.items.map((row: Record<string, number>) => row.amount ?? row.requestedAmount);
  return { items, total: body.total };
}

async function expectExact(): Promise<void> {
  const sorted = amounts.toSorted((left, right) => right - left);
  const sizes = amounts.map(Math.abs).toSorted((left, right) => left - right);
  const incoming = amounts.filter((amount) => amount > 0);
  const pages = [
    ["transactions", { sort: "asc", offset: "500", limit: "200" }, amounts.slice(500), count],
    ["transactions", { orderBy: "amount", offset: "300", limit: "9" }, sorted.slice(300, 309), count],
    ["transactions", { type: "transfer_in", limit: "5" }, incoming.toReversed().slice(0, 5), incoming.length],
    ["transfers", { limit: "3" }, amounts.slice(-3).toReversed().map(Math.abs), count],
    ["transfers", { orderBy: "amount", sort: "asc", offset: "600" }, sizes.slice(600, 650), count],
    ["transfers", { transStatus: "2" }, [], 0],
  ] as const;
  for (const [route, query, items, total] of pages) {
    const { result, cost } = await measure(() => page(route, query));
    expect(result).toEqual({ items, total });
    expect(cost.roundTrips).toBeLessThanOrEqual(4);
  }
}

describe("a Wallet of many transactions", { timeout: 240_000 }, () => {
  it("lists any page exactly, in four round trips, before and after the indexer has them", async () => {
    const items = await writeTransfers();
    await expectExact();
    later(60_000);
    await compactLists(eventOf(items.filter((item) => "listed" in item)));
    const owner = wallets[0];
    for (const kind of [walletTransactionList, transferList]) {
      const { segments } = await readManifest({ programId: program.programId, kind, owner });
      expect(segments.map(({ entries }) => entries)).toEqual([count]);
    }
    await expectExact();
  });
});
