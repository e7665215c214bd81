import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../infra/app.ts";

/** In a process of its own, as `npm start` loads it: this one has all of CDK. */
const script = `
  import { createRequire } from "node:module";
  import { loadApp } from "./infra/local-assembly/load-app.ts";
  const directory = process.argv[1];
  const { createApp, codeContext, inputs } = await loadApp(directory);
  createApp(["local"], { outdir: directory + "/loaded", checked: false, context: { [codeContext]: "../code" } }).synth();
  const modules = Object.keys(createRequire(import.meta.url).cache);
  console.log(JSON.stringify({ inputs, modules }));
`;

describe("the app as npm start loads it", { timeout: 60_000 }, () => {
  let directory: string;
  let told: { inputs: string[]; modules: string[] };
  beforeAll(() => {
    mkdirSync("cdk.out", { recursive: true });
    directory = mkdtempSync(resolve("cdk.out/load-app-"));
    const words = ["--input-type=module", "--eval", script, directory];
    told = JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" }));
  }, 60_000);
  afterAll(() => rmSync(directory, { recursive: true }));

  it("writes the templates and assets of the app itself", () => {
    const outdir = join(directory, "itself");
    const context = { "card-issuing:code-directory": "../code" };
    createApp(["local"], { outdir, checked: false, context }).synth();
    const itself = readWritten(outdir);
    expect(Object.keys(itself).length).toBeGreaterThan(15);
    expect(readWritten(join(directory, "loaded"))).toEqual(itself);
  });

  it("knows the files that it is made of", () => {
    expect(told.inputs).toEqual(
      expect.arrayContaining(["cdk.json", "infra/app.ts", "infra/stacks/api-stack.ts"]),
    );
    expect(told.inputs.filter((file) => file.startsWith("shared/")).length).toBeGreaterThan(20);
  });

  it("loads no more of CDK than it uses: half of 1,100 modules", () => {
    expect(told.modules.length).toBeGreaterThan(100);
    expect(told.modules.length).toBeLessThan(600);
  });
});

function readWritten(directory: string): Record<string, string> {
  const folder = join(directory, "assembly-local");
  const names = readdirSync(folder).filter((name) => /\.(template|assets)\.json$/.test(name));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
