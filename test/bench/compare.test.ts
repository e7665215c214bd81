import { describe, expect, it } from "vitest";
import { renderBenchPage } from "../tools/bench/bench-page.ts";
import { judge, tableOf } from "../tools/bench/compare.ts";
import { medianInterval } from "../tools/bench/median-interval.ts";

const from1 = (length: number) => Array.from({ length }, (_, index) => index + 1);

describe("the interval in which a median lies", () => {
  it.each([
    // Ranks from tables of binomial order statistics at 95 %.
    [5, 1, 5],
    [6, 1, 6],
    [8, 1, 8],
    [9, 2, 8],
    [12, 3, 10],
    [20, 6, 15],
    [25, 8, 18],
  ])("of %i values is from the %ith to the %ith", (length, low, high) => {
    expect(medianInterval(from1(length).toReversed())).toEqual({ median: (length + 1) / 2, low, high });
  });

  it("of one value is that value", () => {
    expect(medianInterval([3])).toEqual({ median: 3, low: 3, high: 3 });
  });
});

const nine = from1(9);
const times = (factor: number) => nine.map((value) => value * factor);
const figure = { name: "time", unit: "s", before: nine };

describe("a limit", () => {
  it("is broken only by a whole interval", () => {
    const ratio = { most: 0.6 };
    // Two of nine pairs keep it.
    const mixed = nine.map((value) => value * (value < 3 ? 0.5 : 0.7));
    expect(judge({ ...figure, ratio, now: mixed }).broken).toBeUndefined();
    expect(judge({ ...figure, ratio, now: times(0.7) }).broken).toBe(
      "time: 0.700 of before, not at most 0.6.",
    );
    expect(judge({ ...figure, ratio, now: times(0.6) }).broken).toBeUndefined();
  });

  it("may be the least, and of now alone", () => {
    expect(judge({ ...figure, ratio: { least: 2 }, now: times(1.9) }).broken).toContain("not at least 2");
    const value = { most: 1.5 };
    expect(judge({ ...figure, before: [], value, now: nine }).broken).toBe("time: 5.00 s, not at most 1.5.");
    expect(judge({ ...figure, value, now: times(0.1) }).broken).toBeUndefined();
  });

  it("of a ratio counts only with an earlier build", () => {
    expect(judge({ ...figure, before: [], ratio: { most: 0.1 }, now: nine }).broken).toBeUndefined();
  });
});

describe("the page", () => {
  const slow = judge({ ...figure, ratio: { most: 0.6 }, now: times(0.7) });
  const compared = { name: "start" as const, title: "From <nothing>", base: "before", figures: [slow] };
  const page = renderBenchPage({
    startedAt: new Date("2026-01-02T03:04:05Z"),
    before: "6fc76b55",
    seconds: 90,
    compared: [compared],
    tables: [{ title: "Counts", columns: ["", "units"], rows: [{ cells: ["</script>", 3] }] }],
    broken: [slow.broken ?? ""],
  });

  it("has the figures as JSON, loads nothing, and marks what is broken", () => {
    const json = /<script type="application\/json" id="figures">(.*?)<\/script>/s.exec(page)?.[1] ?? "";
    expect(JSON.parse(json)).toMatchObject({ before: "6fc76b55", compared: [{ title: "From <nothing>" }] });
    expect(page).not.toMatch(/(?:src|href)=|url\(|@import|<script(?! type="application\/json")/);
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
    expect(page).toContain("From &lt;nothing&gt;");
    expect(page).toContain('<tr class="bad"><td>time, s</td>');
  });

  it("plots before, now and the limit", () => {
    expect(page).toContain("limit 3 s");
    expect(page.match(/class="line c[12]"/g)).toHaveLength(3);
  });

  it("says the same as the printed table", () => {
    expect(tableOf(compared).rows[0]?.cells).toEqual([
      ...["time, s", "5.00 (2.00 to 8.00)", "3.50 (1.40 to 5.60)", "0.700 (0.700 to 0.700)"],
      "at most 0.6 of before",
    ]);
  });
});
