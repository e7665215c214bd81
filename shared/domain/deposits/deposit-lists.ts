import type { DepositStatus } from "../../contract/enums.ts";
import { listInsert, listUpdate } from "../../lists/change.ts";
import type { ListKind } from "../../lists/entry.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { Deposit } from "./deposit.ts";

export const depositList: ListKind = {
  name: "deposits",
  filters: ["status", "channel"],
  orders: ["amountMinor"],
  shards: 8,
  recordKey: ({ programId }, depositId) => issuingKey.deposit(programId, depositId),
};

/** The same of one Wallet or Card. */
export const accountDepositList: ListKind = { ...depositList, name: "accountDeposits", shards: 1 };

export function depositListInserts(deposit: Deposit): WriteAction[] {
  const { programId, depositId, account } = deposit;
  return [
    listInsert(depositList, programId, depositId, deposit),
    listInsert(accountDepositList, programId, depositId, deposit, account.accountId),
  ];
}

/** Changes a deposit's status in its two lists. The transaction must require the status `from`. */
export function depositListUpdates(deposit: Deposit, from: DepositStatus, to: DepositStatus): WriteAction[] {
  const { programId, depositId, account } = deposit;
  const before = { ...deposit, status: from };
  const after = { ...deposit, status: to };
  return [
    listUpdate(depositList, programId, depositId, before, after),
    listUpdate(accountDepositList, programId, depositId, before, after, account.accountId),
  ];
}
