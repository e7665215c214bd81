import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { describe, expect, it } from "vitest";
import { randomFrom } from "../harness/random.ts";
import { judge } from "../tools/load/judge.ts";
import { defaultLimits, kinds, type Sample } from "../tools/load/kinds.ts";
import { renderPage } from "../tools/load/report/page.ts";
import type { LoadResult } from "../tools/load/run.ts";

/** Debian's package `chromium`; without it the page is only parsed. */
const executablePath = "/usr/bin/chromium";
const random = randomFrom(4);
const samples: Sample[] = Array.from({ length: 500 }, (_, index) => ({
  kind: kinds[index % kinds.length] ?? "read",
  intendedMs: index * 40,
  latencyMs: 10 ** (1 + random.fraction() * 2),
  ...(index === 7 && { error: '503 <b id="bold">' }),
}));
const figures = judge(samples, defaultLimits);
const phase = { startMs: 0, endMs: 20_000, sent: 400, isOverrun: false, worstLagMs: 3, figures };
const result: LoadResult = {
  startedAt: new Date("2026-01-02T03:04:05Z"),
  phases: [
    { ...phase, name: "warm-up", rate: 20, isKept: true },
    { ...phase, name: "step", rate: 40, isKept: false },
    { ...phase, name: "steady", rate: 14, isKept: true },
  ],
  samples,
  moments: Array.from({ length: 20 }, (_, second) => ({
    atMs: second * 1_000,
    inFlight: second,
    undelivered: 2 * second,
    queued: 3,
    deadLetters: 0,
    memoryBytes: 500 * 1024 ** 2,
  })),
  found: { kept: 20, left: 40 },
  undelivered: 0,
  repeated: 1,
  books: { accounts: 3, entries: 9, events: 9, faults: ["wal_1 lacks </script> 1"] },
};
const html = renderPage({ limits: defaultLimits, seed: 4 }, result);

describe("the report of a load", () => {
  it("contains its figures as JSON, and loads nothing", () => {
    const json = /<script type="application\/json" id="figures">(.*?)<\/script>/s.exec(html)?.[1] ?? "";
    expect(JSON.parse(json)).toMatchObject({ found: { kept: 20, left: 40 }, seed: 4, books: result.books });
    expect(html).not.toMatch(/(?:src|href)=|url\(|@import|<script(?! type="application\/json")/);
    expect(html).not.toContain("<b id");
    expect(html).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("names what failed", () => {
    expect(html).toContain("1 × ");
    expect(html).toContain("503 &lt;b id=&quot;bold&quot;&gt;");
    expect(html).toContain("wal_1 lacks &lt;/script&gt; 1");
  });

  it("says so without a single answer", () => {
    const none = { ...result, samples: [], phases: [], moments: [], found: { kept: undefined } };
    expect(renderPage({ limits: defaultLimits, seed: 4 }, none)).not.toMatch(/NaN|undefined|Infinity/);
  });

  it.skipIf(!existsSync(executablePath)).each(["light", "dark"] as const)(
    "shows plots within the page, %s",
    async (colorScheme) => {
      const directory = mkdtempSync(join(tmpdir(), "load-page-"));
      const file = join(directory, "load.html");
      writeFileSync(file, html);
      const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
      const browser = await chromium.launch({ executablePath, args });
      try {
        const page = await browser.newPage({ colorScheme });
        const faults: string[] = [];
        page.on("console", (line) => faults.push(line.text()));
        page.on("request", (request) => request.url() !== `file://${file}` && faults.push(request.url()));
        await page.goto(`file://${file}`);
        expect(await page.locator("svg").count()).toBe(5 + 3 + 5);
        expect(await page.locator("table tr").count()).toBe(1 + 3 + 1 + 5);
        const outside = await page.locator("svg path, svg rect, svg line").evaluateAll(
          (all) =>
            all.filter((one) => {
              const [own, chart] = [one, one.closest("svg")].map((each) => each?.getBoundingClientRect());
              return own && chart && (own.right > chart.right + 1 || own.top < chart.top - 1);
            }).length,
        );
        expect(outside).toBe(0);
        const lightness = (name: string) =>
          page.evaluate<number>(`Number(/\\d+/.exec(getComputedStyle(document.body)["${name}"])[0])`);
        const [ink, paper] = [await lightness("color"), await lightness("backgroundColor")];
        expect(ink > paper).toBe(colorScheme === "dark");
        expect(faults).toEqual([]);
      } finally {
        await browser.close();
        rmSync(directory, { recursive: true });
      }
    },
  );
});
