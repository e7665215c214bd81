import { numericCurrency, TransactionStatus, TransactionType } from "../contract/enums.ts";
import { disputeEvents, disputes, readDisputeKeys } from "../disputes/dispute.ts";
import { isWonDispute } from "../disputes/transitions.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { parseEntry } from "../ledger/stored-entry.ts";
import { listPage } from "../lists/list-page.ts";
import { readBatch } from "../platform/table/batch.ts";
import { feeList } from "../transactions/fee.ts";
import { type Transaction, transactionList, transactions } from "../transactions/transaction.ts";

export interface Span {
  readonly start: Date;
  readonly end: Date;
}

export interface Posted {
  readonly transaction: Transaction;
  /** The Card's copy of its journal entry. Absent where no money moved. */
  readonly entry: JournalEntry | undefined;
}

/** Only withdrawals are cleared by name: these are parts of one. */
const cashTypes: ReadonlySet<TransactionType> = new Set([
  TransactionType.pindebit_atm_withdrawal,
  TransactionType.pindebit_authorization_clearing,
  TransactionType.pindebit_reversal,
]);

export function isCash({ transType }: Transaction): boolean {
  return cashTypes.has(transType);
}

/** In the order in which they were posted. Declined ones moved nothing. */
export async function readPosted(programId: string, span: Span, offset: number, limit: number) {
  return listPage(
    {
      records: { list: { programId, kind: transactionList } },
      excluded: { transStatus: TransactionStatus.declined },
      view: (item: Record<string, unknown>): Posted => ({
        transaction: transactions.parse(item),
        entry: parseEntry(item),
      }),
    },
    { ...withinSpan(span), offset, limit },
  );
}

/** What the network paid for a dispute, if this tells so: by its event, as it may touch no Card. */
export async function readRecovered(programId: string, { transaction }: Posted): Promise<number> {
  const { cardId, relatedId, transId, transType } = transaction;
  if (!isWonDispute(transType)) return 0;
  const ofCard = await readBatch(await readDisputeKeys(programId, [cardId]));
  const found = ofCard.map((item) => disputes.parse(item)).filter((one) => one.transId === relatedId);
  const events = await Promise.all(found.map((one) => disputeEvents.list(programId, one.disputeId)));
  return events.flat().find(({ transIds }) => transIds.includes(transId))?.liability.recovered ?? 0;
}

/** The journal entries of fees that were charged by themselves. */
export async function readFeeEntries(programId: string, span: Span, offset: number, limit: number) {
  return listPage(
    {
      records: { list: { programId, kind: feeList } },
      view: (item: Record<string, unknown>) => parseEntry(item),
    },
    { ...withinSpan(span), offset, limit },
  );
}

/** A list excludes both ends of a time span, in seconds. */
function withinSpan({ start, end }: Span) {
  const span = { after: (start.getTime() - 1) / 1000, before: end.getTime() / 1000 };
  return { ...span, orderBy: "dateCreated", sort: "asc" } as const;
}

/** As a report states it. */
export function stated({ type, amountMinor, currency, interchangeMinor }: Transaction) {
  const common = { type, amount: amountMinor, currency: numericCurrency[currency] };
  return { ...common, ...(interchangeMinor !== undefined && { interchange: interchangeMinor }) };
}
