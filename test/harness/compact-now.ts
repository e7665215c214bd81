import { setTimeout as pause } from "node:timers/promises";
import { vi } from "vitest";
import { compactPast, settleMs } from "../../shared/lists/compaction.ts";
import type { List } from "../../shared/lists/entry.ts";
import { earliestChangeId } from "../../shared/platform/id.ts";

/** A change is compacted once it has settled. */
const moreMs = 5;

/** What was written is in a segment from now on, and what follows is not. */
export async function compactNow(...lists: readonly List[]): Promise<void> {
  const at = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: at + settleMs + moreMs });
  try {
    for (const list of lists) await compactPast(list, earliestChangeId(new Date(at + 1)));
  } finally {
    vi.useRealTimers();
  }
  await pause(2 * moreMs);
}
