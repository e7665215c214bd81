import type { OutboxEvent } from "../../contract/outbox.ts";
import { timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { compileTransition } from "../../platform/table/transition.ts";
import type { Commit } from "../ledger/commit.ts";
import { journalEntry } from "../ledger/journal-entry.ts";
import { depositSuspended, suspenseReturned } from "../ledger/postings.ts";
import { type DepositTrigger, fundingOf, type NewDeposit } from "./deposit.ts";
import { newDeposit } from "./new-deposit.ts";
import { isOpen, type SuspenseItem, type SuspenseTrigger, suspenseTransitions } from "./suspense.ts";

/** Failed conditions: `suspense` and `deposit`. */
export function suspendDeposit(item: SuspenseItem, at: Date): Commit {
  const { programId, suspenseId, depositId, amountMinor, channel } = item;
  const TableName = environment.issuingTable;
  const postings = depositSuspended(fundingOf[channel], amountMinor);
  return {
    programId,
    at,
    entry: journalEntry("deposit_suspended", depositId, postings, at),
    accounts: [],
    writes: [
      {
        name: "suspense",
        Put: {
          TableName,
          Item: { ...issuingKey.suspense(programId, depositId), ...item },
          ConditionExpression: "attribute_not_exists(pk)",
        },
      },
      {
        name: "deposit",
        ConditionCheck: {
          TableName,
          Key: issuingKey.deposit(programId, depositId),
          ConditionExpression: "attribute_not_exists(pk)",
        },
      },
      {
        name: "open suspense",
        Put: { TableName, Item: { ...issuingKey.openSuspense(programId, suspenseId), depositId } },
      },
      suspenseEvent("deposit.suspended", item, at),
    ],
  };
}

/** What the bank or the operator does with a deposit in suspense. Failed condition: `suspense`. */
export function settleSuspense(item: SuspenseItem, trigger: DepositTrigger, at: Date): Commit {
  const { programId, depositId, amountMinor, channel } = item;
  const kind = trigger === "return" ? "deposit_returned" : "deposit_reversed";
  const postings = suspenseReturned(fundingOf[channel], amountMinor);
  return {
    programId,
    at,
    // Suspense holds the money whether it is pending or cleared: clearing it moves nothing.
    ...(trigger !== "clear" && { entry: journalEntry(kind, depositId, postings, at) }),
    accounts: [],
    writes: [...suspenseWrites(item, trigger, at), suspenseEvent(kindOf[trigger], item, at)],
  };
}

const kindOf = {
  clear: "suspense.cleared",
  reverse: "suspense.reversed",
  return: "suspense.returned",
} as const satisfies Record<DepositTrigger, OutboxEvent["kind"]>;

/** The event of a change in suspense. It sends no webhook: no Card or Wallet is involved. */
function suspenseEvent(
  kind: OutboxEvent["kind"],
  { programId, suspenseId, depositId, account, amountMinor, currency, channel, reason }: SuspenseItem,
  at: Date,
): WriteAction {
  const { accountId } = account;
  const detail = { suspenseId, depositId, accountId, amountMinor, currency, channel, reason };
  return outboxPut(programId, kind, detail, at);
}

/**
 * Credits a card or wallet with a deposit in suspense. Failed conditions: `suspense`, `deposit` and
 * `account`.
 */
export function assignSuspense(item: SuspenseItem, deposit: NewDeposit, at: Date): Commit {
  const commit = newDeposit(deposit, at, "suspense");
  return { ...commit, writes: [...suspenseWrites(item, "assign", at), ...commit.writes] };
}

/** Moves the item on, on condition of the status that was read; a closed item leaves the open ones. */
function suspenseWrites(item: SuspenseItem, trigger: SuspenseTrigger, at: Date): WriteAction[] {
  const { programId, suspenseId, depositId } = item;
  const TableName = environment.issuingTable;
  const { condition, names, values, to } = compileTransition(suspenseTransitions, trigger, "status");
  return [
    {
      name: "suspense",
      Update: {
        TableName,
        Key: issuingKey.suspense(programId, depositId),
        UpdateExpression: "SET #status = :status, changedAt = :at",
        ConditionExpression: `${condition} AND #status = :seen`,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ...values, ":seen": item.status, ":at": timestamp(at) },
      },
    },
    ...(isOpen({ status: to })
      ? []
      : [
          {
            name: "open suspense",
            Delete: { TableName, Key: issuingKey.openSuspense(programId, suspenseId) },
          },
        ]),
  ];
}
