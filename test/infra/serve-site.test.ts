import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveSite } from "../tools/site/serve.ts";

const directory = mkdtempSync(path.join(tmpdir(), "served-"));
let site: Awaited<ReturnType<typeof serveSite>>;

beforeAll(async () => {
  mkdirSync(path.join(directory, "site/docs"), { recursive: true });
  writeFileSync(path.join(directory, "outside.html"), "outside");
  for (const [file, text] of Object.entries({
    "index.html": "start",
    "404.html": "none",
    "docs/calling.html": "calling",
    "docs/index.html": "docs",
    "docs/openapi.json": "{}",
  }))
    writeFileSync(path.join(directory, "site", file), text);
  site = await serveSite(path.join(directory, "site"), 0);
});
afterAll(() => site.stop());

/** As it is sent: `fetch` would tidy the path. */
function ask(target: string): Promise<[status: number | undefined, text: string]> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port: new URL(site.url).port, path: target }, async (answer) => {
      const chunks = await answer.toArray();
      resolve([answer.statusCode, Buffer.concat(chunks).toString()]);
    }).on("error", reject);
  });
}

test.each([
  ["/", 200, "start"],
  ["/docs/calling", 200, "calling"],
  ["/docs/", 200, "docs"],
  ["/docs/openapi.json?x=1", 200, "{}"],
  ["/docs/nothing", 404, "none"],
  ["/..%2foutside.html", 404, "none"],
  ["/../outside", 404, "none"],
  ["/%", 404, "none"],
  ["/%ff", 404, "none"],
])("%s", async (target, status, text) => {
  expect(await ask(target)).toEqual([status, text]);
});
