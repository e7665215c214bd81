import { vi } from "vitest";
import { compactPast, settleMs } from "../../shared/lists/compaction.ts";
import type { List } from "../../shared/lists/kind.ts";
import { earliestChangeId } from "../../shared/platform/id.ts";

/** Ids go on from the moment of a compaction, unless the clock goes back by a minute. */
let latest = 0;
const mostMs = 60_000;

/** What was written is in a segment from now on, and what follows is not. Rare in a process. */
export async function compactNow(...lists: readonly List[]): Promise<void> {
  const at = Math.max(Date.now(), latest);
  latest = at + settleMs + 5;
  if (latest - Date.now() > mostMs) throw new Error("Compacted too often: ids would go back.");
  vi.useFakeTimers({ toFake: ["Date"], now: latest });
  try {
    for (const list of lists) await compactPast(list, earliestChangeId(new Date(at + 1)));
  } finally {
    vi.useRealTimers();
  }
}
