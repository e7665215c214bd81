import type { ledgerRoutes } from "../../shared/contract/ledger.ts";
import { type Books, closingMinor } from "../../shared/domain/books/books.ts";
import { toBooksCsv } from "../../shared/domain/books/books-csv.ts";
import { isClosed } from "../../shared/domain/books/day.ts";
import { toHledger } from "../../shared/domain/books/hledger.ts";
import { findDay, readBooks } from "../../shared/domain/books/read-books.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";

type LedgerOperations = Operations<(typeof ledgerRoutes)[number]>;

/** Lambda answers 6 MB at most. The journal of the audit has no limit. */
const maximum = { characters: 5_000_000, rows: 30_000 };

/** @throws ApiError PAYLOAD_TOO_LARGE; DAY_NOT_CLOSED */
export const exportBooks: LedgerOperations["GET /ledger/{date}"] = async ({
  scope: { programId },
  path: { date },
  format,
}) => {
  const program = await getProgram(programId);
  const day = await findDay(programId, date, program.settings.timeZone);
  if (!isClosed(day, now())) throw new ApiError("DAY_NOT_CLOSED");
  const books = await readBooks(program, day);
  if (format === "json" && books.balances.length <= maximum.rows) return toLedgerView(books);
  if (format === "json") throw new ApiError("PAYLOAD_TOO_LARGE");
  const isCsv = format === "csv";
  const document = [...(isCsv ? toBooksCsv(books) : toHledger(books))].join("");
  if (document.length > maximum.characters) throw new ApiError("PAYLOAD_TOO_LARGE");
  return { document, fileName: `ledger-${date}.${isCsv ? "csv" : "journal"}` };
};

function toLedgerView({ day, currency, entries, balances }: Books) {
  return {
    date: day.date,
    timeZone: day.timeZone,
    start: timestamp(day.from),
    end: timestamp(day.until),
    currency,
    entries: entries.length,
    trialBalance: balances.map((balance) => ({
      account: balance.account.name,
      accountType: balance.account.type,
      opening: balance.openingMinor,
      debits: balance.debitsMinor,
      credits: balance.creditsMinor,
      closing: closingMinor(balance),
    })),
  };
}
