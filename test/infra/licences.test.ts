import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { licencePage, packagesOf, renderLicences, withPlaces } from "../tools/licences.ts";

it("lists the licences of all packages", () => {
  expect(readFileSync(licencePage, "utf8"), "Run npm run licences").toBe(renderLicences());
});

it("has the place of each archive in the lock file, on no registry's host", () => {
  const lockFile = readFileSync("package-lock.json", "utf8");
  expect(lockFile === withPlaces(lockFile), "Run npm run licences").toBe(true);
  expect(lockFile).toContain('"https://registry.invalid/@aws-sdk/lib-dynamodb/-/lib-dynamodb-');
  expect(readFileSync(".npmrc", "utf8")).toContain("replace-registry-host=always\n");
});

it.each(["GPL-3.0-only", undefined])("refuses a package with the licence %s", (license) => {
  const directory = mkdtempSync(join(tmpdir(), "licences-"));
  const file = join(directory, "package-lock.json");
  const packages = { "": {}, "node_modules/@scope/one": { version: "1.2.3", ...(license && { license }) } };
  writeFileSync(file, JSON.stringify({ packages }));
  expect(() => packagesOf(file)).toThrow(`@scope/one 1.2.3 in ${file} has the licence ${license}`);
});
