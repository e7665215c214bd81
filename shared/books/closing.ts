import * as z from "zod";
import { timestamp } from "../platform/clock.ts";
import { isNew } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { readItems, toPartitionQuery } from "../platform/table/query.ts";
import { optionally } from "../platform/table/retry.ts";
import { transact } from "../platform/table/transact.ts";

/**
 * The contra accounts at the end of a day whose books were read, so that later books need not read
 * all that came before. It follows from the journal: the audit adds it up again.
 */
export const Closing = z.object({
  date: z.string(),
  /** The day as it was: the Program's time zone may change. */
  timeZone: z.string(),
  from: z.string(),
  until: z.string(),
  /** What each contra account's postings before `until` add up to. */
  contraMinor: z.record(z.string(), z.int()),
});
export type Closing = Readonly<z.output<typeof Closing>>;

const partition = (programId: string) => `${programId}#CLOSINGS`;

export const closings = defineEntity({
  name: "closing",
  schema: Closing,
  key: (programId: string, date: string) => ({ pk: partition(programId), sk: date }),
});

/** The last one that ends at this moment or before: of the day before, if all were read. */
export async function findClosing(programId: string, until: Date): Promise<Closing | undefined> {
  // Dates of other time zones begin up to a day later.
  const last = timestamp(new Date(until.getTime() + 86_400_000)).slice(0, 10);
  const query = toPartitionQuery(partition(programId), { first: "0", last });
  for await (const item of readItems({ ...query, ScanIndexForward: false, Limit: 4 })) {
    const closing = closings.parse(item);
    if (Date.parse(closing.until) <= until.getTime()) return closing;
  }
  return undefined;
}

/** Nothing depends on it: without it, the next books read more. */
export async function keepClosing(programId: string, closing: Closing): Promise<void> {
  const put = closings.at(programId, closing.date).put(closing, isNew);
  await optionally(() => transact([put]));
}
