import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { missingFiles, readGroups, readPages, renderLlms } from "../tools/site/pages.ts";

const pages = readPages();

it("llms.txt names every page that the README leads to, with a sentence", () => {
  const text = readFileSync("llms.txt", "utf8");
  expect(text, "Run npm run site -- --llms").toBe(renderLlms(pages));
  for (const { files } of readGroups(pages))
    for (const file of files) expect(text).toMatch(new RegExp(`\\]\\(${file}\\): [A-Z\`].+\\.$`, "m"));
});

it("a page names only files that exist", () => {
  expect(pages.flatMap(missingFiles)).toEqual([]);
  const invented = { file: "a.md", title: "A", about: "", text: "See `shared/domain/nowhere.ts`." };
  expect(missingFiles(invented)).toEqual(["a.md: there is no shared/domain/nowhere.ts"]);
});
