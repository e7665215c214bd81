import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { expect, it } from "vitest";
import { faultsOfSite } from "../tools/site/check-links.ts";
import { readPages } from "../tools/site/pages.ts";
import { withRelativeLinks } from "../tools/site/relative-links.ts";

it("npm run site builds every page, and no link, anchor or named file is missing", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["test/tools/site.ts"]);
  expect(stdout).toMatch(/\d+ pages in \.site, 0 faults\.\n$/);
  const pages = readPages();
  const built = readdirSync(".site", { recursive: true, encoding: "utf8" });
  const expected = pages.map(({ file }) => file.replace(/README\.md$/, "index.md").replace(/md$/, "html"));
  expect(built).toEqual(expect.arrayContaining([...expected, "docs/reference/cards.html", "llms.txt"]));
  const guide = readFileSync(path.join(".site", "docs/authorization-decisions.html"), "utf8");
  expect(guide).toContain('class="mermaid"');

  const broken = { file: "docs/a.md", title: "A", about: "", text: "`shared/nowhere.ts`" };
  expect(faultsOfSite(".site", [broken])).toEqual(["docs/a.md: there is no shared/nowhere.ts"]);
}, 400_000);

it("links lead from the page, also to a folder's page and an anchor", () => {
  const html =
    '<a href="/docs/b.html#c">b</a><a href="/">start</a><a href="https://a.example/">a</a><body></body>';
  expect(withRelativeLinks(html, path.join("docs", "a.html"))).toContain(
    '<a href="../docs/b.html#c">b</a><a href="../index.html">start</a><a href="https://a.example/">a</a>',
  );
  expect(withRelativeLinks(html, "index.html")).toContain('<a href="./docs/b.html#c">');
});

const executablePath = "/usr/bin/chromium";

it.skipIf(!existsSync(executablePath))(
  "the pages open from a disk, with diagrams that can be read on a desk and a phone",
  async () => {
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    try {
      for (const width of [1_440, 375]) {
        const page = await browser.newPage({ viewport: { width, height: 900 } });
        await page.goto(pathToFileURL(path.resolve(".site/docs/state-machines.html")).href);
        await page.locator(".mermaid svg").first().waitFor();
        const found = await page.evaluate(`({
          page: document.documentElement.scrollWidth,
          cut: [...document.querySelectorAll(".mermaid")].filter((one) =>
            one.scrollWidth > one.clientWidth && getComputedStyle(one).overflowX !== "auto").length,
          shrunk: [...document.querySelectorAll(".mermaid svg")].filter((one) =>
            one.getBoundingClientRect().width < one.viewBox.baseVal.width * 0.7).length,
        })`);
        expect(found).toEqual({ page: width, cut: 0, shrunk: 0 });
        if (width === 375) continue;
        await page.locator('.VPSidebar a[href$="docs/restore.html"]').click();
        expect(await page.title()).toMatch(/^Restoring lost data/);
      }
      const phone = await browser.newPage({ viewport: { width: 375, height: 740 } });
      const wide: string[] = [];
      const built = readdirSync(".site", { recursive: true, encoding: "utf8" });
      for (const file of built.filter((one) => one.endsWith(".html"))) {
        await phone.goto(pathToFileURL(path.resolve(".site", file)).href, { waitUntil: "domcontentloaded" });
        if (Number(await phone.evaluate("document.documentElement.scrollWidth")) > 375) wide.push(file);
      }
      expect(wide).toEqual([]);
    } finally {
      await browser.close();
    }
  },
  120_000,
);
