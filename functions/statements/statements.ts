import type { StatementFormat, StatementLine, StatementMonth } from "../../shared/contract/statements.ts";
import type { Account } from "../../shared/ledger/account.ts";
import { monotonicMs, now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { toLongFileView } from "../../shared/platform/long-files/long-file.ts";
import { renderStatement, toFileName, toMediaType } from "../../shared/statements/formats/forms.ts";
import { toProof, toViewHead } from "../../shared/statements/formats/json.ts";
import { toSheet } from "../../shared/statements/formats/sheet.ts";
import { dayNames, type Month } from "../../shared/statements/months.ts";
import {
  findMonth,
  isClosed,
  type MadeStatement,
  makeStatement,
  readStatementAccount,
  type StatementAccount,
} from "../../shared/statements/statement.ts";
import { requestStatementFile } from "../../shared/statements/statement-file.ts";

export const listCardMonths: Operations["GET /cards/{cardId}/statements"] = ({ scope, path, query }) =>
  listMonths(scope.programId, { kind: "card", accountId: path.cardId }, query);

export const listWalletMonths: Operations["GET /wallets/{walletId}/statements"] = ({ scope, path, query }) =>
  listMonths(scope.programId, { kind: "wallet", accountId: path.walletId }, query);

/** Never long: an account has twelve a year. */
async function listMonths(
  programId: string,
  account: Account,
  { sort, limit, offset }: { sort: "asc" | "desc"; limit: number; offset: number },
) {
  const at = now();
  const { months } = await readStatementAccount(programId, account, at);
  const ordered = sort === "asc" ? months : months.toReversed();
  return {
    items: ordered.slice(offset, offset + limit).map((month) => toMonthView(month, at)),
    total: months.length,
  };
}

function toMonthView(month: Month, at: Date): StatementMonth {
  const { period, from, until, timeZone } = month;
  return {
    period,
    closed: isClosed(month, at),
    start: timestamp(from),
    end: timestamp(until),
    timeZone,
  };
}

export const viewCardStatement: Operations["GET /cards/{cardId}/statements/{period}"] = (request) => {
  const { scope, path, query, format } = request;
  const account = { kind: "card", accountId: path.cardId } as const;
  return viewStatement(scope.programId, account, path.period, format, query.group === "true");
};

export const viewWalletStatement: Operations["GET /wallets/{walletId}/statements/{period}"] = ({
  scope,
  path,
  format,
}) => viewStatement(scope.programId, { kind: "wallet", accountId: path.walletId }, path.period, format);

/**
 * A statement that is made in the background, begun by the first request for it.
 * @throws ApiError NOT_ACCEPTABLE if it has more entries than its format takes
 */
async function viewFile(subject: StatementAccount, index: number, format: StatementFormat, at: Date) {
  const { kind, accountId, currency } = subject;
  const month = subject.months[index] as Month;
  const file = await requestStatementFile(subject, index, format, at);
  if (file.isTooLong) throw new ApiError("NOT_ACCEPTABLE");
  const fileName = toFileName({ accountId, period: month.period }, format);
  return {
    ...(kind === "card" ? { cardId: accountId } : { walletId: accountId }),
    ...toMonthView(month, at),
    currency,
    ...(await toLongFileView(file, { fileName, contentType: toMediaType(format) }, at)),
  };
}

/** Longer ones are made in the background. */
const maximumEntries = 2_000;
const maximumWorkMs = 4_000;

/** @throws ApiError NOT_FOUND */
async function viewStatement(
  programId: string,
  account: Account,
  period: string,
  format: StatementFormat,
  isGrouped = false,
) {
  const at = now();
  const subject = await readStatementAccount(programId, account, at);
  const index = findMonth(subject, period);
  const month = subject.months[index] as Month;
  const endsAtMs = monotonicMs() + maximumWorkMs;
  const isTimeUp = () => monotonicMs() > endsAtMs;
  const made = await makeStatement(subject, index, at, { maximumEntries, isTimeUp });
  if (!made) return viewFile(subject, index, format, at);
  const sheet = toSheet({
    ...subject,
    ...(await choosePrinted(subject, made, format)),
    month,
    sequence: index + 1,
    closed: isClosed(month, at),
    totals: made.totals,
    now: at,
    today: dayNames(month)(at.getTime()),
  });
  const lines = isGrouped ? grouped(made.lines) : [...made.lines];
  if (format !== "json") return renderStatement(format, sheet, lines);
  return { ...toViewHead(sheet), lines, proof: toProof(sheet) };
}

/** A closed month's are those that it was closed with; only a PDF has all of them. */
function choosePrinted(
  { printed, readPrinted }: StatementAccount,
  { kept }: MadeStatement,
  format: StatementFormat,
) {
  if (kept) return kept.printed;
  return format === "pdf" ? readPrinted() : printed;
}

/** An ATM withdrawal and its fee as one line, with the balance after both. */
export function grouped(lines: readonly StatementLine[]): StatementLine[] {
  const result: StatementLine[] = [];
  for (const line of lines) {
    const before = result.at(-1);
    const isPair = before?.type === "cash" && line.type === "fee";
    if (!isPair || before.journalEntryId !== line.journalEntryId) result.push(line);
    else {
      const amount = before.amount + line.amount;
      const group = [before, line].map(toPart);
      result[result.length - 1] = { ...before, amount, balance: line.balance, group };
    }
  }
  return result;
}

function toPart({ type, description, amount, transId }: StatementLine) {
  return { type, description, amount, transId };
}
