import { createHash, randomUUID } from "node:crypto";

/** Lambda stops a function that one event has invoked so often. */
export const longestLoop = 16;

/** How often each function was invoked for the same event, by its name's hash. */
type Lineage = ReadonlyMap<string, number>;

/** The part of a trace header by which AWS counts: `Lineage=a87bd80c:0|68fd508a:5`. */
function readLineage(traceHeader = ""): Lineage {
  const [, parts = ""] = /(?:^|;)Lineage=([^;]*)/.exec(traceHeader) ?? [];
  const counts = parts.split("|").map((part) => part.split(":"));
  return new Map(counts.flatMap(([hash, count]) => (hash && count ? [[hash, Number(count)]] : [])));
}

/** How often the event has invoked the function, and the header for what it causes. */
export function countInvocation(
  functionName: string,
  traceHeader: string | undefined,
): { readonly before: number; readonly traceHeader: string } {
  const lineage = readLineage(traceHeader);
  const root = /(?:^|;)(Root=[^;]*)/.exec(traceHeader ?? "")?.[1] ?? newRoot();
  const hash = createHash("sha256").update(functionName).digest("hex").slice(0, 8);
  const before = lineage.get(hash) ?? 0;
  return { before, traceHeader: toHeader(root, new Map([...lineage, [hash, before + 1]])) };
}

/** Joins those of a batch's messages: the longest chain counts. */
export function joinHeaders(headers: readonly (string | undefined)[]): string | undefined {
  const joined = new Map<string, number>();
  for (const [hash, count] of headers.flatMap((header) => [...readLineage(header)]))
    joined.set(hash, Math.max(count, joined.get(hash) ?? 0));
  return joined.size === 0 ? undefined : toHeader(newRoot(), joined);
}

function toHeader(root: string, lineage: Lineage): string {
  const counts = [...lineage].map(([hash, count]) => `${hash}:${count}`).join("|");
  return `${root};Sampled=0;Lineage=${counts}`;
}

function newRoot(): string {
  const id = randomUUID().replaceAll("-", "");
  return `Root=1-${id.slice(0, 8)}-${id.slice(8)}`;
}
