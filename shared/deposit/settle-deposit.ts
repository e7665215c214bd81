import { timestamp } from "../clock.ts";
import { deadlineDelete } from "../deadline/deadline.ts";
import { environment } from "../environment.ts";
import type { Commit } from "../ledger/commit-entry.ts";
import { journalEntry } from "../ledger/journal-entry.ts";
import { pendingDepositCleared, pendingDepositReversed } from "../ledger/movements.ts";
import { issuingKey } from "../table/keys.ts";
import { compileTransition } from "../table/transition.ts";
import { depositRecordUpdates } from "../transaction/funding-record.ts";
import { type Deposit, type DepositTrigger, depositTransitions, fundingOf } from "./deposit.ts";
import { depositEvents } from "./deposit-event.ts";

/**
 * The commit that clears or reverses a deposit: legal while it is pending, so that of the deadline, the processor's
 * clearing and its reversal exactly one happens. Its deadline goes with it. Refusals are named `deposit` and
 * `account`.
 */
export function settleDeposit(deposit: Deposit, trigger: DepositTrigger, at: Date): Commit<never> {
  const { programId, depositId, account, amountMinor, channel } = deposit;
  const { condition, names, values, to } = compileTransition(depositTransitions, trigger, "status");
  const entry =
    trigger === "clear"
      ? journalEntry("deposit_cleared", depositId, pendingDepositCleared(account.accountId, amountMinor), at)
      : journalEntry(
          "deposit_reversed",
          depositId,
          pendingDepositReversed(account.accountId, fundingOf[channel], amountMinor),
          at,
        );
  return {
    programId,
    at,
    entry,
    accounts: [{ name: "account", account }],
    writes: [
      {
        name: "deposit",
        Update: {
          TableName: environment.issuingTable,
          Key: issuingKey.deposit(programId, depositId),
          UpdateExpression: "SET #status = :status, settledAt = :settledAt",
          ConditionExpression: condition,
          ExpressionAttributeNames: names,
          ExpressionAttributeValues: { ...values, ":settledAt": timestamp(at) },
        },
      },
      ...depositRecordUpdates(deposit, trigger === "clear" ? 1 : 2, at),
      ...depositEvents({ ...deposit, status: to }, at),
      ...(deposit.clearsAt ? [deadlineDelete(programId, depositId)] : []),
    ],
  };
}
