import { unmarshall } from "@aws-sdk/util-dynamodb";
import { z } from "zod";
import type { TraceEntry } from "../local/interfaces.ts";
import type { StreamRecord } from "../local/start-functions.ts";

const Entry = z.object({
  entryId: z.string(),
  kind: z.string(),
  postings: z.array(z.object({ account: z.string(), amountMinor: z.number() })),
});

/** Returns each new journal entry once, although every account stores a copy. */
export function ledgerEntriesIn(records: readonly StreamRecord[]): TraceEntry[] {
  const entries = new Map<string, TraceEntry>();
  for (const { event } of records) {
    const { NewImage, OldImage } = Object(event.dynamodb);
    // An entry is an item, or part of the record that it was committed with.
    const image = NewImage?.entry?.M ?? NewImage;
    if (image?.postings === undefined || OldImage !== undefined) continue;
    const parsed = Entry.safeParse(unmarshall(image));
    if (!parsed.success) continue;
    const { entryId, kind, postings } = parsed.data;
    const detail = Object.fromEntries(postings.map(({ account, amountMinor }) => [account, amountMinor]));
    entries.set(entryId, { kind: "ledger-entry", name: kind, detail });
  }
  return [...entries.values()];
}
