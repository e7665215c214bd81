import { TransactionStatus, TransactionType } from "../contract/enums.ts";
import { listUpdate } from "../lists/change.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Transaction, transactionList, transactions } from "./transaction.ts";

/** What the network settles, by files or events. */
const networkTypes: ReadonlySet<TransactionType> = new Set([
  TransactionType.authorization_clearing,
  TransactionType.refund,
  TransactionType.returnreversal,
  TransactionType.pindebit_atm_withdrawal,
  TransactionType.pindebit_authorization_clearing,
  TransactionType.pindebit_reversal,
]);

type Posting = Pick<Transaction, "transType" | "transStatus">;

/** A posting of the network, whether it is settled yet or not. */
export function isSettlement({ transType, transStatus }: Posting): boolean {
  const isPosted = transStatus === TransactionStatus.cleared || transStatus === TransactionStatus.completion;
  return networkTypes.has(transType) && isPosted;
}

export function isUnsettled(posting: Posting): boolean {
  return isSettlement(posting) && posting.transStatus === TransactionStatus.cleared;
}

/** What is posted now, in a Program whose network settles it later or not. */
export function postedStatus(transType: TransactionType, settlesLater = false): TransactionStatus {
  return settlesLater && networkTypes.has(transType)
    ? TransactionStatus.cleared
    : TransactionStatus.completion;
}

/** The network has settled it: one write, in the record and its list. */
export function settledUpdate(transaction: Transaction): WriteAction {
  const { programId, cardId, transId, transStatus: before } = transaction;
  const transStatus = TransactionStatus.completion;
  return {
    ...transactions.at(programId, cardId, transId).update({ set: { transStatus } }, { transStatus: before }),
    alongside: [
      listUpdate(transactionList, programId, transId, transaction, { ...transaction, transStatus }),
    ],
    name: "settled",
  };
}
