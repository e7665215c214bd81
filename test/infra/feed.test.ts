import { afterEach, describe, expect, it, vi } from "vitest";
import { FileWatch } from "../../infra/commands/feed.ts";
import { type FileProgress, fileAttempts } from "../../shared/contract/file-report.ts";

const progress: FileProgress = { records: 5, applied: 2, duplicates: 0, suspense: 0, done: 2, rejected: [] };
const failed = (attempt: number, isFinal: boolean): FileProgress => ({
  ...progress,
  failure: { attempt, reason: "ContendedError", isFinal },
});

describe("feed", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("waits while a file comes further, and after a failure that is not the last", () => {
    const watch = new FileWatch("a.txt");
    for (const seen of [progress, failed(1, false), failed(fileAttempts - 1, false)]) watch.see(seen);
  });

  it("says at once that a file has failed for good, and where to look", () => {
    const said = () => new FileWatch("a.txt").see(failed(fileAttempts, true));
    expect(said).toThrow(/^a\.txt failed 5 times, after 2 of 5 records: ContendedError\. .*dead letter/);
  });

  it("says so too where the last attempt ends without an answer, unless it comes further", () => {
    const now = performance.now();
    const at = vi.spyOn(performance, "now").mockReturnValue(now);
    const watch = new FileWatch("a.txt");
    watch.see(failed(fileAttempts, false));
    at.mockReturnValue(now + 29_000);
    watch.see(progress);
    watch.see(failed(fileAttempts, false));
    at.mockReturnValue(now + 60_000);
    expect(() => watch.see(failed(fileAttempts, false))).toThrow("dead letter");
  });
});
