import * as z from "zod";
import { BankReferences } from "../../contract/bank.ts";
import { readBatch } from "../../platform/table/batch.ts";
import { defineEntity } from "../../platform/table/entity.ts";

/** A deposit as a bank reported it first, by file or by webhook. */
const BankPayment = z.object({
  programId: z.string(),
  depositId: z.string(),
  /** The collecting account: a webhook names none. */
  account: z.string().optional(),
  references: BankReferences,
  report: z.string().optional(),
  content: z.string().optional(),
  facts: z.record(z.string(), z.string()).optional(),
  /** Where reports of it stood, of each statement one place. */
  places: z.array(z.string()).optional(),
  amountMinor: z.int(),
  currency: z.string(),
  /** The report that was the first: in any other, it is known. */
  origin: z.string(),
  /** It waits in suspense: it may be another deposit, which was reported before. */
  isDoubtful: z.boolean().optional(),
});
export type BankPayment = Readonly<z.output<typeof BankPayment>>;

export const bankPayments = defineEntity({
  name: "bank payment",
  schema: BankPayment,
  key: (programId: string, depositId: string) => ({ pk: `${programId}#${depositId}`, sk: "BANK_REPORT" }),
});

/** Leads from what the bank or the payer calls a payment, its content or its place, to it. */
export const paymentNames = defineEntity({
  name: "payment name",
  schema: z.object({ programId: z.string(), depositId: z.string() }),
  key: (name: string, programId: string, place: string) => ({
    pk: `BANK#${name}`,
    sk: `PAYMENT#${programId}#${place}`,
  }),
});

/** A return: of a deposit, or before it is known. */
const BankReturn = z.object({
  returnKey: z.string(),
  origin: z.string(),
  programId: z.string().optional(),
  account: z.string().optional(),
  references: BankReferences,
  isOfEntry: z.boolean().optional(),
  amountMinor: z.int().optional(),
  currency: z.string().optional(),
  /** The deposit that it takes back: no other one. */
  takenBy: z.string().optional(),
});
export type BankReturn = Readonly<z.output<typeof BankReturn>>;

export const bankReturns = defineEntity({
  name: "bank return",
  schema: BankReturn,
  key: (returnKey: string) => ({ pk: `BANK_RETURN#${returnKey}`, sk: "RETURN" }),
});

/** Leads from what a return calls its deposit to the return, which came first. */
export const waitingReturns = defineEntity({
  name: "waiting return",
  schema: z.object({ returnKey: z.string() }),
  key: (name: string, returnKey: string) => ({ pk: `BANK#${name}`, sk: `RETURN#${returnKey}` }),
});

/** The payments that have one of these names, and the names that more have than are read. */
export async function findNamed(
  names: readonly string[],
  most: number,
  programId?: string,
): Promise<{ payments: BankPayment[]; counts: ReadonlyMap<string, number> }> {
  const found = await Promise.all(
    names.map((name) => paymentNames.first(most, ...([name, programId].filter(Boolean) as [string]))),
  );
  const all = new Map(found.flat().map((one) => [one.depositId, one]));
  const keys = [...all.values()].map((one) => bankPayments.at(one.programId, one.depositId).key);
  const items = keys.length > 0 ? await readBatch(keys) : [];
  return {
    payments: items.map((item) => bankPayments.parse(item)),
    counts: new Map(names.map((name, index) => [name, found[index]?.length ?? 0])),
  };
}

/** What the bank and the payer call it: each name once. */
export function namesIn(references: BankReferences): string[] {
  return [...new Set(Object.values(references).filter((one) => one !== undefined))];
}
