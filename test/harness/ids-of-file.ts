import { vi } from "vitest";
import { newId } from "../../shared/platform/id.ts";

/**
 * A file that moved the clock ahead must not date the next file's ids, which are in order: ids
 * begin anew once a clock that was wrong by more than a minute is right again.
 */
export function startIds(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  newId("program");
  vi.useRealTimers();
}
