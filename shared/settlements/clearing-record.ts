import * as z from "zod";
import { defineEntity } from "../platform/table/entity.ts";

/** By its reference, a record of a clearing file counts once over all files. */
export const ClearingRecord = z.object({
  programId: z.string(),
  cardId: z.string(),
  /** The file and place that brought it first, or corrected it. */
  origin: z.string(),
  /** The same by the file's content: it may be fed again under another name. */
  place: z.string(),
  /** The hash of what it says, without its number in the file and the card's number. */
  content: z.string(),
  /** The record was rejected: the reference is free for a corrected one. */
  isRejected: z.boolean().optional(),
  /** Corrections so far: each is an event of its own, since a refused event stays refused. */
  correction: z.int().optional(),
});
export type ClearingRecord = Readonly<z.output<typeof ClearingRecord>>;

export const clearingRecords = defineEntity({
  name: "clearing record",
  schema: ClearingRecord,
  key: (referenceCode: string) => ({ pk: `CLEARING#${referenceCode}`, sk: "CLEARING" }),
});
