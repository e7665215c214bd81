import { describe, expect, it } from "vitest";
import type { WalletTransactionType } from "../../../shared/contract/wallets.ts";
import {
  type EntryKind,
  entryPuts,
  isWalletId,
  type JournalEntry,
  journalEntries,
  journalEntry,
  ownChange,
  transferKey,
  withEntry,
} from "../../../shared/ledger/journal-entry.ts";
import { type Posting, transferred } from "../../../shared/ledger/postings.ts";
import { findPaid, findSwept, parseEntry } from "../../../shared/ledger/stored-entry.ts";
import { walletTransactionList } from "../../../shared/ledger/wallet-transactions.ts";
import { newId } from "../../../shared/platform/id.ts";
import type { WriteAction } from "../../../shared/platform/table/transact.ts";

const programId = "prg_1";
const wallet = "wlt_1";
const other = "wlt_2";
const card = "crd_1";
const at = new Date("2026-03-01T12:00:00.000Z");

function givenEntry(
  kind: EntryKind,
  postings: readonly Posting[] = transferred(wallet, card, 5),
  description?: string,
): JournalEntry {
  return journalEntry(kind, "related_1", postings, at, description);
}

function keyOf(action: WriteAction) {
  const { pk, sk } = ("Put" in action && action.Put.Item) || {};
  return { pk, sk };
}

/** Whether the account's copy of the entry is a change of its list; undefined without a copy. */
function isChange(entry: JournalEntry, accountId: string): boolean | undefined {
  const copy = entryPuts(programId, entry).find((put) => keyOf(put).pk === `${programId}#${accountId}`);
  return copy && "Put" in copy ? copy.Put.Item?.listed === ownChange.listed : undefined;
}

/** What a Wallet's list gets when the entry is stored, and what it reads from it later. */
function listed(entry: JournalEntry, owner: string) {
  const item = { ...entry, sk: `ENTRY#${entry.entryId}` };
  const record = walletTransactionList.toRecord?.(item, { programId, kind: walletTransactionList, owner });
  return { isChange: isChange(entry, owner), record };
}

/** The same ULID with the highest of its random bits flipped. */
function flipped(ulid: string): string {
  const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const digit = digits.indexOf(ulid.charAt(10));
  return ulid.slice(0, 10) + digits.charAt((digit + 16) % 32) + ulid.slice(11);
}

describe("a journal entry in a Wallet's list of transactions", () => {
  it.each<[EntryKind, WalletTransactionType]>([
    ["card_sweep", "card_sweep"],
    ["card_unload", "card_unload"],
    ["deposit_pending", "deposit"],
    // Of less than was pending.
    ["deposit_cleared", "deposit_reversal"],
    ["deposit_reversed", "deposit_reversal"],
    ["deposit_returned", "deposit_return"],
    // Cards that spend from the Wallet have them.
    ["clearing", "purchase"],
    ["refund", "refund"],
    ["refund_reversal", "refund_reversal"],
    ["atm_withdrawal", "cash"],
    ["fee", "fee"],
    ["fee_reversal", "fee_reversal"],
    ["provisional_credit", "dispute"],
    ["hold_placed", "purchase"],
  ])("%s is a %s", (kind, type) => {
    const entry = givenEntry(kind);
    const { isChange, record } = listed(entry, wallet);
    expect(isChange).toBe(true);
    expect(record).toMatchObject({ type, amountMinor: -5 });
  });

  it.each<[EntryKind, WalletTransactionType]>([
    ["deposit_cleared", "deposit"],
    ["hold_released", "card_sweep"],
  ])("%s is a %s where it adds", (kind, type) => {
    const entry = givenEntry(kind, transferred(card, wallet, 5));
    expect(listed(entry, wallet).record).toMatchObject({ type, amountMinor: 5 });
  });

  it.each<EntryKind>(["debt_settled", "deposit_suspended", "payout_held"])(
    "%s cannot change a Wallet",
    (kind) => {
      const entry = givenEntry(kind);
      expect(() => entryPuts(programId, entry)).toThrow(
        `The entry ${entry.entryId} (${kind}) changes the Wallet ${wallet}.`,
      );
    },
  );

  it("is a transfer_out of the sender and a transfer_in of the receiver, with ids of their own", () => {
    const entry = givenEntry("transfer", transferred(wallet, other, 5), "Rent");
    const ulid = entry.entryId.slice("jnl_".length);
    const common = { relatedId: "related_1", description: "Rent", createdAt: at.toISOString() };
    expect(listed(entry, wallet)).toEqual({
      isChange: true,
      record: { entityId: `wtx_${ulid}`, type: "transfer_out", amountMinor: -5, ...common },
    });
    expect(listed(entry, other)).toEqual({
      isChange: true,
      record: { entityId: `wtx_${flipped(ulid)}`, type: "transfer_in", amountMinor: 5, ...common },
    });
  });

  it.each([wallet, other])("is found again by its list's id of %s", (owner) => {
    const entry = givenEntry("transfer", transferred(wallet, other, 5));
    const { record } = listed(entry, owner);
    expect(
      walletTransactionList.recordKey?.(
        { programId, kind: walletTransactionList, owner },
        String(record?.entityId),
        { type: record?.type },
      ),
    ).toEqual({ pk: `${programId}#${owner}`, sk: `ENTRY#${entry.entryId}` });
    const pk = `${programId}#${owner}`;
    expect(walletTransactionList.recordPrefixes?.({ programId, kind: walletTransactionList, owner })).toEqual(
      [
        { pk, sk: "ENTRY#jrn_" },
        { pk, sk: "TRANSFER#trf_" },
      ],
    );
  });

  it("is found in the transfer's record that carries it", () => {
    const transferId = newId("transfer");
    const entry = journalEntry("transfer", transferId, transferred(wallet, other, 5), at);
    expect(entry.entryId).toBe(transferId.replace("trf_", "jrn_"));
    const key = transferKey(programId, other, transferId);
    const list = { programId, kind: walletTransactionList, owner: other };
    const [carrying] = withEntry(programId, entry, [
      { name: "transfer", Put: { TableName: "", Item: { ...key, createdAt: entry.createdAt } } },
    ]).slice(-1);
    const item = carrying && "Put" in carrying ? (carrying.Put.Item ?? {}) : {};
    const record = walletTransactionList.toRecord?.(item, list);
    expect(record).toMatchObject({ type: "transfer_in", relatedId: transferId, amountMinor: 5 });
    expect(walletTransactionList.recordKey?.(list, String(record?.entityId), record ?? {})).toEqual(key);
  });

  it("is left out of the list of a Wallet that it does not touch", () => {
    expect(listed(givenEntry("transfer"), other)).toEqual({ isChange: undefined, record: undefined });
  });

  it("is of one Wallet: a list without an owner is a mistake", () => {
    const list = { programId, kind: walletTransactionList };
    expect(() => walletTransactionList.recordPrefixes?.(list)).toThrow(
      "The list walletTransactions needs its account.",
    );
  });

  it("is left out where the Wallet's ledger balance stays the same, and of a Card", () => {
    const cleared = givenEntry("deposit_cleared", [
      { account: `${wallet}:pending`, amountMinor: -5 },
      { account: `${wallet}:available`, amountMinor: 5 },
    ]);
    expect(listed(cleared, wallet)).toEqual({ isChange: false, record: undefined });
    expect(isChange(givenEntry("transfer"), card)).toBe(false);
  });
});

describe("a journal entry", () => {
  it("is stored once with each account, and parsed as it was stored", () => {
    const entry = givenEntry("transfer");
    const puts = entryPuts(programId, entry);
    expect(puts.map(keyOf)).toEqual(
      [wallet, card].map((id) => ({ pk: `${programId}#${id}`, sk: `ENTRY#${entry.entryId}` })),
    );
    expect(journalEntries.parse({ ...entry })).toEqual(entry);
  });

  it("is not what stands for a closed month, under the key of an entry", () => {
    expect(parseEntry({ pk: `${programId}#${card}`, sk: "ENTRY#jrn_0", movedTo: "month" })).toBeUndefined();
  });

  it("names what it is called if it does not parse", () => {
    expect(() => journalEntries.parse({})).toThrow(/entry/);
  });
});

describe("what a Wallet pays for a Card", () => {
  const put = (pk: string, sk: string, fields: object = {}): WriteAction => ({
    name: sk,
    Put: { TableName: "", Item: { pk, sk, ...fields } },
  });
  const record = (owner = card, fundingWalletId = wallet) =>
    put(`prg_1#${owner}`, "TRANSACTION#txn_1", { fundingWalletId, createdAt: at.toISOString() });
  const paid: JournalEntry = { ...givenEntry("clearing", transferred(wallet, other, 5)), cardId: card };
  const items = (entry: JournalEntry, writes: WriteAction[]) =>
    withEntry(programId, entry, writes).flatMap((write) => ("Put" in write ? [write.Put.Item ?? {}] : []));
  const ofRecord = (entry: JournalEntry, writes: WriteAction[]) =>
    items(entry, writes).filter(({ sk }) => sk === "TRANSACTION#txn_1");

  it("is named by the Card's record, and by no other", () => {
    const step = put("prg_1#crd_1", "DISPUTE#1", { fundingWalletId: wallet });
    const check = { name: "check", Delete: { TableName: "", Key: {} } } as WriteAction;
    const [named = {}] = ofRecord(paid, [check, step, record()]);
    expect(named.fundingEntryId).toBe(paid.entryId);
    expect(findPaid(named)).toEqual({ walletId: wallet, entryId: paid.entryId });
    for (const [unnamed = {}] of [
      ofRecord({ ...paid, cardId: undefined }, [record()]),
      ofRecord(paid, [record("crd_2")]),
      ofRecord(paid, [record(card, "wlt_3")]),
    ]) {
      expect(unnamed.fundingEntryId).toBeUndefined();
      expect(findPaid(unnamed)).toBeUndefined();
    }
    expect(findPaid({ fundingEntryId: "jrn_1" })).toBeUndefined();
  });

  it("is what the Card's own account gave it too, in the same entry", () => {
    const swept = { ...givenEntry("refund", transferred(card, wallet, 5)), cardId: card };
    expect(findSwept(swept)).toEqual({ walletId: wallet, amountMinor: 5 });
    expect(findSwept({ ...swept, cardId: undefined })).toBeUndefined();
    expect(findSwept(paid)).toBeUndefined();
  });

  it("is in the record without what that says already", () => {
    const entry = givenEntry("clearing", transferred(card, other, 5));
    const copy = (fields: Partial<JournalEntry>) =>
      ofRecord({ ...entry, ...fields }, [record()])[0]?.entry as JournalEntry;
    expect(copy({ relatedId: "txn_1" })).toEqual({
      entryId: entry.entryId,
      kind: "clearing",
      postings: entry.postings,
    });
    const earlier = { relatedId: "txn_2", createdAt: "2026-02-28T12:00:00.000Z" };
    expect(copy(earlier)).toMatchObject(earlier);
  });
});

it("a Wallet's id has the prefix of Wallets, with its underscore", () => {
  expect([isWalletId("wlt_1"), isWalletId("crd_1"), isWalletId("wlt"), isWalletId("x_wlt_1")]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
