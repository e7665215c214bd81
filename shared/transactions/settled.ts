import { TransactionStatus } from "../contract/enums.ts";
import { listUpdate } from "../lists/entry.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Transaction, transactionList, transactions } from "./transaction.ts";
import { isSettlement, type Posting } from "./transaction-rules.ts";

export function isUnsettled(posting: Posting): boolean {
  return isSettlement(posting) && posting.transStatus === TransactionStatus.cleared;
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
