import * as z from "zod";
import { SuspenseReason, SuspenseStatus } from "../contract/enums.ts";
import { idPrefixes } from "../contract/identifiers.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import { integerEnum } from "../contract/primitives.ts";
import type { Commit } from "../ledger/commit.ts";
import { journalEntry } from "../ledger/journal-entry.ts";
import { depositSuspended, suspenseReturned } from "../ledger/postings.ts";
import { listInsert } from "../lists/entry.ts";
import type { ListKind } from "../lists/kind.ts";
import { timestamp } from "../platform/clock.ts";
import { withoutPrefix } from "../platform/id.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { all, isNew, oneOf } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { readItems, toPartitionQuery } from "../platform/table/query.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { findStep, type TransitionTable } from "../platform/table/transition.ts";
import {
  type DepositTrigger,
  depositFields,
  deposits,
  depositTransitions,
  fundingAccounts,
} from "./deposit.ts";
import { type NewDeposit, newDeposit } from "./deposit-change.ts";

type SuspenseTrigger = DepositTrigger | "assign" | "drop";

/** As on an account, until the operator assigns or returns the deposit. */
export const suspenseTransitions = [
  ...depositTransitions,
  { from: SuspenseStatus.pending, trigger: "assign", to: SuspenseStatus.assigned },
  { from: SuspenseStatus.cleared, trigger: "assign", to: SuspenseStatus.assigned },
  { from: SuspenseStatus.cleared, trigger: "drop", to: SuspenseStatus.reversed },
] as const satisfies TransitionTable<SuspenseStatus, SuspenseTrigger>;

/** A deposit that no card or wallet could take. `account` is the one that it was for. */
const SuspenseItem = z.object({
  ...depositFields,
  suspenseId: z.string(),
  status: integerEnum(SuspenseStatus),
  reason: SuspenseReason,
  /** ISO 4217 code, if the amount is not in the currency of the books. */
  receivedCurrency: z.string().optional(),
  /** A possible duplicate names the deposit that the bank has reported before. */
  duplicateOf: z.string().optional(),
  /** What else the operator should know. */
  note: z.string().optional(),
  changedAt: z.string().optional(),
});
export type SuspenseItem = Readonly<z.output<typeof SuspenseItem>>;

export const suspenseItems = defineEntity({
  name: "suspense",
  schema: SuspenseItem,
  key: (programId: string, depositId: string) => ({ pk: `${programId}#${depositId}`, sk: "SUSPENSE" }),
});

/** Every item, also a closed one: the books of a day read their entries. */
export const suspenseList: ListKind = {
  name: "suspense",
  filters: [],
  orders: [],
  shards: 1,
  recordKey: ({ programId }, depositId) => suspenseItems.key(programId, depositId),
};

/** Points to an item whose money is in suspense. */
const openSuspense = defineEntity({
  name: "open suspense",
  schema: z.object({ depositId: z.string() }),
  key: (programId: string, suspenseId: string) => ({ pk: `${programId}#SUSPENSE`, sk: suspenseId }),
});

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

/** One suspense item per deposit: each id follows from the other. */
export function toSuspenseId(depositId: string): string {
  return `${idPrefixes.suspense}_${withoutPrefix(depositId)}`;
}

export function toDepositId(suspenseId: string): string {
  return `${idPrefixes.deposit}_${withoutPrefix(suspenseId)}`;
}

/** Whether its money is still in the suspense account. */
export function isOpen({ status }: Pick<SuspenseItem, "status">): boolean {
  return status === SuspenseStatus.pending || status === SuspenseStatus.cleared;
}

/** Failed conditions: `suspense` and `deposit`. */
export function suspendDeposit(item: SuspenseItem, at: Date): Commit {
  const { programId, suspenseId, depositId, amountMinor, channel } = item;
  const postings = depositSuspended(fundingAccounts[channel], amountMinor);
  return {
    programId,
    at,
    entry: journalEntry("deposit_suspended", depositId, postings, at),
    accounts: [],
    writes: [
      {
        ...suspenseItems.at(programId, depositId).create(item),
        alongside: [listInsert(suspenseList, programId, depositId, item)],
      },
      deposits.at(programId, depositId).check(isNew),
      openSuspense.at(programId, suspenseId).put({ depositId }),
      suspenseEvent("deposit.suspended", item, at),
    ],
  };
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
    accounts: [],
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

/**
 * It sends no webhook: no Card or Wallet is involved. What is written for an unknown account may be
 * a payer's text, with personal data.
 */
function suspenseEvent(
  kind: OutboxEvent["kind"],
  { programId, suspenseId, depositId, account, amountMinor, currency, channel, reason }: SuspenseItem,
  at: Date,
): WriteAction {
  const named = reason === "ACCOUNT_UNKNOWN" ? {} : { accountId: account.accountId };
  const detail = { suspenseId, depositId, ...named, amountMinor, currency, channel, reason };
  return outboxPut(programId, kind, detail, at);
}
