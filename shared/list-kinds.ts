import { authenticationList } from "./authentications/authentication.ts";
import { countedList, programCountedList } from "./authorizations/holds/counted-list.ts";
import { authorizationList } from "./authorizations/holds/history.ts";
import { holdList } from "./authorizations/holds/hold.ts";
import { bulkList } from "./bulk/bulk.ts";
import { cardholderList } from "./cardholders/cardholder.ts";
import { cardList } from "./cards/card-view.ts";
import { controlList } from "./controls/control.ts";
import { accountDepositList, depositList } from "./deposits/deposit.ts";
import { suspenseList } from "./deposits/suspense.ts";
import { disputeList } from "./disputes/dispute.ts";
import { externalAccountList } from "./external-accounts/external-account.ts";
import { ownChange } from "./ledger/journal-entry.ts";
import { walletTransactionList } from "./ledger/wallet-transactions.ts";
import { type ChangeRow, type List, type ListKind, riding, type StoredRecord } from "./lists/kind.ts";
import { toOwnChange, toRidingChange } from "./lists/store.ts";
import { notificationList } from "./notifications/notification.ts";
import { microDepositList, payoutList, pullList } from "./payments/payment.ts";
import { accountUpdateList } from "./plastics/plastic.ts";
import { reportList } from "./reports/report.ts";
import { tokenList } from "./tokens/token.ts";
import { feeList } from "./transactions/fee.ts";
import { transactionList } from "./transactions/transaction.ts";
import { transferList } from "./wallets/transfer-list.ts";
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
  authorizationList,
  controlList,
  suspenseList,
  disputeList,
  tokenList,
  reportList,
  bulkList,
  authenticationList,
  accountUpdateList,
  payoutList,
  pullList,
  microDepositList,
  externalAccountList,
];

export const ridingLists: readonly ListKind[] = programLists.filter(({ rides }) => rides);

export const walletLists: readonly ListKind[] = [transferList, walletTransactionList, accountDepositList];

export const cardLists: readonly ListKind[] = [accountDepositList];

/** What a control has counted. */
export const controlLists: readonly ListKind[] = [countedList, programCountedList];

/** The lists that an item of the stream changes, each with the change. */
export function streamedChanges(item: StoredRecord): { readonly list: List; readonly row: ChangeRow }[] {
  if (item.listed === riding.listed) {
    // Also those that it does not change: their readers pass it too, until it is compacted.
    const programId = String(item.pk).split("#")[0] ?? "";
    return ridingLists.map((kind) => {
      const list = { programId, kind };
      return { list, row: toRidingChange(list, item) };
    });
  }
  if (item.listed !== ownChange.listed) {
    const row = item as unknown as ChangeRow;
    return [{ list: { programId: row.programId, kind: findListKind(row.listed), owner: row.owner }, row }];
  }
  const [programId = "", owner] = String(item.pk).split("#");
  return walletLists.flatMap((kind) => {
    const list = { programId, kind, owner };
    const row = toOwnChange(list, item);
    return row ? [{ list, row }] : [];
  });
}

/** Finds any list by its name. An operation imports its own kind. */
export function findListKind(name: string): ListKind {
  const kind = [...programLists, ...walletLists, ...controlLists].find((one) => one.name === name);
  if (!kind) throw new Error(`No list kind is named ${name}.`);
  return kind;
}
