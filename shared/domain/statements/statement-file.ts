import * as z from "zod";
import { Currency } from "../../contract/enums.ts";
import { integerEnum } from "../../contract/primitives.ts";
import type { StatementFormat } from "../../contract/statements.ts";
import { timestamp, unixSeconds } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import { atMost, isNew } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { transact } from "../../platform/table/transact.ts";
import { settleMs } from "../proofs/checkpoint.ts";
import { isClosed, lastClosedMonth } from "./closed-month.ts";
import type { Month } from "./months.ts";
import { monthsToSum, type StatementAccount } from "./statement.ts";

/** One without progress for this long has failed: the next request begins again. */
const staleAfterMs = 600_000;
const keptMs = 7 * 86_400_000;
/** Of an open month: then it is made again. */
const freshMs = 3_600_000;

const StoredMonth = z.object({
  period: z.string(),
  from: z.string(),
  until: z.string(),
  timeZone: z.string(),
});

/** A long statement in one format, which is made in the background. */
const StatementFile = z.object({
  programId: z.string(),
  fileId: z.string(),
  account: z.object({
    kind: z.enum(["card", "wallet"]),
    accountId: z.string(),
    currency: integerEnum(Currency),
    name: z.string(),
    cardNumber: z.string().optional(),
  }),
  /** From the one after the last that was closed, to the statement's own. */
  months: z.array(StoredMonth),
  /** Whether the months begin with the account's first entry. */
  isFirst: z.boolean(),
  openingMinor: z.int(),
  sequence: z.int(),
  closed: z.boolean(),
  requestedAt: z.string(),
  /** How many messages it has taken. */
  step: z.int(),
  progressPercent: z.int(),
  /** Counts as running until then; each step extends it. */
  runsUntil: z.string(),
  /** Absent until it is done. */
  key: z.string().optional(),
  /** It has more entries than its format takes. */
  isTooLong: z.boolean().optional(),
  expiresAtSeconds: z.int(),
});
export type StatementFile = Readonly<z.output<typeof StatementFile>>;

export const statementFiles = defineEntity({
  name: "statementFile",
  table: "issuing",
  schema: StatementFile,
  key: (programId: string, accountId: string, period: string, format: StatementFormat) => ({
    pk: issuingKey.entry(programId, accountId, "").pk,
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
  const found = await item.get();
  if (found && isUsable(found, at)) return found;
  const file = await newFile(account, index, at);
  const isAsSeen = found ? { fileId: found.fileId, step: found.step } : isNew;
  const detail = { accountId, period, format, fileId: file.fileId };
  const outcome = await transact([
    item.put(file, isAsSeen),
    outboxPut(programId, "statement.requested", detail, at),
  ]);
  return outcome.committed ? file : item.require();
}

function isUsable(
  { key, isTooLong, closed, runsUntil, requestedAt, expiresAtSeconds }: StatementFile,
  at: Date,
) {
  if (key === undefined && !isTooLong) return runsUntil > timestamp(at);
  const isFresh = closed || Date.parse(requestedAt) + freshMs > at.getTime();
  // A URL that is made now still works.
  return isFresh && expiresAtSeconds > unixSeconds(new Date(at.getTime() + freshMs));
}

async function newFile(account: StatementAccount, index: number, at: Date): Promise<StatementFile> {
  const { programId, kind, accountId, currency, name, cardNumber } = account;
  const month = account.months[index] as Month;
  const closed = isClosed(month, at);
  const stored = await lastClosedMonth(programId, accountId, account.months[index - 1]?.period ?? "");
  const { months, begun } = monthsToSum(account, index, stored);
  // Of an open month: what no commit under way can precede.
  const settled = new Date(Math.max(month.from.getTime(), at.getTime() - settleMs));
  const last = { ...month, until: closed ? month.until : settled };
  return {
    programId,
    fileId: newId("statementFile"),
    account: { kind, accountId, currency, name, ...(cardNumber !== undefined && { cardNumber }) },
    months: [...months, last].map(({ from, until, ...one }) => ({
      ...one,
      from: timestamp(from),
      until: timestamp(until),
    })),
    isFirst: !stored,
    openingMinor: begun.totals.closingMinor,
    sequence: index + 1,
    closed,
    requestedAt: timestamp(at),
    step: 0,
    progressPercent: 0,
    runsUntil: timestamp(new Date(at.getTime() + staleAfterMs)),
    expiresAtSeconds: unixSeconds(new Date(at.getTime() + keptMs)),
  };
}

export interface FileName {
  readonly programId: string;
  readonly accountId: string;
  readonly period: string;
  readonly format: StatementFormat;
  readonly fileId: string;
}

type Progress = Partial<Pick<StatementFile, "progressPercent" | "key" | "isTooLong">>;

/** Undefined if it has already advanced further, is done, or was begun again. */
export async function advanceStatementFile(
  { programId, accountId, period, format, fileId }: FileName,
  step: number,
  progress: Progress,
  at: Date,
): Promise<StatementFile | undefined> {
  const runsUntil = timestamp(new Date(at.getTime() + staleAfterMs));
  const isNext = { fileId, step: atMost(step), key: undefined, isTooLong: undefined };
  const item = statementFiles.at(programId, accountId, period, format);
  const outcome = await item.updateNow({ set: { ...progress, step, runsUntil } }, isNext);
  return outcome.updated ? outcome.item : undefined;
}

export function toMonths({ months }: StatementFile): Month[] {
  return months.map(({ from, until, ...month }) => ({
    ...month,
    from: new Date(from),
    until: new Date(until),
  }));
}
