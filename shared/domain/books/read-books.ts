import { ApiError } from "../../platform/http/api-error.ts";
import { ContendedError } from "../../platform/table/retry.ts";
import { isTimeUp } from "../../platform/time-budget.ts";
import type { Program } from "../../tenancy/programs/program.ts";
import { type Books, type BooksScope, type Collected, collect, composeBooks } from "./books.ts";
import { findClosing, findClosingOf, keepClosing } from "./closing.ts";
import { type BooksDay, toBooksDay } from "./day.ts";
import { readOwnerIds } from "./owners.ts";
import { keepProgress, readProgress } from "./progress.ts";

/** As it was when its books were read first, if the time zone changed since. */
export async function findDay(programId: string, date: string, timeZone: string): Promise<BooksDay> {
  const kept = await findClosingOf(programId, date);
  if (!kept) return toBooksDay(date, timeZone);
  return { date, timeZone: kept.timeZone, from: new Date(kept.from), until: new Date(kept.until) };
}

/**
 * The books of a closed day. What takes longer than a request is kept, and the next one continues.
 * @throws ContendedError when the time is up; ApiError PAYLOAD_TOO_LARGE
 */
export async function readBooks(
  { programId, currency }: Pick<Program, "programId" | "currency">,
  day: BooksDay,
): Promise<Books> {
  const base = await findClosing(programId, day.from);
  const scope = { programId, currency, day, base };
  const parts = await collectAll(scope, await readOwnerIds(programId, day));
  const { books, closing } = await composeBooks(scope, parts);
  await keepClosing(programId, closing);
  return books;
}

/** Read together, and kept together: a restart repeats no more than these. */
const ownersInPart = 250;
/** More than an answer can have. */
const maximumEntries = 50_000;

async function collectAll(scope: BooksScope, ownerIds: readonly string[]): Promise<Collected[]> {
  const { programId, day, base } = scope;
  const reading = { programId, date: day.date, base: base?.date ?? "" };
  const kept = await readProgress(reading);
  const parts: Collected[] = [];
  let entries = 0;
  for (let first = 0; first < ownerIds.length; first += ownersInPart) {
    const ids = ownerIds.slice(first, first + ownersInPart);
    const [name = ""] = ids;
    const known = kept.get(name);
    if (!known && isTimeUp()) throw new ContendedError(["books"]);
    const part = known ?? (await collect(scope, ids));
    parts.push(part);
    entries += part.entries.length;
    if (entries > maximumEntries) throw new ApiError("PAYLOAD_TOO_LARGE");
    // The last part needs no repetition: it is composed at once.
    if (!known && first + ownersInPart < ownerIds.length) await keepProgress(reading, name, part);
  }
  return parts;
}
