import * as z from "zod";
import { type Currency, currencyNames } from "../../contract/enums.ts";
import type { StatementLine } from "../../contract/statements.ts";
import { pick } from "../../platform/pick.ts";

/**
 * Whose a statement is, as it is written on it. Each of them may change later: a person's or a
 * Wallet's name, a Card's number.
 */
export const Printed = z.object({
  /** The name on the Card, or the Wallet's. */
  name: z.string(),
  /** A Card's, which is masked. */
  cardNumber: z.string().optional(),
  /** The Cardholder's own name, in its own script. */
  holderName: z.string().optional(),
  /** The Tenant's name. */
  issuerName: z.string().optional(),
  programName: z.string(),
});
export type Printed = Readonly<z.output<typeof Printed>>;

/** A statement without its lines. Nothing in it changes once its month is closed. */
export interface Sheet extends Printed {
  readonly kind: "card" | "wallet";
  readonly accountId: string;
  readonly programId: string;
  readonly period: string;
  readonly closed: boolean;
  /** Counts the account's statements, from 1 on. */
  readonly sequence: number;
  readonly start: string;
  readonly end: string;
  readonly timeZone: string;
  /** The last day of an open month is today. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** A closed statement is as old as its month's end. */
  readonly madeAt: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly openingMinor: number;
  readonly closingMinor: number;
  readonly entries: number;
  readonly hash: string;
}

interface Source extends Printed, Pick<Sheet, "kind" | "accountId" | "programId" | "sequence" | "closed"> {
  readonly currency: Currency;
  readonly month: {
    readonly period: string;
    readonly from: Date;
    readonly until: Date;
    readonly timeZone: string;
  };
  readonly totals: Pick<Sheet, "openingMinor" | "closingMinor" | "entries" | "hash">;
  /** When the statement of an open month is made. */
  readonly now: Date;
  readonly today: string;
}

export function toSheet({ month, totals, now, today, closed, currency, ...source }: Source): Sheet {
  const { period, from, until, timeZone } = month;
  const [year, number] = period.split("-").map(Number) as [number, number];
  const lastDay = new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
  return {
    ...pick(source, "kind", "accountId", "programId", "sequence"),
    ...pick(source, "name", "cardNumber", "holderName", "issuerName", "programName"),
    ...{ period, closed, timeZone },
    start: from.toISOString(),
    end: until.toISOString(),
    firstDay: `${period}-01`,
    lastDay: closed ? lastDay : today,
    madeAt: (closed ? until : now).toISOString(),
    currency: currencyNames[currency],
    ...totals,
  };
}

/** A form that is written line by line, so that a long statement can be made in parts. */
export interface Form {
  readonly head: (sheet: Sheet) => string;
  readonly line: (sheet: Sheet, line: StatementLine, isFirst: boolean) => string;
  readonly tail: (sheet: Sheet) => string;
}
