import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { now } from "../platform/clock.ts";
import { earliestId, idTime } from "../platform/id.ts";
import { table } from "../platform/table/client.ts";
import type { StoredAt } from "../platform/table/entity.ts";
import type { Key } from "../platform/table/keys.ts";
import { readPages, type toPartitionQuery } from "../platform/table/query.ts";
import { type Page, type PageQuery, requireFew } from "./indexed-page.ts";
import type { StoredRecord } from "./kind.ts";

/** So many records have sort keys up to this one. None is deleted, and none comes before it. */
export const Counted = z.object({ records: z.number(), upTo: z.string() });

/** The records of one partition, of which a page cannot read all: none is deleted. */
export interface LongPartition {
  readonly query: ReturnType<typeof toPartitionQuery>;
  readonly key: Key;
  readonly ids: Parameters<typeof earliestId>[0];
  readonly counted: StoredAt<z.output<typeof Counted>>;
}

/** How many records one page may read in the order of their keys: some seconds. */
export const mostRead = 50_000;

/** An id is made about when its record is, and that is committed about then, or never. */
export const apartMs = 3_600_000;

/** Those at one end of it, which have all that can be on the page; and how many there are. */
export async function readFromEnd(
  partition: LongPartition,
  { sort, offset, limit }: Pick<PageQuery, "sort" | "offset" | "limit">,
): Promise<Page<StoredRecord>> {
  const end = offset + limit;
  const items: StoredRecord[] = [];
  const msAt = (index: number) => idTime(String(items.at(index)?.sk).replace(/.*#/, "")).getTime();
  for await (const page of readPages({ ...partition.query, ScanIndexForward: sort === "asc" })) {
    for (const item of page) items.push(item);
    // A page is in the order of times, from which those of the ids differ either way.
    const isRead = end <= items.length && Math.abs(msAt(-1) - msAt(end - 1)) > 2 * apartMs;
    if (isRead || (end <= mostRead && items.length > mostRead))
      return { items, total: await countRecords(partition) };
    requireFew(items.length, mostRead, `More than ${mostRead}`);
  }
  return { items, total: items.length };
}

/** Saves how far it has counted, page by page: the next time, it reads what came later. */
async function countRecords({ query, key: { pk, sk }, ids, counted }: LongPartition): Promise<number> {
  const settled = sk + earliestId(ids, new Date(now().getTime() - apartMs));
  let { records = 0, upTo } = (await counted.get()) ?? {};
  const pages = { client: table, startingToken: upTo && { pk, sk: upTo } };
  for await (const { Count = 0, LastEvaluatedKey } of paginateQuery(pages, { ...query, Select: "COUNT" })) {
    records += Count;
    upTo = LastEvaluatedKey?.sk;
    if (upTo && upTo < settled) await counted.updateNow({ set: { records, upTo } });
  }
  return records;
}
