import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { buildBundles } from "../../infra/constructs/bundles.ts";
import { testBundles } from "./bundle-rules.ts";

const loadAll = `
  import { readdirSync } from "node:fs";
  const { handler } = await import(process.cwd() + "/handler.mjs");
  for (const name of readdirSync(".")) if (name.endsWith(".mjs")) await import(process.cwd() + "/" + name);
  console.log(typeof handler);`;

describe.each([{ joined: false }, { joined: true }])("bundles, joined: $joined", (options) => {
  const { bundles } = testBundles(options);

  it("are equal when they are built again", async () => {
    expect(await buildBundles(options)).toEqual(bundles());
  });

  it("load: every file, with all that it imports by name", () => {
    for (const [folder, bundle] of bundles()) {
      const directory = mkdtempSync(path.join(tmpdir(), "bundle-"));
      for (const [name, contents] of bundle) writeFileSync(path.join(directory, name), contents);
      const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", loadAll], {
        cwd: directory,
        env: { ...process.env, AWS_REGION: "eu-west-1" },
        encoding: "utf8",
      });
      rmSync(directory, { recursive: true });
      expect(stdout.trim().split("\n").at(-1), `${folder}\n${stderr}`).toBe("function");
    }
  });
});
