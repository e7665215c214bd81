import { deflateSync, inflateSync } from "node:zlib";
import { now, unixSeconds } from "../../platform/clock.ts";
import { writeBatch } from "../../platform/table/batch.ts";
import type { Key } from "../../platform/table/keys.ts";
import { readItems, toPartitionQuery } from "../../platform/table/query.ts";
import type { Collected } from "./books.ts";

/** Books that take longer than a request. Another base leaves other entries to be read. */
export interface Reading {
  readonly programId: string;
  readonly date: string;
  /** The date of the closing that the books begin with. */
  readonly base: string;
}

/** Long enough for the rest to be read; then it is read again. */
const keptMs = 2 * 86_400_000;
/** DynamoDB's limit is 400 KB. */
const maximumBytes = 300_000;

/** `name` sorts as the owners that were read. */
export function progressKey({ programId, date, base }: Reading, name: string): Key {
  return { pk: `${programId}#BOOKS#${date}#${base}`, sk: name };
}

/** Some ten thousand entries are too large to be kept: they are read again. */
export async function keepProgress(reading: Reading, name: string, part: Collected): Promise<void> {
  const packed = deflateSync(JSON.stringify(part));
  if (packed.length > maximumBytes) return;
  const expiresAtSeconds = unixSeconds(new Date(now().getTime() + keptMs));
  const item = { ...progressKey(reading, name), packed, expiresAtSeconds };
  await writeBatch([{ put: item }]);
}

export async function readProgress(reading: Reading): Promise<Map<string, Collected>> {
  const parts = new Map<string, Collected>();
  for await (const { sk, packed } of readItems(toPartitionQuery(progressKey(reading, "").pk)))
    parts.set(String(sk), JSON.parse(inflateSync(packed as Uint8Array).toString("utf8")));
  return parts;
}
