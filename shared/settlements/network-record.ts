import { deflateSync, inflateSync } from "node:zlib";
import * as z from "zod";
import { unixSeconds } from "../platform/clock.ts";
import { defineEntity } from "../platform/table/entity.ts";

/** What the network says that it has settled: a record of a file. */
export const NetworkRecord = z.object({
  referenceCode: z.string(),
  transId: z.string().optional(),
  type: z.enum(["DR", "CR"]),
  amountMinor: z.int(),
  /** ISO 4217 numeric. */
  currency: z.string(),
  interchangeMinor: z.int().optional(),
  /** Another record with its reference came first. */
  isDoubled: z.boolean().optional(),
  /** Why it was not posted. */
  reason: z.string().optional(),
});
export type NetworkRecord = Readonly<z.output<typeof NetworkRecord>>;

/** Some records of a file, packed. */
const Part = z.object({
  fileId: z.string(),
  packed: z.instanceof(Uint8Array),
  expiresAtSeconds: z.int(),
});

/** As long as the reports of files. */
const keptMs = 400 * 86_400_000;
export const fileParts = defineEntity({
  name: "settlementPart",
  schema: Part,
  /** `source` is what makes a file another one; `first` its first record in the part. */
  key: (programId: string, date: string, source: string, first: number) => ({
    pk: `${programId}#SETTLEMENT#${date}`,
    sk: `FILE#${source}#${String(first).padStart(9, "0")}`,
  }),
});

export function toPart(fileId: string, records: readonly NetworkRecord[], at: Date): z.output<typeof Part> {
  const packed = new Uint8Array(deflateSync(JSON.stringify(records)));
  return { fileId, packed, expiresAtSeconds: unixSeconds(new Date(at.getTime() + keptMs)) };
}

export function unpack({ packed }: Pick<z.output<typeof Part>, "packed">): NetworkRecord[] {
  return NetworkRecord.array().parse(JSON.parse(inflateSync(packed).toString("utf8")));
}

/** Says which record of which day's file named the reference first, in a sandbox. */
export const fileClaims = defineEntity({
  name: "settlementClaim",
  schema: z.object({ origin: z.string(), expiresAtSeconds: z.int() }),
  key: (programId: string, referenceCode: string) => ({
    pk: `${programId}#SETTLED#${referenceCode}`,
    sk: "SETTLED",
  }),
});
