import { readPages, toPartitionQuery } from "../../shared/platform/table/query.ts";
import type { Item } from "./page.ts";

/** Items of one partition whose sort keys begin with this, followed by a ULID. */
export interface Part {
  readonly pk: string;
  /** Such as `ENTRY#jrn_`. */
  readonly begin: string;
}

export interface Walk {
  readonly parts: readonly Part[];
  /** Default: the issuing table. */
  readonly tableName?: string;
  /** A ULID, or its beginning: only items after it, or before it if the newest come first. */
  readonly from: string;
  readonly isAscending: boolean;
  readonly limit: number;
  /** How many items are read at most. */
  readonly patience: number;
  readonly isWanted: (item: Item) => boolean;
}

/**
 * A page of items in the order of their ULIDs, and where the next one begins, if there is one. It
 * costs the same wherever it begins.
 */
export async function walkItems(walk: Walk) {
  const heads = await Promise.all(
    walk.parts.map(async (part) => {
      const items = readPart(part, walk);
      return { begin: part.begin, items, next: await items.next() };
    }),
  );
  const found: Item[] = [];
  let visited = 0;
  let last = walk.from;
  for (;;) {
    const nearest = heads.reduce<(typeof heads)[number] | undefined>((best, head) => {
      if (head.next.done) return best;
      if (best === undefined || best.next.done) return head;
      const isBefore = toUlid(head.next.value, head.begin) < toUlid(best.next.value, best.begin);
      return isBefore === walk.isAscending ? head : best;
    }, undefined);
    if (nearest === undefined || nearest.next.done) return { items: found, next: undefined, visited };
    if (found.length === walk.limit || visited === walk.patience)
      return { items: found, next: last, visited };
    const item = nearest.next.value;
    last = toUlid(item, nearest.begin);
    visited += 1;
    if (walk.isWanted(item)) found.push(item);
    nearest.next = await nearest.items.next();
  }
}

async function* readPart(
  part: Part,
  { from, isAscending, tableName, limit }: Walk,
): AsyncGenerator<Item, void> {
  const { pk, begin } = part;
  // "~" follows every character of a ULID.
  const keys = isAscending
    ? { first: `${begin}${from}${from === "" ? "" : "!"}`, last: `${begin}~` }
    : { first: begin, last: `${begin}${from === "" ? "~" : from}` };
  const query = { ...toPartitionQuery(pk, keys, tableName), ScanIndexForward: isAscending, Limit: limit + 1 };
  for await (const items of readPages(query))
    for (const item of items) if (toUlid(item, begin) !== from) yield item;
}

function toUlid({ sk }: Item, begin: string): string {
  return String(sk).slice(begin.length);
}
