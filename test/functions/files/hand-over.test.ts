import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { fileAttempts } from "../../../shared/contract/file-report.ts";
import { newId } from "../../../shared/platform/id.ts";
import { injectFaults } from "../../harness/faults.ts";
import {
  clearingFileOf,
  detailOf,
  fileOf,
  headerOf,
  trailerOf,
} from "../../shared/adapters/clearing-records.ts";
import { type GivenFiles, givenFiles } from "./given-files.ts";
import { givenNumber } from "./given-number.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const now = performance.now.bind(performance);

/** The time for records is up after the first write of each invocation. */
function shortInvocations() {
  let jumpedMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + jumpedMs);
  return injectFaults(({ command }) => {
    if (command === "TransactWriteItems") jumpedMs += 9_000;
    return undefined;
  });
}

describe("a large file", () => {
  it("is handed over within a part, each invocation comes further, and each record counts once", async () => {
    const { recordOf, balances } = await givenNumber();
    const records = Array.from({ length: 12 }, (_, index) => recordOf(index, { amount: 1 }));
    const { name, message } = await files.put("clearing", clearingFileOf("LONG", ...records));
    {
      using _ = shortInvocations();
      expect(await files.handOver(message)).toBe(true);
      expect(files.progress("clearing", name)).toMatchObject([{ records: 12, done: 1, applied: 1 }]);
      const [next] = files.queue.take("files");
      expect(next?.body).toEqual({ ...(message as object), steps: 1 });
      expect(await files.handOverAll(message)).toBeGreaterThan(8);
    }
    expect(files.report("clearing", name)).toMatchObject({ records: 12, applied: 12, duplicates: 0 });
    expect(await balances()).toEqual([9988, 0, 9988]);
  });

  it("is handed over within its verification, which ends whatever its length", async () => {
    const lines = 12_000;
    const detail = detailOf(1, { referenceCode: "R", amount: 1 });
    const details = Array.from({ length: lines }, () => detail);
    const content = fileOf(headerOf("LARGE"), ...details, trailerOf(lines, lines + 1));
    const { name, message } = await files.put("clearing", content);
    let calls = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now() + 9_000 * calls++);
    expect(await files.handOver(message)).toBe(true);
    expect(files.progress("clearing", name)).toMatchObject([{ done: 0, verified: { read: 5_000 } }]);
    files.queue.take("files");
    expect(await files.handOverAll(message)).toBe(2);
    const reason = "the trailer's sum is 12001, the records' 12000";
    expect(files.report("clearing", name)).toMatchObject({
      status: "refused",
      rejected: [{ record: lines + 2, line: lines + 2, reason }],
    });
  });

  it("lists a thousand of its rejected records, and counts the others", async () => {
    const records = Array.from({ length: 1_003 }, (_, index) => ({
      referenceCode: `${newId("event").slice(-15)}${index}`,
      amount: 0,
    }));
    const report = await files.feed("clearing", clearingFileOf("WRONG", ...records));
    expect(report).toMatchObject({ status: "applied", records: 1_003, rejectedUnlisted: 3 });
    expect(report.rejected).toHaveLength(1_000);
    expect(report.rejected.at(-1)).toMatchObject({ record: 1_000, line: 1_001 });
  });
});

describe("a file that fails", () => {
  it("notes each attempt, and that the last one was the last, until a redrive ends it", async () => {
    const { recordOf, balances } = await givenNumber();
    const { name, message } = await files.put("clearing", clearingFileOf("FAILS", recordOf(1), recordOf(2)));
    for (const attempt of [1, fileAttempts]) {
      using _ = injectFaults(({ command }) => (command === "TransactWriteItems" ? "lost" : undefined));
      expect(await files.handOver(message, attempt)).toBe(false);
      const failure = { attempt, reason: expect.any(String), isFinal: attempt === fileAttempts };
      expect(files.progress("clearing", name)).toMatchObject([{ failure }]);
    }
    await files.handOverAll(message);
    expect(files.report("clearing", name)).toMatchObject({ status: "applied", applied: 2 });
    expect(files.progress("clearing", name)).toEqual([]);
    expect(await balances()).toEqual([8000, 0, 8000]);
  });

  it("without an end becomes a dead letter, and nothing of it is lost", async () => {
    const { recordOf, balances } = await givenNumber();
    const { name, message } = await files.put(
      "clearing",
      clearingFileOf("ENDLESS", recordOf(1, { amount: 1 })),
    );
    expect(await files.handOver({ ...(message as object), steps: 1_000_000 })).toBe(false);
    expect(files.isThere(`in/clearing/${name}`)).toBe(true);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    expect(await files.handOver({ ...(message as object), steps: 999_999 })).toBe(true);
    expect(files.report("clearing", name)).toMatchObject({ applied: 1 });
  });
});
