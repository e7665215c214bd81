import type * as z from "zod";
import type { BankEvent, BankRecord } from "../../contract/bank.ts";

export type Candidate = Readonly<Record<string, unknown>>;
export type Source = Pick<BankRecord, "input" | "line">;

/** The names of the fields in the file. */
const places: Readonly<Record<string, string>> = {
  account: "Acct/Id (an IBAN, or Othr/Id with the routing number in Acct/Svcr/FinInstnId/ClrSysMmbId/MmbId)",
  amount: "Amt",
  currency: "Amt/@Ccy",
};

export function toRecord(schema: z.ZodType<BankEvent>, candidate: Candidate, source: Source): BankRecord {
  const required = candidate.kind === "deposited" && candidate.account === undefined ? ["account"] : [];
  const given = Object.fromEntries(Object.entries(candidate).filter(([, value]) => value !== undefined));
  const parsed = schema.safeParse(given);
  const faults = [...required, ...(parsed.error?.issues.map(({ path }) => String(path[0])) ?? [])];
  if (parsed.success && faults.length === 0) return { event: parsed.data, ...source };
  const named = [...new Set(faults)].map((fault) => describeFault(fault, candidate[fault]));
  return { ...source, reason: `${named.join("; ")}.` };
}

function describeFault(field: string, value: unknown): string {
  const place = places[field] ?? field;
  return value === undefined ? `${place} is missing` : `${place} is not allowed: ${JSON.stringify(value)}`;
}
