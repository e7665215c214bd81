import { expect } from "vitest";
import { disputes } from "../../shared/disputes/dispute.ts";
import { noLiability, withDisputeEntry } from "../../shared/disputes/liability.ts";
import type { Account, AccountBalances, StoredAccount } from "../../shared/ledger/account.ts";
import { shardIds, withShards } from "../../shared/ledger/hot/shards.ts";
import { entryOwnerIds, type JournalEntry } from "../../shared/ledger/journal-entry.ts";
import { balanceChanges, zeroBalances } from "../../shared/ledger/postings.ts";
import { parseEntry } from "../../shared/ledger/stored-entry.ts";
import { payoutHeldMinor, payouts } from "../../shared/payments/payout.ts";
import { changeIdTime } from "../../shared/platform/id.ts";
import { type StoredItem, storedItems } from "./stored.ts";

/** Every copy of a journal entry: an item, or part of a record. */
export function storedEntries(items: readonly StoredItem[]): (StoredItem & { entry: JournalEntry })[] {
  return items.flatMap((item) => {
    const entry = parseEntry(item);
    return entry ? [{ ...item, entry }] : [];
  });
}

/** The balances of a card or wallet by its id. */
export function balancesIn(items: readonly StoredItem[], accountId: string): AccountBalances {
  const item = items.find(({ pk, sk }) => pk.endsWith(`#${accountId}`) && (sk === "CARD" || sk === "WALLET"));
  if (!item) throw new Error(`There is no account ${accountId}.`);
  const account = item as unknown as StoredAccount;
  const shards = items.filter(({ pk, sk }) => sk === "SHARD" && pk.startsWith(`${item.pk}#SHARD#`));
  expect(new Set(shards.map(({ pk }) => pk.split("#").at(-1)))).toEqual(new Set(shardIds(account)));
  const parts = shards.map(({ availableMinor, heldMinor = 0 }) => ({
    availableMinor: Number(availableMinor),
    heldMinor: Number(heldMinor),
  }));
  if (parts.length > 0) {
    const least = Math.min(account.availableMinor, ...parts.map(({ availableMinor }) => availableMinor));
    expect(least, "the least part of a hot Wallet").toBeGreaterThanOrEqual(0);
  }
  const { availableMinor, heldMinor, pendingDepositMinor, ledgerMinor } = withShards(account, parts);
  return { availableMinor, heldMinor, pendingDepositMinor, ledgerMinor };
}

/** The journal entries that an account and its shards have counted. */
function countedIn(items: readonly StoredItem[], account: StoredItem): number {
  const shards = items.filter(({ pk, sk }) => sk === "SHARD" && pk.startsWith(`${account.pk}#SHARD#`));
  return [account, ...shards].reduce((sum, { entries = 0 }) => sum + Number(entries), 0);
}

/**
 * Checks entries and their counts, balances, identities and pending deposits. `statements` is off
 * for tests that move a card's money without the operation that records it.
 */
export async function expectBooksInOrder(
  programId: string,
  { statements = true }: { statements?: boolean } = {},
): Promise<StoredItem[]> {
  const items = await storedItems(programId);
  const entries = new Map<string, { entry: JournalEntry; partitions: Set<string> }>();
  for (const { pk, entry } of storedEntries(items)) {
    const known = entries.get(entry.entryId) ?? { entry, partitions: new Set() };
    expect(entry).toEqual(known.entry);
    entries.set(entry.entryId, { entry, partitions: known.partitions.add(pk) });
  }
  expectDisputesInOrder(items);
  const totals = new Map<string, AccountBalances>();
  let suspenseMinor = 0;
  for (const { entry, partitions } of entries.values()) {
    expect(entry.postings.reduce((sum, { amountMinor }) => sum + amountMinor, 0)).toBe(0);
    const changes = balanceChanges(entry.postings);
    expect(partitions).toEqual(new Set(entryOwnerIds(entry).map((id) => `${programId}#${id}`)));
    for (const { account, amountMinor } of entry.postings)
      if (account === "suspense") suspenseMinor += amountMinor;
    for (const [accountId, change] of changes) {
      totals.set(accountId, added(totals.get(accountId) ?? zeroBalances, change));
    }
  }
  const open = items.filter(({ sk, status }) => sk === "SUSPENSE" && Number(status) < 2);
  expect(suspenseMinor, "suspense").toBe(open.reduce((sum, { amountMinor }) => sum + Number(amountMinor), 0));
  const listed = items.filter(({ pk }) => pk === `${programId}#SUSPENSE`);
  expect(listed.map(({ depositId }) => depositId)).toEqual(open.map(({ depositId }) => depositId));
  for (const item of items.filter(({ sk }) => sk === "CARD" || sk === "WALLET")) {
    const accountId = item.pk.slice(programId.length + 1);
    const balances = balancesIn(items, accountId);
    expect(balances, accountId).toEqual(totals.get(accountId) ?? zeroBalances);
    const { availableMinor, heldMinor, pendingDepositMinor, ledgerMinor } = balances;
    expect(ledgerMinor - availableMinor).toBe(heldMinor + pendingDepositMinor);
    const copies = [...entries.values()].filter(({ partitions }) => partitions.has(item.pk));
    expect(countedIn(items, item), `entries counted by ${accountId}`).toBe(copies.length);
    expect(availableMinor).toBeLessThanOrEqual(ledgerMinor);
    // Only returned deposits, payouts that left after they were rejected, and what the network has
    // paid for Cards, overdraw a wallet.
    const returned = items.filter(
      ({ sk, status, account }) =>
        sk === "DEPOSIT" && status === 3 && (account as Account).accountId === accountId,
    );
    const returnedMinor = returned.reduce((sum, { amountMinor }) => sum + Number(amountMinor), 0);
    const left = items.filter(
      ({ sk, kind, rejectedAt, completedAt, walletId }) =>
        sk === "PAYMENT" &&
        kind === "payout" &&
        rejectedAt !== undefined &&
        completedAt !== undefined &&
        walletId === accountId,
    );
    const leftMinor = left.reduce(
      (sum, { amountMinor, feeMinor }) => sum + Number(amountMinor) + Number(feeMinor),
      0,
    );
    const isOfCards = items.some(({ fundingWalletId }) => fundingWalletId === accountId);
    if (item.sk === "WALLET" && isOfCards) expectHoldsOfWallet(items, accountId, heldMinor);
    else if (item.sk === "WALLET")
      expect(availableMinor + returnedMinor + leftMinor).toBeGreaterThanOrEqual(0);
    else if (statements) expectStatementInOrder(items, programId, accountId, balances);
    const pending = items.filter(
      ({ sk, status, account }) =>
        sk === "DEPOSIT" && status === 0 && (account as Account).accountId === accountId,
    );
    expect(pendingDepositMinor).toBe(pending.reduce((sum, { amountMinor }) => sum + Number(amountMinor), 0));
  }
  return items;
}

function sumOfHolds(items: readonly StoredItem[], where: (hold: StoredItem) => boolean): number {
  const holds = items.filter((item) => item.sk === "HOLD" && where(item));
  return holds.reduce((sum, { outstandingMinor }) => sum + Number(outstandingMinor), 0);
}

function heldForPayouts(items: readonly StoredItem[], walletId: string): number {
  const found = items.filter((item) => item.sk === "PAYMENT" && item.kind === "payout");
  const held = found.filter((item) => item.walletId === walletId).map((item) => payouts.parse(item));
  return held.reduce((sum, payout) => sum + payoutHeldMinor(payout), 0);
}

/** A Wallet holds what its Cards and payouts hold of it, and each of these Cards knows its own. */
function expectHoldsOfWallet(items: readonly StoredItem[], walletId: string, heldMinor: number): void {
  const held = sumOfHolds(items, ({ fundingWalletId }) => fundingWalletId === walletId);
  expect(heldMinor, `holds of ${walletId}`).toBe(held + heldForPayouts(items, walletId));
  for (const { pk, fundedHeldMinor = 0 } of items.filter(({ sk }) => sk === "CARD")) {
    const isOwn = ({ cardId, fundingWalletId }: StoredItem) =>
      fundingWalletId !== undefined && pk.endsWith(`#${String(cardId)}`);
    expect(fundedHeldMinor, `holds of ${pk} on Wallets`).toBe(sumOfHolds(items, isOwn));
  }
}

/** Every liability is that of the journal, adds up, and is of its amount. */
function expectDisputesInOrder(items: readonly StoredItem[]): void {
  for (const item of items.filter(({ sk }) => sk === "DISPUTE")) {
    const { liability, amountMinor, disputeId } = disputes.parse(item);
    const own = storedEntries(items.filter(({ pk }) => pk === item.pk));
    const journal = own.reduce((sum, { entry }) => withDisputeEntry(sum, entry), noLiability);
    expect(liability, disputeId).toEqual(journal);
    const { original, recovered, writtenOff, denied, remaining } = journal;
    expect(original, disputeId).toBe(recovered + writtenOff + denied + remaining);
    expect(original, disputeId).toBe(amountMinor);
  }
}

/** What holds of before have freed, and the Wallet got that pays now. */
function sweptMinor(own: readonly StoredItem[], cardId: string): number {
  const swept = storedEntries(own).filter(({ entry }) => entry.cardId === cardId);
  return swept.reduce((sum, { entry }) => {
    const changes = [...balanceChanges(entry.postings)].filter(([accountId]) => accountId !== cardId);
    return sum + changes.reduce((part, [, { ledgerMinor }]) => part + ledgerMinor, 0);
  }, 0);
}

/**
 * The statement adds up to the ledger balance, and open holds, each with its deadline, to the held
 * amount. Settlements may overdraw a card.
 */
function expectStatementInOrder(
  items: readonly StoredItem[],
  programId: string,
  cardId: string,
  { ledgerMinor, heldMinor }: AccountBalances,
): void {
  const own = items.filter(
    ({ pk, fundingWalletId }) => pk === `${programId}#${cardId}` && fundingWalletId === undefined,
  );
  // Plastics and updates of numbers are listed, too, and have no amount.
  const listed = own.filter(
    ({ entityId, amountMinor }) => entityId !== undefined && amountMinor !== undefined,
  );
  const statement = listed.reduce((sum, { sk, transType, type, transStatus, amountMinor }) => {
    if (transType === 77 || transStatus === 4 || transStatus === 5) return sum;
    const debit = sk.startsWith("FEE#") || type === "DR";
    return sum + (debit ? -1 : 1) * Number(amountMinor);
  }, 0);
  expect(statement - sweptMinor(own, cardId), `statement of ${cardId}`).toBe(ledgerMinor);
  const open = items.filter(
    ({ sk, cardId: heldOn, outstandingMinor, fundingWalletId }) =>
      sk === "HOLD" && heldOn === cardId && Number(outstandingMinor) > 0 && fundingWalletId === undefined,
  );
  expect(heldMinor, `holds of ${cardId}`).toBe(
    open.reduce((sum, { outstandingMinor }) => sum + Number(outstandingMinor), 0),
  );
  const holds = items.filter(({ sk, cardId: heldOn }) => sk === "HOLD" && heldOn === cardId);
  for (const item of holds) {
    const { authorizationId, outstandingMinor, reservations, dueAt, createdAt, heldSince = createdAt } = item;
    expect(Number(outstandingMinor)).toBeGreaterThanOrEqual(0);
    if (Number(outstandingMinor) === 0 || reservations) {
      expect(dueAt !== undefined, `deadline of ${authorizationId}`).toBe(reservations !== undefined);
    } else if (dueAt === undefined) {
      // A walk finds the row of its beginning.
      const begun = `begun[1,${JSON.stringify(authorizationId)},0]`;
      const rows = items.filter(({ entries }) => Array.isArray(entries) && entries.includes(begun));
      expect(rows.length, `rows in which ${authorizationId} begins`).toBeGreaterThan(0);
      const last = rows.map(({ sk }) => changeIdTime(sk)).reduce((one, other) => Math.max(one, other));
      expect(last).toBeGreaterThanOrEqual(Date.parse(String(heldSince)));
    }
  }
}

function added(left: AccountBalances, right: AccountBalances): AccountBalances {
  return {
    availableMinor: left.availableMinor + right.availableMinor,
    heldMinor: left.heldMinor + right.heldMinor,
    pendingDepositMinor: left.pendingDepositMinor + right.pendingDepositMinor,
    ledgerMinor: left.ledgerMinor + right.ledgerMinor,
  };
}
