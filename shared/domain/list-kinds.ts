import type { ListKind } from "../lists/entry.ts";
import { cardholderList } from "./cardholders/cardholder.ts";
import { cardList } from "./cards/card.ts";
import { accountDepositList, depositList } from "./deposits/deposit.ts";
import { holdList } from "./holds/hold.ts";
import { walletTransactionList } from "./ledger/journal-entry.ts";
import { notificationList } from "./notifications/notification.ts";
import { feeList } from "./transactions/fee.ts";
import { transactionList } from "./transactions/transaction.ts";
import { transferList } from "./wallets/transfer.ts";
import { walletList } from "./wallets/wallet.ts";

export const programLists: readonly ListKind[] = [
  transactionList,
  feeList,
  cardList,
  cardholderList,
  walletList,
  depositList,
  notificationList,
  holdList,
];

export const walletLists: readonly ListKind[] = [transferList, walletTransactionList, accountDepositList];

export const cardLists: readonly ListKind[] = [accountDepositList];

/** For code that handles any list. An operation imports its own kind. */
export function findListKind(name: string): ListKind {
  const kind = [...programLists, ...walletLists].find((one) => one.name === name);
  if (!kind) throw new Error(`No list kind is named ${name}.`);
  return kind;
}
