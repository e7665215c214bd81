import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { licencePage, packagesOf, renderLicences } from "../tools/licences.ts";

it("lists the licences of all packages", () => {
  expect(readFileSync(licencePage, "utf8"), "Run npm run licences").toBe(renderLicences());
});

it.each(["GPL-3.0-only", undefined])("refuses a package with the licence %s", (license) => {
  const directory = mkdtempSync(join(tmpdir(), "licences-"));
  const file = join(directory, "package-lock.json");
  const packages = { "": {}, "node_modules/@scope/one": { version: "1.2.3", ...(license && { license }) } };
  writeFileSync(file, JSON.stringify({ packages }));
  expect(() => packagesOf(file)).toThrow(`@scope/one 1.2.3 in ${file} has the licence ${license}`);
});
