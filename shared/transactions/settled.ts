import { TransactionStatus } from "../contract/enums.ts";
import { findTypeFacts } from "../contract/transaction-types.ts";
import { listUpdate } from "../lists/entry.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Transaction, transactionList, transactions } from "./transaction.ts";

type Posting = Pick<Transaction, "transType" | "transStatus">;

/** A posting of the network, whether it is settled yet or not. */
export function isSettlement({ transType, transStatus }: Posting): boolean {
  const isPosted = transStatus === TransactionStatus.cleared || transStatus === TransactionStatus.completion;
  return isPosted && findTypeFacts(transType).isSettled === true;
}

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
