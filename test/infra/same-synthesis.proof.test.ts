import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../infra/app.ts";

/**
 * The same commit is the same deployment, wherever and whenever it is synthesized: after a
 * deployment there is nothing to deploy, and what was reviewed is what is deployed.
 */
describe("two syntheses of the same files", { timeout: 240_000 }, () => {
  let directory: string;
  let here: ReadonlyMap<string, string>;
  let elsewhere: ReadonlyMap<string, string>;

  beforeAll(() => {
    directory = mkdtempSync(path.join(tmpdir(), "same-synthesis-"));
    const outdir = path.join(directory, "here");
    createApp(["staging"], { outdir, checked: false }).synth();
    here = digests(outdir);
    const copy = path.join(directory, "a/folder/elsewhere");
    mkdirSync(copy, { recursive: true });
    for (const name of ["cdk.json", "package.json", "functions", "infra", "shared"]) {
      cpSync(name, path.join(copy, name), { recursive: true });
    }
    symlinkSync(realpathSync("node_modules"), path.join(copy, "node_modules"));
    const words = [path.join(copy, "infra/commands/synth.ts"), "--unchecked", "staging"];
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: tmpdir(), encoding: "utf8" });
    expect(status, stderr).toBe(0);
    elsewhere = digests(path.join(copy, "cdk.out/staging"));
  }, 240_000);
  afterAll(() => rmSync(directory, { recursive: true }));

  test("in different folders are equal byte by byte: templates, bundles and their names", () => {
    const bundles = [...here.keys()].filter((file) => file.endsWith("/handler.mjs"));
    // The network's listener has a stack of its own.
    expect(bundles).toHaveLength(readdirSync("functions").length);
    expect(Object.fromEntries(elsewhere)).toEqual(Object.fromEntries(here));
  });
});

/**
 * All files that are deployed or say what is: where constructs were made (`.metadata.json`) is for
 * a person at this machine.
 */
function digests(directory: string): ReadonlyMap<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".metadata.json"))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
  return new Map(
    files.map((file) => {
      const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
      return [path.relative(directory, file), digest];
    }),
  );
}
