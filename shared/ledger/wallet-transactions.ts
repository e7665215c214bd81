import { idPrefixes, ulidAlphabet } from "../contract/identifiers.ts";
import type { WalletTransactionType } from "../contract/wallets.ts";
import { defineList, type List, type StoredRecord } from "../lists/kind.ts";
import { idStart, ulidTimeLength, withoutPrefix } from "../platform/id.ts";
import { changeInWallet, type JournalEntry, journalEntries, transferKey } from "./journal-entry.ts";
import { parseEntry } from "./stored-entry.ts";

/** A journal entry as one of a Wallet's transactions: it changed the Wallet's ledger balance. */
export interface WalletTransaction {
  readonly entityId: string;
  readonly type: WalletTransactionType;
  /** Minor units: what the ledger balance rose by, or fell by where it is negative. */
  readonly amountMinor: number;
  readonly relatedId: string;
  /** The Card that spends from the Wallet, and whose event it is. */
  readonly cardId?: string | undefined;
  readonly description?: string | undefined;
  readonly createdAt: string;
}

/** The Wallet of a list. @throws Error for a Program-wide one */
export function listOwner({ kind, owner }: List): string {
  if (owner === undefined) throw new Error(`The list ${kind.name} needs its account.`);
  return owner;
}

const inTransfer = "transfer";

function isTransfer({ sk }: StoredRecord): boolean {
  return String(sk).startsWith("TRANSFER#");
}

/** `GET /wallets/{walletId}/transactions`: each item is computed from its journal entry. */
export const walletTransactionList = defineList({
  name: "walletTransactions",
  filters: ["type", "cardId"],
  orders: ["amountMinor"],
  carried: ["storedIn"],
  recordKey: (list, id, { type, storedIn }) => {
    const ulid = toUlid(id, String(type));
    const [programId, owner] = [list.programId, listOwner(list)];
    return storedIn === inTransfer
      ? transferKey(programId, owner, `${idStart("transfer")}${ulid}`)
      : journalEntries.key(programId, owner, `${idStart("journalEntry")}${ulid}`);
  },
  minimumChanges: 128,
  recordPrefixes: (list) => [
    journalEntries.key(list.programId, listOwner(list), idStart("journalEntry")),
    transferKey(list.programId, listOwner(list), idStart("transfer")),
  ],
  toRecord: (item, list) => {
    const entry = parseEntry(item);
    const transaction = entry && toWalletTransaction(entry, listOwner(list));
    return transaction && { ...transaction, ...(isTransfer(item) && { storedIn: inTransfer }) };
  },
});

function toWalletTransaction(entry: JournalEntry, walletId: string): WalletTransaction | undefined {
  const { entryId, relatedId, cardId, description, createdAt } = entry;
  const change = changeInWallet(entry, walletId);
  return (
    change && {
      entityId: toTransactionId(entryId, change.type),
      ...change,
      relatedId,
      cardId,
      description,
      createdAt,
    }
  );
}

/** One entry is a transaction of both Wallets of a transfer: the receiver's has another id. */
function toTransactionId(entryId: string, type: WalletTransactionType): string {
  const ulid = withoutPrefix(entryId);
  return `${idPrefixes.walletTransaction}_${type === "transfer_in" ? flipHighestRandomBit(ulid) : ulid}`;
}

/** Its entry has it, and the transfer's record that carries that. */
function toUlid(walletTransactionId: string, type: string): string {
  const ulid = withoutPrefix(walletTransactionId);
  return type === "transfer_in" ? flipHighestRandomBit(ulid) : ulid;
}

/** Ids counted up in the same millisecond never reach this bit of a ULID. */
function flipHighestRandomBit(ulid: string): string {
  const digit = ulidAlphabet.indexOf(ulid.charAt(ulidTimeLength));
  return `${ulid.slice(0, ulidTimeLength)}${ulidAlphabet.charAt(digit ^ 16)}${ulid.slice(ulidTimeLength + 1)}`;
}
