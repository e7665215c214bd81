import * as z from "zod";
import { SuspenseReason, SuspenseStatus } from "../contract/enums.ts";
import { idPrefixes } from "../contract/identifiers.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import { integerEnum } from "../contract/primitives.ts";
import type { Commit } from "../ledger/commit.ts";
import { journalEntry } from "../ledger/journal-entry.ts";
import { listInsert } from "../lists/entry.ts";
import { defineList } from "../lists/kind.ts";
import { withoutPrefix } from "../platform/id.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { isNew } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { depositFields, depositSuspended, deposits, fundingAccounts } from "./deposit.ts";

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
export const suspenseList = defineList({
  name: "suspense",
  recordKey: ({ programId }, depositId) => suspenseItems.key(programId, depositId),
});

/** Points to an item whose money is in suspense. */
export const openSuspense = defineEntity({
  name: "open suspense",
  schema: z.object({ depositId: z.string() }),
  key: (programId: string, suspenseId: string) => ({ pk: `${programId}#SUSPENSE`, sk: suspenseId }),
});

/** One suspense item per deposit: each id follows from the other. */
export function toSuspenseId(depositId: string): string {
  return `${idPrefixes.suspense}_${withoutPrefix(depositId)}`;
}

/** Failed conditions: `suspense` and `deposit`. */
export function suspendDeposit(item: SuspenseItem, at: Date): Commit {
  const { programId, suspenseId, depositId, amountMinor, channel } = item;
  const postings = depositSuspended(fundingAccounts[channel], amountMinor);
  return {
    programId,
    at,
    entry: journalEntry("deposit_suspended", depositId, postings, at),
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

/**
 * It sends no webhook: no Card or Wallet is involved. What is written for an unknown account may be
 * a payer's text, with personal data.
 */
export function suspenseEvent(
  kind: OutboxEvent["kind"],
  { programId, suspenseId, depositId, account, amountMinor, currency, channel, reason }: SuspenseItem,
  at: Date,
): WriteAction {
  const named = reason === "ACCOUNT_UNKNOWN" ? {} : { accountId: account.accountId };
  const detail = { suspenseId, depositId, ...named, amountMinor, currency, channel, reason };
  return outboxPut(programId, kind, detail, at);
}
