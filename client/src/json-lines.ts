import { gzipSync } from "node:zlib";

/** API Gateway takes so many bytes at once, and the platform some more that are compressed. */
const plainBytes = 4_000_000;

/**
 * The request of a bulk, from its lines: `client.POST("/cards/bulk", jsonLines(cards))`. Long ones
 * are compressed.
 */
export function jsonLines(lines: Iterable<object>) {
  const body = Array.from(lines, (line) => JSON.stringify(line)).join("\n");
  const isLong = Buffer.byteLength(body) > plainBytes;
  return {
    body,
    bodySerializer: (text: string) => (isLong ? new Uint8Array(gzipSync(text)) : text),
    headers: {
      "Content-Type": "application/x-ndjson",
      ...(isLong && { "Content-Encoding": "gzip" }),
    },
  };
}
