import { deflateSync, inflateSync } from "node:zlib";
import type { Line } from "../contract/route.ts";
import { filesBucket } from "../platform/file-store.ts";

interface Place {
  readonly programId: string;
  readonly bulkId: string;
}

/** They have names, addresses and contacts: they are here until the bulk is done. */
const toKey = ({ programId, bulkId }: Place) => `bulk/${programId}/${bulkId}`;

export async function writeLines(place: Place, lines: readonly Line[]): Promise<void> {
  const packed = deflateSync(JSON.stringify(lines.map(({ line, text }) => [line, text])));
  await filesBucket.write(toKey(place), packed, "application/octet-stream");
}

/** Undefined if they are gone: the bulk has waited for longer than they are kept. */
export async function readLines(place: Place): Promise<readonly Line[] | undefined> {
  const packed = await filesBucket.read(toKey(place));
  if (!packed) return undefined;
  const lines = JSON.parse(inflateSync(packed).toString()) as [number, string][];
  return lines.map(([line, text]) => ({ line, text }));
}

export function deleteLines(place: Place): Promise<void> {
  return filesBucket.delete(toKey(place));
}
