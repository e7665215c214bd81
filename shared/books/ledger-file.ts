import * as z from "zod";
import { Currency } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import { timestamp } from "../platform/clock.ts";
import { isUsable, longFileFields, newLongFile, requestLongFile } from "../platform/long-files/long-file.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { Closing, findClosing } from "./closing.ts";
import type { BooksDay, BooksScope } from "./collect.ts";
import type { BooksFormat } from "./forms.ts";

/** The books of a closed day in one format, which are made in the background. */
const LedgerFile = z.object({
  ...longFileFields,
  ...Closing.omit({ contraMinor: true }).shape,
  currency: integerEnum(Currency),
  /** What the books begin with. */
  base: Closing.optional(),
});
export type LedgerFile = Readonly<z.output<typeof LedgerFile>>;

export const ledgerFiles = defineEntity({
  name: "ledgerFile",
  schema: LedgerFile,
  key: (programId: string, date: string, format: BooksFormat) => ({
    pk: `${programId}#BOOKS#${date}`,
    sk: `FILE#${format}`,
  }),
});

/** One that is under way, or done and still there. */
export async function findLedgerFile(
  programId: string,
  date: string,
  format: BooksFormat,
  at: Date,
): Promise<LedgerFile | undefined> {
  const found = await ledgerFiles.at(programId, date, format).get();
  return found && isUsable(found, at) ? found : undefined;
}

/** The file of a closed day, begun if there is none. */
export function requestLedgerFile(
  { programId, currency }: Pick<LedgerFile, "programId" | "currency">,
  day: BooksDay,
  format: BooksFormat,
  at: Date,
): Promise<LedgerFile> {
  const { date, timeZone, from, until } = day;
  const begin = async (): Promise<LedgerFile> => {
    const base = await findClosing(programId, from);
    const span = { date, timeZone, from: timestamp(from), until: timestamp(until) };
    return { ...newLongFile(programId, true, at), ...span, currency, ...(base && { base }) };
  };
  const item = ledgerFiles.at(programId, date, format);
  return requestLongFile(item, { kind: "ledger.requested", detail: { date, format }, begin }, at);
}

export function toScope({ programId, currency, base, date, timeZone, from, until }: LedgerFile) {
  const day = { date, timeZone, from: new Date(from), until: new Date(until) };
  return { programId, currency, day, base } satisfies BooksScope & Pick<LedgerFile, "currency">;
}
