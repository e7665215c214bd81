import type { StatementLine, StatementLineType } from "../contract/statements.ts";
import { depositDescriptions, deposits } from "../deposits/deposit.ts";
import type { Account } from "../ledger/account.ts";
import type { EntryKind } from "../ledger/journal-entry.ts";
import { readBatch } from "../platform/table/batch.ts";
import { fees } from "../transactions/fee.ts";
import { type Transaction, transactions } from "../transactions/transaction.ts";
import type { Movement } from "./movements.ts";

/** A line before its balance and day are known. */
export type Posted = Pick<StatementLine, "type" | "description" | "amount" | "transId" | "journalEntryId"> & {
  readonly atMs: number;
};

type Direction = (amountMinor: number) => StatementLineType;
const isTransfer: Direction = (amountMinor) => (amountMinor < 0 ? "transfer_out" : "transfer_in");

/** Null: it changes no balance without pending deposits. */
const lineTypes = {
  transfer: isTransfer,
  top_up: isTransfer,
  card_sweep: isTransfer,
  card_unload: isTransfer,
  debt_settled: "debt_settled",
  deposit_pending: null,
  deposit_cleared: "deposit",
  deposit_reversed: null,
  deposit_returned: "deposit_return",
  deposit_suspended: null,
  payout_held: null,
  payout_released: null,
  payout: "payout",
  payout_fee: "fee",
  payout_return: "payout_return",
  pull_collected: null,
  pull_reversed: null,
  pull_returned: "deposit_return",
  micro_deposit: null,
  micro_deposit_return: null,
  hold_placed: null,
  hold_reserved: null,
  hold_released: null,
  clearing: "purchase",
  refund: "refund",
  refund_reversal: "refund_reversal",
  atm_withdrawal: "cash",
  fee: "fee",
  fee_reversal: "fee_reversal",
  provisional_credit: "dispute",
  dispute_opened: "dispute",
  dispute_changed: null,
  dispute_won: "dispute",
  dispute_denied: "dispute",
  dispute_written_off: "dispute",
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
};

/**
 * Each movement's lines: one, and another for a fee that was charged with it. All texts are of
 * records that never change.
 */
export async function toPosted(
  programId: string,
  account: Account,
  movements: readonly Movement[],
): Promise<Posted[]> {
  const related = await readRelated(programId, account, movements);
  return movements.flatMap((movement) => toLines(movement, related));
}

type Item = Readonly<Record<string, unknown>>;

/** By their ids, the records that entries name but are not stored with. */
type Related = ReadonlyMap<string, Item>;

async function readRelated(
  programId: string,
  { accountId }: Account,
  movements: readonly Movement[],
): Promise<Related> {
  const toKey = (id: string) => {
    if (id.startsWith("dep_")) return deposits.at(programId, id).key;
    if (id.startsWith("txn_")) return transactions.at(programId, accountId, id).key;
    return id.startsWith("fee_") ? fees.at(programId, accountId, id).key : undefined;
  };
  const read = async (ids: readonly string[]) => {
    const keys = [...new Set(ids)].flatMap((id) => toKey(id) ?? []);
    return (await readBatch(keys)).map((item): [string, Item] => [findId(item), item]);
  };
  const named = await read(movements.filter(isEntry).map(({ entry }) => entry.relatedId));
  const records = new Map(named);
  const feeIds = movements.flatMap((movement) => findRecord(movement, records)?.feeId ?? []).map(String);
  return new Map([...records, ...(await read(feeIds))]);
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
  const feeMinor = feeId === undefined ? 0 : chargedMinor(entry);
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

function chargedMinor({ postings }: Movement["entry"]): number {
  return postings.reduce(
    (sum, { account, amountMinor }) => (account === "fee_income" ? sum + amountMinor : sum),
    0,
  );
}

function describe({ entry: { kind } }: Movement, type: StatementLineType): string {
  if (kind === "card_sweep") return "Balance of a closed Card";
  return kind === "card_unload" ? "Card unload" : descriptions[type];
}

function withText(what: string, text: string | undefined): string {
  return text === undefined ? what : `${what}: ${text}`;
}
