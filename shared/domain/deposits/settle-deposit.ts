import { timestamp } from "../../platform/clock.ts";
import { deadlineDelete } from "../../platform/deadlines.ts";
import { environment } from "../../platform/environment.ts";
import { newId } from "../../platform/id.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { compileTransition } from "../../platform/table/transition.ts";
import type { Commit } from "../ledger/commit.ts";
import { type JournalEntry, journalEntry } from "../ledger/journal-entry.ts";
import { depositReturned, pendingDepositCleared, pendingDepositReversed } from "../ledger/postings.ts";
import { type Deposit, type DepositTrigger, depositTransitions, fundingOf } from "./deposit.ts";
import { depositEvents } from "./deposit-event.ts";
import { depositListUpdates } from "./deposit-lists.ts";
import { depositRecordUpdates } from "./deposit-record.ts";

/**
 * Clears or reverses a pending deposit, or returns a cleared one. Each is legal from one status, so exactly
 * one of the deadline and the processor's events wins. A return posts whatever the account's status and
 * balance: the bank has taken the money. Failed conditions: `deposit` and `account`.
 */
export function settleDeposit(deposit: Deposit, trigger: DepositTrigger, at: Date): Commit {
  const { programId, depositId, account, clearsAt } = deposit;
  const { condition, names, values, from, to } = compileTransition(depositTransitions, trigger, "status");
  const settled: Deposit = {
    ...deposit,
    status: to,
    ...(trigger === "clear" && account.kind === "card" && { clearedTransIdSc: newId("notification") }),
  };
  const { clearedTransIdSc } = settled;
  return {
    programId,
    at,
    entry: entryOf(deposit, trigger, at),
    accounts: [{ name: "account", account }],
    writes: [
      {
        name: "deposit",
        Update: {
          TableName: environment.issuingTable,
          Key: issuingKey.deposit(programId, depositId),
          UpdateExpression: `SET #status = :status, ${times[trigger]} = :at${
            clearedTransIdSc ? ", clearedTransIdSc = :cleared" : ""
          }`,
          ConditionExpression: condition,
          ExpressionAttributeNames: names,
          ExpressionAttributeValues: {
            ...values,
            ":at": timestamp(at),
            ...(clearedTransIdSc && { ":cleared": clearedTransIdSc }),
          },
        },
        // Each trigger has one status that it starts from, which the condition requires.
        alongside: from.flatMap((status) => depositListUpdates(deposit, status, to)),
      },
      ...depositRecordUpdates(deposit, trigger, at),
      ...depositEvents(settled, at),
      ...(clearsAt && trigger !== "return" ? [deadlineDelete(programId, depositId)] : []),
    ],
  };
}

const times = { clear: "settledAt", reverse: "settledAt", return: "returnedAt" } as const;

function entryOf(deposit: Deposit, trigger: DepositTrigger, at: Date): JournalEntry {
  const { depositId, account, amountMinor, channel } = deposit;
  const { accountId } = account;
  const funding = fundingOf[channel];
  switch (trigger) {
    case "clear":
      return journalEntry("deposit_cleared", depositId, pendingDepositCleared(accountId, amountMinor), at);
    case "reverse":
      return journalEntry(
        "deposit_reversed",
        depositId,
        pendingDepositReversed(accountId, funding, amountMinor),
        at,
      );
    case "return":
      return journalEntry(
        "deposit_returned",
        depositId,
        depositReturned(accountId, funding, amountMinor),
        at,
      );
  }
}
