import { SuspenseStatus } from "../contract/enums.ts";
import { idPrefixes } from "../contract/identifiers.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import type { Commit } from "../ledger/commit.ts";
import { journalEntry } from "../ledger/journal-entry.ts";
import { timestamp } from "../platform/clock.ts";
import { withoutPrefix } from "../platform/id.ts";
import { all, oneOf } from "../platform/table/condition.ts";
import { readItems, toPartitionQuery } from "../platform/table/query.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { findStep, fromEach, type TransitionTable } from "../platform/table/transition.ts";
import { fundingAccounts, type NewDeposit, suspenseReturned } from "./deposit.ts";
import { newDeposit } from "./new-deposit.ts";
import { type DepositTrigger, depositTransitions } from "./settle-deposit.ts";
import { openSuspense, type SuspenseItem, suspenseEvent, suspenseItems } from "./suspense.ts";

type SuspenseTrigger = DepositTrigger | "assign" | "drop";

/** As on an account, until the operator assigns or returns the deposit. */
export const suspenseTransitions = [
  ...depositTransitions,
  ...fromEach([SuspenseStatus.pending, SuspenseStatus.cleared], "assign", SuspenseStatus.assigned),
  { from: SuspenseStatus.cleared, trigger: "drop", to: SuspenseStatus.reversed },
] as const satisfies TransitionTable<SuspenseStatus, SuspenseTrigger>;

export function toDepositId(suspenseId: string): string {
  return `${idPrefixes.deposit}_${withoutPrefix(suspenseId)}`;
}

/** Whether its money is still in the suspense account. */
export function isOpen({ status }: Pick<SuspenseItem, "status">): boolean {
  return status === SuspenseStatus.pending || status === SuspenseStatus.cleared;
}

const outboxKinds = {
  clear: "suspense.cleared",
  reverse: "suspense.reversed",
  drop: "suspense.reversed",
  return: "suspense.returned",
} as const satisfies Record<Exclude<SuspenseTrigger, "assign">, OutboxEvent["kind"]>;

/**
 * What the bank or the operator does with a deposit in suspense. After the return of a part,
 * `amountMinor`, the rest is a smaller deposit. Failed condition: `suspense`.
 */
export function settleSuspense(
  item: SuspenseItem,
  trigger: keyof typeof outboxKinds,
  at: Date,
  amountMinor = item.amountMinor,
): Commit {
  const { programId, depositId, channel } = item;
  const restMinor = item.amountMinor - amountMinor;
  const kind = trigger === "return" ? "deposit_returned" : "deposit_reversed";
  const postings = suspenseReturned(fundingAccounts[channel], amountMinor);
  return {
    programId,
    at,
    // Suspense has the money whether it is pending or cleared: clearing it moves nothing.
    ...(trigger !== "clear" && { entry: journalEntry(kind, depositId, postings, at) }),
    writes: [
      ...(restMinor > 0
        ? [updateSuspense(item, { amountMinor: restMinor, changedAt: timestamp(at) })]
        : suspenseWrites(item, trigger, at)),
      suspenseEvent(outboxKinds[trigger], { ...item, amountMinor }, at),
    ],
  };
}

/** Moves the money to an account. Failed conditions: `suspense`, `deposit` and `account`. */
export function assignSuspense(item: SuspenseItem, deposit: NewDeposit, at: Date): Commit {
  const { commit } = newDeposit(deposit, at, "suspense");
  return { ...commit, writes: [...suspenseWrites(item, "assign", at), ...commit.writes] };
}

/** Changes the status from one that it may have. */
function suspenseWrites(item: SuspenseItem, trigger: SuspenseTrigger, at: Date): WriteAction[] {
  const { programId, suspenseId } = item;
  const { from, to: status } = findStep(suspenseTransitions, trigger);
  return [
    updateSuspense(item, { status, changedAt: timestamp(at) }, from),
    ...(isOpen({ status }) ? [] : [openSuspense.at(programId, suspenseId).delete()]),
  ];
}

/** Status and amount must be as they were read. */
function updateSuspense(
  { programId, depositId, status, amountMinor }: SuspenseItem,
  set: Partial<SuspenseItem>,
  from: readonly SuspenseStatus[] = [status],
): WriteAction {
  const asRead = all<SuspenseItem>({ status: oneOf(from) }, { status, amountMinor });
  return suspenseItems.at(programId, depositId).update({ set }, asRead);
}

/** The deposits in suspense, oldest first, after that of the suspense item `after`. */
export async function listOpenDepositIds(
  programId: string,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const { pk, sk } = openSuspense.at(programId, after ?? "").key;
  const query = { ...toPartitionQuery(pk, { first: `${sk}!`, last: "~" }), Limit: limit };
  const depositIds: string[] = [];
  for await (const item of readItems(query)) {
    depositIds.push(openSuspense.parse(item).depositId);
    if (depositIds.length === limit) break;
  }
  return depositIds;
}
