import * as z from "zod";
import { idPrefixes } from "../contract/identifiers.ts";
import type { WalletTransactionType } from "../contract/wallets.ts";
import { timestamp } from "../platform/clock.ts";
import { idStart, newId, withoutPrefix } from "../platform/id.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { declareKey } from "../platform/table/keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { assertBalanced, balanceChanges, Posting } from "./postings.ts";

/**
 * Every kind of entry, with its type as a Wallet's transaction; null if it changes no Wallet's
 * ledger balance. What a Card does is a Wallet's where the Card spends from one.
 */
export const walletTypes = {
  transfer: (amountMinor: number) => (amountMinor < 0 ? "transfer_out" : "transfer_in"),
  top_up: "top_up",
  card_sweep: "card_sweep",
  card_unload: "card_unload",
  debt_settled: null,
  deposit_pending: "deposit",
  // As it clears, it changes the ledger balance if it was never pending, or of another amount.
  deposit_cleared: (amountMinor: number) => (amountMinor < 0 ? "deposit_reversal" : "deposit"),
  deposit_reversed: "deposit_reversal",
  deposit_returned: "deposit_return",
  deposit_suspended: null,
  payout_held: null,
  payout_released: null,
  payout: "payout",
  payout_fee: "payout_fee",
  payout_return: "payout_return",
  pull_collected: "pull",
  pull_reversed: "pull_return",
  pull_returned: "pull_return",
  micro_deposit: null,
  micro_deposit_return: null,
  hold_placed: movedWithHold,
  // Related to its authorization, since it has no transaction until it is decided.
  hold_reserved: movedWithHold,
  hold_released: movedWithHold,
  clearing: "purchase",
  refund: "refund",
  refund_reversal: "refund_reversal",
  atm_withdrawal: "cash",
  fee: "fee",
  fee_reversal: "fee_reversal",
  provisional_credit: "dispute",
  dispute_opened: "dispute",
  dispute_changed: "dispute",
  dispute_won: "dispute",
  dispute_denied: "dispute",
  dispute_written_off: "dispute",
} as const satisfies Record<
  string,
  WalletTransactionType | ((amountMinor: number) => WalletTransactionType) | null
>;
export type EntryKind = keyof typeof walletTypes;

/** A hold on the Card's own account, after its money moved to the Wallet that pays now. */
function movedWithHold(amountMinor: number) {
  return amountMinor < 0 ? "purchase" : "card_sweep";
}

/** One change of money, immutable once committed. Its postings sum to zero. */
export const JournalEntry = z.object({
  entryId: z.string(),
  kind: z.enum(Object.keys(walletTypes) as EntryKind[]),
  postings: z.array(Posting).readonly(),
  /** The record behind the entry: a transfer, a deposit, a swept card. */
  relatedId: z.string(),
  /** The Card whose event it is, where a Wallet pays for it. */
  cardId: z.string().optional(),
  /** The memo of the request that moved the money. */
  description: z.string().optional(),
  createdAt: z.string(),
});
export type JournalEntry = Readonly<z.output<typeof JournalEntry>>;

export const journalEntries = defineEntity({
  name: "entry",
  schema: JournalEntry,
  key: (programId: string, accountId: string, entryId: string) => ({
    pk: `${programId}#${accountId}`,
    sk: `ENTRY#${entryId}`,
  }),
});

/** A Wallet's transfer, which has its entry: the list of the Wallet's transactions reads both. */
export const transferKey = declareKey(
  "transfer",
  (programId: string, walletId: string, transferId: string) => ({
    pk: `${programId}#${walletId}`,
    sk: `TRANSFER#${transferId}`,
  }),
);

/** An attribute of what a Wallet's lists have: its creation is its change, without a row. */
export const ownChange = { listed: "itself" } as const;

/** @throws Error if the postings are not double entry */
export function journalEntry(
  kind: EntryKind,
  relatedId: string,
  postings: readonly Posting[],
  at: Date,
  description?: string,
): JournalEntry {
  assertBalanced(postings);
  const createdAt = timestamp(at);
  return { entryId: newEntryId(relatedId), kind, postings, relatedId, description, createdAt };
}

/** A transfer's one entry shares its ULID, so that either is found by the other's id. */
function newEntryId(relatedId: string): string {
  if (!relatedId.startsWith(idStart("transfer"))) return newId("journalEntry");
  return `${idStart("journalEntry")}${withoutPrefix(relatedId)}`;
}

/**
 * Where copies are stored: with each card and wallet touched, and with the dispute whose amount it
 * changes; without any, with the record.
 */
export function entryOwnerIds({ postings, relatedId }: JournalEntry): string[] {
  const touched = [...balanceChanges(postings).keys()];
  const isOfDispute = postings.some(({ account }) => account === "disputed");
  return isOfDispute || touched.length === 0 ? [...touched, relatedId] : touched;
}

/** A full copy with each owner; each Wallet's list of transactions includes it. */
export function entryPuts(
  programId: string,
  entry: JournalEntry,
  ownerIds: readonly string[] = entryOwnerIds(entry),
): WriteAction[] {
  return ownerIds.map((ownerId) => {
    const isListed = isWalletId(ownerId) && changeInWallet(entry, ownerId);
    const item = { ...entry, ...(isListed && ownChange) };
    return journalEntries.at(programId, ownerId, entry.entryId).create(item);
  });
}

/** The writes of a commit, with a copy for each owner: in its record, or else as an item. */
export function withEntry(
  programId: string,
  entry: JournalEntry,
  writes: readonly WriteAction[],
): WriteAction[] {
  const carrying = [...writes];
  const others = entryOwnerIds(entry).filter((ownerId) => {
    const { pk } = journalEntries.key(programId, ownerId, entry.entryId);
    const index = carrying.findIndex((write) => "Put" in write && isRecordIn(pk, write.Put.Item));
    const record = carrying[index];
    if (!record) return true;
    carrying[index] = withCopy(record, entry);
    return false;
  });
  markPaid(programId, entry, carrying);
  return [...entryPuts(programId, entry, others), ...carrying];
}

/**
 * The Card's record of what a Wallet pays names the Wallet's entry, where that changes what the
 * Wallet has: statement and proof of the Card find it by that.
 */
function markPaid(
  programId: string,
  { entryId, cardId, postings }: JournalEntry,
  writes: WriteAction[],
): void {
  if (cardId === undefined) return;
  const { pk } = journalEntries.key(programId, cardId, entryId);
  const paid = balanceChanges(postings);
  // Steps of a dispute stand before the record of what it moves.
  const index = writes.findIndex(
    (write) =>
      "Put" in write &&
      isRecordIn(pk, write.Put.Item) &&
      paid.get(String(write.Put.Item?.fundingWalletId))?.ledgerMinor,
  );
  const write = writes[index];
  if (write && "Put" in write)
    writes[index] = { ...write, Put: { ...write.Put, Item: { ...write.Put.Item, fundingEntryId: entryId } } };
}

/** An item that is a copy, or whose record has one. */
export type StoredCopy = Readonly<Record<string, unknown>>;

/** A Card's transaction or fee, or a Wallet's transfer: in the account's partition. */
function isRecordIn(pk: string, item: StoredCopy = {}): boolean {
  return item.pk === pk && /^(TRANSACTION|FEE|TRANSFER)#/.test(String(item.sk));
}

function withCopy(write: WriteAction, { relatedId, createdAt, ...entry }: JournalEntry): WriteAction {
  if (!("Put" in write)) return write;
  const { Item = {} } = write.Put;
  const copy = {
    ...entry,
    ...(relatedId !== recordId(Item) && { relatedId }),
    ...(createdAt !== Item.createdAt && { createdAt }),
  };
  return { ...write, Put: { ...write.Put, Item: { ...Item, entry: copy } } };
}

export function recordId({ sk }: StoredCopy): string | undefined {
  return String(sk).split("#")[1];
}

/**
 * The entry as a change of the Wallet's ledger balance. Undefined if that stays the same.
 * @throws Error for a kind of entry without a Wallet transaction
 */
export function changeInWallet({ entryId, kind, postings }: JournalEntry, walletId: string) {
  const amountMinor = balanceChanges(postings).get(walletId)?.ledgerMinor ?? 0;
  if (amountMinor === 0) return undefined;
  const given = walletTypes[kind];
  const type: WalletTransactionType | null = typeof given === "function" ? given(amountMinor) : given;
  if (!type) throw new Error(`The entry ${entryId} (${kind}) changes the Wallet ${walletId}.`);
  return { type, amountMinor };
}

export function isWalletId(accountId: string): boolean {
  return accountId.startsWith(`${idPrefixes.wallet}_`);
}
