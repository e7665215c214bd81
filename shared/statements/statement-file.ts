import * as z from "zod";
import { Currency } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import type { StatementFormat } from "../contract/statements.ts";
import { timestamp } from "../platform/clock.ts";
import { longFileFields, newLongFile, requestLongFile } from "../platform/long-files/long-file.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { settleMs } from "../proofs/checkpoint.ts";
import { Printed } from "./formats/sheet.ts";
import type { Month } from "./months.ts";
import { isClosed, lastClosedMonth, monthsToSum, type StatementAccount } from "./statement.ts";

const StoredMonth = z.object({
  period: z.string(),
  from: z.string(),
  until: z.string(),
  timeZone: z.string(),
});

/** A long statement in one format, which is made in the background. */
const StatementFile = z.object({
  ...longFileFields,
  account: z.object({
    kind: z.enum(["card", "wallet"]),
    accountId: z.string(),
    currency: integerEnum(Currency),
    ...Printed.shape,
  }),
  /** From the one after the last that was closed, to the statement's own. */
  months: z.array(StoredMonth),
  /** Whether the months begin with the account's first entry. */
  isFirst: z.boolean(),
  openingMinor: z.int(),
  sequence: z.int(),
});
export type StatementFile = Readonly<z.output<typeof StatementFile>>;

export const statementFiles = defineEntity({
  name: "statementFile",
  schema: StatementFile,
  key: (programId: string, accountId: string, period: string, format: StatementFormat) => ({
    pk: `${programId}#${accountId}`,
    sk: `STATEMENT_FILE#${period}#${format}`,
  }),
});

/** The file of an account's month, begun if there is none. */
export async function requestStatementFile(
  account: StatementAccount,
  index: number,
  format: StatementFormat,
  at: Date,
): Promise<StatementFile> {
  const { programId, accountId } = account;
  const { period } = account.months[index] as Month;
  const item = statementFiles.at(programId, accountId, period, format);
  const detail = { accountId, period, format };
  const begin = () => newFile(account, index, at);
  return requestLongFile(item, { kind: "statement.requested", detail, begin }, at);
}

async function newFile(account: StatementAccount, index: number, at: Date): Promise<StatementFile> {
  const { programId, kind, accountId, currency } = account;
  const month = account.months[index] as Month;
  const closed = isClosed(month, at);
  const stored = await lastClosedMonth(programId, accountId, account.months[index - 1]?.period ?? "");
  const { months, begun } = monthsToSum(account, index, stored);
  // An open month ends with what no commit under way can precede.
  const settled = new Date(Math.max(month.from.getTime(), at.getTime() - settleMs));
  const last = { ...month, until: closed ? month.until : settled };
  return {
    ...newLongFile(programId, closed, at),
    account: { kind, accountId, currency, ...(await account.readPrinted()) },
    months: [...months, last].map(({ from, until, ...one }) => ({
      ...one,
      from: timestamp(from),
      until: timestamp(until),
    })),
    isFirst: !stored,
    openingMinor: begun.totals.closingMinor,
    sequence: index + 1,
  };
}

export function toMonths({ months }: StatementFile): Month[] {
  return months.map(({ from, until, ...month }) => ({
    ...month,
    from: new Date(from),
    until: new Date(until),
  }));
}
