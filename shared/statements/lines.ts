import type { StatementLine, StatementLineType } from "../contract/statements.ts";
import { deposits } from "../deposits/deposit.ts";
import { depositDescriptions } from "../deposits/deposit-view.ts";
import type { Account } from "../ledger/account.ts";
import { type EntryKind, journalEntries, walletTypes } from "../ledger/journal-entry.ts";
import { balanceChanges } from "../ledger/postings.ts";
import { bookedTo, findSwept } from "../ledger/stored-entry.ts";
import { readBatch } from "../platform/table/batch.ts";
import { fees } from "../transactions/fee.ts";
import { type Transaction, transactions } from "../transactions/transaction.ts";
import { isPaid, type Movement, type Paid } from "./movements.ts";

/** A line before its balance and day are known. */
export type Posted = Pick<
  StatementLine,
  "type" | "description" | "amount" | "transId" | "journalEntryId" | "cardId" | "walletId"
> & {
  readonly atMs: number;
};

type Direction = (amountMinor: number) => StatementLineType;
const isTransfer: Direction = (amountMinor) => (amountMinor < 0 ? "transfer_out" : "transfer_in");

/** As a Wallet's transaction, or else so. Null: a change of pending deposits, or of holds. */
const lineTypes = {
  ...walletTypes,
  transfer: isTransfer,
  top_up: isTransfer,
  card_sweep: isTransfer,
  card_unload: isTransfer,
  debt_settled: "debt_settled",
  deposit_pending: null,
  deposit_cleared: "deposit",
  deposit_reversed: null,
  payout_fee: "fee",
  pull_collected: null,
  pull_reversed: null,
  pull_returned: "deposit_return",
  hold_placed: null,
  hold_reserved: null,
  hold_released: null,
  dispute_changed: null,
} as const satisfies Record<EntryKind, StatementLineType | Direction | null>;

/** Describes movements without a record that does: mostly a Wallet's. */
const descriptions: Readonly<Record<StatementLineType, string>> = {
  purchase: "Purchase",
  refund: "Refund",
  refund_reversal: "Refund reversal",
  cash: "Cash withdrawal",
  fee: "Fee",
  fee_reversal: "Fee reversal",
  deposit: "Deposit",
  deposit_return: "Deposit returned",
  payout: "Payout",
  payout_return: "Payout returned",
  transfer_in: "Transfer received",
  transfer_out: "Transfer sent",
  dispute: "Dispute",
  debt_settled: "Negative balance cleared",
  funding: "Paid by the Wallet",
};

/**
 * Each movement's lines: one, another for a fee that was charged with it, and one for what a Wallet
 * paid or got of it. All texts are of records that never change.
 */
export async function toPosted(
  programId: string,
  account: Account,
  reads: readonly (Movement | Paid)[],
): Promise<Posted[]> {
  const movements = await withEntries(programId, reads);
  const related = await readRelated(programId, account, movements);
  return movements.flatMap((movement) => {
    const { cardId } = movement.entry;
    if (account.kind === "card") return cardLines(movement, related);
    if (cardId === undefined) return toLines(movement, related);
    const lines = findSwept(movement.entry) ? [sweptLine(movement)] : toLines(movement, related);
    return lines.map((line) => ({ ...line, cardId }));
  });
}

/** What a Wallet paid, as its entry has it. */
interface Moved extends Movement {
  /** The Wallet that paid, instead of the Card's own account. */
  readonly walletId?: string;
}

async function withEntries(programId: string, reads: readonly (Movement | Paid)[]): Promise<Moved[]> {
  const paid = reads.filter((read) => isPaid(read));
  const found = await readBatch(
    paid.map(({ walletId, entryId }) => journalEntries.key(programId, walletId, entryId)),
  );
  const entries = new Map(found.map((item) => [String(item.entryId), journalEntries.parse(item)]));
  return reads.map((read) => {
    if (!isPaid(read)) return read;
    const { ulid, atMs, item, walletId, entryId } = read;
    const entry = entries.get(entryId);
    const change = entry && balanceChanges(entry.postings).get(walletId);
    if (!change) throw new Error(`The entry ${entryId} of ${walletId} does not exist.`);
    return { ulid, atMs, item, walletId, entry, amountMinor: change.ledgerMinor };
  });
}

/** With what a Wallet pays, the Card's own money stays; what its account gets back goes there. */
function cardLines(movement: Moved, related: Related): Posted[] {
  const { walletId, amountMinor, entry } = movement;
  if (walletId !== undefined)
    return [...toLines(movement, related), fundingLine(movement, walletId, -amountMinor)];
  const swept = findSwept(entry);
  if (!swept) return toLines(movement, related);
  const before = { ...movement, amountMinor: amountMinor + swept.amountMinor };
  const own = before.amountMinor === 0 ? [] : toLines(before, related);
  return [...own, fundingLine(movement, swept.walletId, -swept.amountMinor)];
}

function fundingLine({ atMs, entry }: Moved, walletId: string, amount: number): Posted {
  const { entryId: journalEntryId, relatedId: transId } = entry;
  const description = amount > 0 ? "Paid by the Wallet" : "Paid to the Wallet";
  return { type: "funding", atMs, description, amount, transId, journalEntryId, walletId };
}

function sweptLine({ atMs, amountMinor: amount, entry }: Moved): Posted {
  const { entryId: journalEntryId, relatedId: transId } = entry;
  const description = "Money of a Card that spends from the Wallet";
  return {
    type: amount < 0 ? "transfer_out" : "transfer_in",
    atMs,
    description,
    amount,
    transId,
    journalEntryId,
  };
}

type Item = Readonly<Record<string, unknown>>;

/** By their ids, the records that entries name but are not stored with. */
type Related = ReadonlyMap<string, Item>;

async function readRelated(programId: string, { accountId }: Account, movements: readonly Movement[]) {
  const toKey = (id: string, owner: string) => {
    if (id.startsWith("dep_")) return deposits.at(programId, id).key;
    if (id.startsWith("txn_")) return transactions.at(programId, owner, id).key;
    return id.startsWith("fee_") ? fees.at(programId, owner, id).key : undefined;
  };
  /** By the Card whose records they are: a Wallet's entries name it. */
  const read = async (owners: ReadonlyMap<string, string>) => {
    const keys = [...owners].flatMap(([id, owner]) => toKey(id, owner) ?? []);
    return (await readBatch(keys)).map((item): [string, Item] => [findId(item), item]);
  };
  const toOwner = ({ entry }: Movement) => entry.cardId ?? accountId;
  const ofEntries = movements.filter(isEntry);
  const named = await read(new Map(ofEntries.map((one) => [one.entry.relatedId, toOwner(one)])));
  const records = new Map(named);
  const feeIds = movements.flatMap((movement): [string, string][] => {
    const feeId = findRecord(movement, records)?.feeId;
    return feeId === undefined ? [] : [[String(feeId), toOwner(movement)]];
  });
  return new Map([...records, ...(await read(new Map(feeIds)))]);
}

/** Stored apart from a record. */
function isEntry({ item }: Movement): boolean {
  return String(item.sk).startsWith("ENTRY#");
}

function findId({ sk, transId, feeId, depositId }: Item): string {
  if (String(sk).startsWith("TRANSACTION#")) return String(transId);
  return String(String(sk).startsWith("FEE#") ? feeId : depositId);
}

/** The transaction or fee, or the deposit, that the movement is about. */
function findRecord(movement: Movement, related: Related): Item | undefined {
  return isEntry(movement) ? related.get(movement.entry.relatedId) : movement.item;
}

function toLines(movement: Movement, related: Related): Posted[] {
  const { entry, amountMinor, atMs } = movement;
  const { entryId: journalEntryId, relatedId, description: memo } = entry;
  const type = chooseType(movement);
  const record = findRecord(movement, related);
  const line = { type, atMs, journalEntryId, amount: amountMinor };
  const [kind] = String(record?.sk).split("#");
  if (record && kind === "TRANSACTION")
    return transactionLines(movement, transactions.parse(record), related);
  if (record && kind === "FEE") {
    const { feeId, description } = fees.parse(record);
    return [{ ...line, transId: feeId, description }];
  }
  const deposit = record && kind === "DEPOSIT" ? deposits.parse(record) : undefined;
  if (deposit) {
    const name = depositDescriptions[deposit.channel];
    const what = type === "deposit_return" ? `${name} returned` : name;
    const transId = deposit.account.kind === "card" ? deposit.transId : undefined;
    return [{ ...line, transId: transId ?? relatedId, description: withText(what, deposit.reference) }];
  }
  return [{ ...line, transId: relatedId, description: withText(describe(movement, type), memo) }];
}

function chooseType({ entry: { entryId, kind }, amountMinor }: Movement): StatementLineType {
  const given = lineTypes[kind];
  if (!given) throw new Error(`The entry ${entryId} (${kind}) changes a balance.`);
  return typeof given === "function" ? given(amountMinor) : given;
}

function transactionLines(movement: Movement, transaction: Transaction, related: Related): Posted[] {
  const { entry, amountMinor, atMs } = movement;
  const { transId, description, feeId } = transaction;
  const feeMinor = feeId === undefined ? 0 : bookedTo(entry, "fee_income");
  const shared = { atMs, journalEntryId: entry.entryId };
  const fee = feeId === undefined ? undefined : related.get(feeId);
  const lines: Posted[] = [
    { ...shared, type: chooseType(movement), transId, description, amount: amountMinor + feeMinor },
    {
      ...{ ...shared, type: "fee", transId: feeId ?? transId, amount: -feeMinor },
      description: fee ? fees.parse(fee).description : "Fee",
    },
  ];
  return lines.filter(({ amount }) => amount !== 0);
}

function describe({ entry: { kind } }: Movement, type: StatementLineType): string {
  if (kind === "card_sweep") return "Balance of a Card";
  return kind === "card_unload" ? "Card unload" : descriptions[type];
}

function withText(what: string, text: string | undefined): string {
  return text === undefined ? what : `${what}: ${text}`;
}
