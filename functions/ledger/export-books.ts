import { type Books, composeBooks, movedAccounts, readOpenings } from "../../shared/books/books.ts";
import { findClosing, keepClosing } from "../../shared/books/closing.ts";
import { type BooksDay, collect, isClosed } from "../../shared/books/collect.ts";
import { type BooksFormat, booksFileName, booksForms, renderBooks } from "../../shared/books/forms.ts";
import { findLedgerFile, type LedgerFile, requestLedgerFile } from "../../shared/books/ledger-file.ts";
import { readOwnerIds } from "../../shared/books/owners.ts";
import { toDayView, toLedgerView } from "../../shared/books/view.ts";
import type { Currency } from "../../shared/contract/enums.ts";
import type { JournalEntry } from "../../shared/ledger/journal-entry.ts";
import { monotonicMs, now } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { isSendable } from "../../shared/platform/http/response.ts";
import { toLongFileView } from "../../shared/platform/long-files/long-file.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";
import { programDay } from "../../shared/tenancy/programs/program-days.ts";

/** Longer ones are made in the background. */
const maximum = { entries: 10_000, workMs: 4_000 };

export const exportBooks: Operations["GET /ledger/{date}"] = async ({ scope, path, format }) => {
  const { programId } = scope;
  const { date } = path;
  const at = now();
  const program = await getProgram(programId);
  const day = programDay(program, date);
  if (!isClosed(day, at)) throw new ApiError("DAY_NOT_CLOSED");
  const begun = await findLedgerFile(programId, date, format, at);
  if (begun) return toFileView(begun, format, at);
  const endsAtMs = monotonicMs() + maximum.workMs;
  const isTimeUp = () => monotonicMs() > endsAtMs;
  const found = await readBooks(program, day, { maximumEntries: maximum.entries, isTimeUp });
  const document = found && renderBooks(format, found.books, found.entries);
  if (!found || document === undefined || !isSendable(document))
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

/** The books of a closed day. Undefined if they take more than the limits allow. */
export async function readBooks(
  { programId, currency }: { readonly programId: string; readonly currency: Currency },
  day: BooksDay,
  { maximumEntries, isTimeUp }: { maximumEntries: number; isTimeUp: () => boolean },
): Promise<{ readonly books: Books; readonly entries: readonly JournalEntry[] } | undefined> {
  const scope = { programId, currency, day, base: await findClosing(programId, day.from) };
  const isFull = (count: number) => count > maximumEntries || isTimeUp();
  const ownerIds = await readOwnerIds(programId, day);
  const { entries, sums, cursor } = await collect(scope, ownerIds, { next: 0, open: [] }, isFull);
  if (cursor) return undefined;
  const accountIds = movedAccounts(sums);
  const { openings, read } = await readOpenings(scope, accountIds, isTimeUp);
  if (read < accountIds.length) return undefined;
  const { books, closing } = composeBooks(scope, sums, openings);
  await keepClosing(programId, closing);
  return { books, entries };
}
