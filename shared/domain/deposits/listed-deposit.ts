import type { DepositStatus } from "../../contract/enums.ts";
import { listedChange, listedPut } from "../../lists/change-row.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { Deposit } from "./deposit.ts";

/** What a new deposit adds to the Program's list of deposits, and to its Wallet's or Card's. */
export function depositListedPuts(deposit: Deposit): WriteAction[] {
  const { programId, depositId, account } = deposit;
  return [
    listedPut("deposits", programId, depositId, deposit),
    listedPut("accountDeposits", programId, depositId, deposit, account.accountId),
  ];
}

/** What a change of its status does to both lists. The transaction must require the status `from`. */
export function depositListedChanges(
  deposit: Deposit,
  from: DepositStatus,
  to: DepositStatus,
): WriteAction[] {
  const { programId, depositId, account } = deposit;
  const [before, after] = [
    { ...deposit, status: from },
    { ...deposit, status: to },
  ];
  return [
    listedChange("deposits", programId, depositId, before, after),
    listedChange("accountDeposits", programId, depositId, before, after, account.accountId),
  ];
}
