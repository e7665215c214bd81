import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { faultsOfSite } from "../tools/site/check-links.ts";
import { readPages } from "../tools/site/pages.ts";

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
