import * as z from "zod";
import { defineEntity } from "../../platform/table/entity.ts";
import { reportedKey } from "../../platform/table/reported-keys.ts";

/** A deposit that a bank reported: by file and by webhook it is the same one. */
const ReportedDeposit = z.object({
  programId: z.string(),
  depositId: z.string(),
  /** Its place under the bank's reference. */
  account: z.string(),
  /** The collecting account, once a file has named it. */
  bookedOn: z.string().optional(),
  bankReference: z.string(),
  /** 0: the reference is of several deposits, each of which has one of its own. */
  amountMinor: z.int(),
  currency: z.string(),
  /** The report that was the first: of any other, it is a duplicate. */
  origin: z.string(),
  endToEndId: z.string().optional(),
});
export type ReportedDeposit = Readonly<z.output<typeof ReportedDeposit>>;

export const reportedDeposits = defineEntity({
  name: "reported deposit",
  table: "issuing",
  schema: ReportedDeposit,
  key: reportedKey.deposit,
});

/** Whether it may be a deposit on this account: of a webhook's, the account is not known. */
export function mayBeOn(deposit: ReportedDeposit, account: string | undefined): boolean {
  const bookedOn = bookedOnOf(deposit);
  return account === undefined || bookedOn === undefined || bookedOn === account;
}

export function bookedOnOf({ bookedOn, account, programId, origin }: ReportedDeposit): string | undefined {
  if (bookedOn !== undefined || account === programId) return bookedOn;
  // The earlier layout has the Program's account of the time also where a webhook named none.
  return origin.startsWith("webhook:") ? undefined : account;
}

/** Found by the payer's reference. */
export const depositsEndToEnd = defineEntity({
  name: "deposit end to end",
  table: "issuing",
  schema: z.object({ account: z.string(), bankReference: z.string() }),
  key: reportedKey.endToEnd,
});

/** A return: of a deposit, or before it is known. Of the earlier layout: without an amount. */
const ReportedReturn = z.object({
  /** As its key has it. */
  sk: z.string().optional(),
  origin: z.string(),
  returnId: z.string().optional(),
  endToEndId: z.string().optional(),
  amountMinor: z.int().optional(),
  currency: z.string().optional(),
  /** The deposit that it takes back: no other one. */
  takenBy: z.string().optional(),
});
export type ReportedReturn = Readonly<z.output<typeof ReportedReturn>>;

export const reportedReturns = defineEntity({
  name: "reported return",
  table: "issuing",
  schema: ReportedReturn,
  key: reportedKey.returned,
});

export const returnsEndToEnd = defineEntity({
  name: "return end to end",
  table: "issuing",
  schema: ReportedReturn,
  key: reportedKey.returnedEndToEnd,
});
