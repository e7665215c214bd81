import { isClosed } from "../../shared/books/day.ts";
import { type BooksFormat, booksFileName, booksForms, renderBooks } from "../../shared/books/forms.ts";
import { findLedgerFile, type LedgerFile, requestLedgerFile } from "../../shared/books/ledger-file.ts";
import { findDay, readBooks } from "../../shared/books/read-books.ts";
import { toDayView, toLedgerView } from "../../shared/books/view.ts";
import type { ledgerRoutes } from "../../shared/contract/ledger.ts";
import { monotonicMs, now } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { toLongFileView } from "../../shared/platform/long-files/long-file.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";

type LedgerOperations = Operations<(typeof ledgerRoutes)[number]>;

/** Longer ones are made in the background. Lambda answers 6 MB at most. */
const maximum = { entries: 10_000, characters: 5_000_000, workMs: 4_000 };

/** @throws ApiError DAY_NOT_CLOSED */
export const exportBooks: LedgerOperations["GET /ledger/{date}"] = async ({
  scope: { programId },
  path: { date },
  format,
}) => {
  const at = now();
  const program = await getProgram(programId);
  const day = await findDay(programId, date, program.settings.timeZone);
  if (!isClosed(day, at)) throw new ApiError("DAY_NOT_CLOSED");
  const begun = await findLedgerFile(programId, date, format, at);
  if (begun) return toFileView(begun, format, at);
  const endsAtMs = monotonicMs() + maximum.workMs;
  const isTimeUp = () => monotonicMs() > endsAtMs;
  const found = await readBooks(program, day, { maximumEntries: maximum.entries, isTimeUp });
  const document = found && renderBooks(format, found.books, found.entries);
  if (!found || document === undefined || document.length > maximum.characters)
    return toFileView(await requestLedgerFile(program, day, format, at), format, at);
  if (format === "json") return toLedgerView(found.books);
  return { document, fileName: booksFileName(date, format) };
};

async function toFileView(file: LedgerFile, format: BooksFormat, at: Date) {
  const { date, timeZone, from, until, currency } = file;
  const day = toDayView({ date, timeZone, from: new Date(from), until: new Date(until) });
  const { mediaType: contentType } = booksForms[format];
  const download = { fileName: booksFileName(date, format), contentType };
  return { ...day, currency, ...(await toLongFileView(file, download, at)) };
}
