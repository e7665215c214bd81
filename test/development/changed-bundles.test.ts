import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { removeTemporaryDirectories, temporaryDirectory } from "../../infra/local/test/given-assembly.ts";
import { buildChanged, type Origins } from "../../infra/local-assembly/changed-bundles.ts";
import { findOutdated } from "../../infra/local-assembly/outdated-bundles.ts";

afterAll(removeTemporaryDirectories);

describe("the functions that a synthesis bundles again", () => {
  let project: string;
  let origins: Origins;
  beforeEach(async () => {
    project = temporaryDirectory();
    origins = {};
    write("functions/cards/handler.ts", 'export { used } from "../../shared/chosen.ts";');
    write("functions/files/handler.ts", 'export const late = () => import("../../shared/late.ts");');
    write("infra/listener/main.ts", 'export { outside } from "../outside.ts";');
    write("infra/outside.ts", "export const outside = 1;");
    write("shared/chosen.ts", 'export { used } from "./used.ts"; export { other } from "./other.ts";');
    for (const name of ["used", "other", "late"]) write(`shared/${name}.ts`, `export const ${name} = 1;`);
    await build();
  });

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }

  async function build(): Promise<string[]> {
    const built = await buildChanged(project, origins);
    origins = built.origins;
    return [...built.bundles.keys()].filter((name) => name !== "listener").toSorted();
  }

  it("are none if nothing has changed, or nothing that they import", async () => {
    expect(Object.keys(origins).toSorted()).toEqual(["cards", "files", "listener"]);
    expect(await build()).toEqual([]);
    write("shared/new.ts", "export const fresh = 1;");
    expect(await build()).toEqual([]);
  });

  it.each([
    ["functions/cards/handler.ts", ["cards"]],
    ["shared/used.ts", ["cards"]],
    // The compiler leaves it out, as long as it has no effect.
    ["shared/other.ts", ["cards"]],
    ["shared/late.ts", ["files"]],
    ["package-lock.json", ["cards", "files"]],
    ["infra/constructs/bundle.ts", ["cards", "files"]],
  ])("are those that are made of %s when that changes", async (file, expected) => {
    const name = /shared\/(\w+)/.exec(file)?.[1] ?? "used";
    write(file, `export const ${name} = 2;`);
    expect(await build()).toEqual(expected);
    expect(await build()).toEqual([]);
  });

  it("are those that are new; what is gone is forgotten", async () => {
    write("functions/wallets/handler.ts", "export const wallets = 1;");
    expect(await build()).toEqual(["wallets"]);
    rmSync(join(project, "functions/cards"), { recursive: true });
    expect(await build()).toEqual([]);
    expect(Object.keys(origins).toSorted()).toEqual(["files", "listener", "wallets"]);
  });

  it("include each that is made of a file that is not watched", async () => {
    expect([...(await buildChanged(project, origins)).bundles.keys()]).toEqual(["listener"]);
  });

  it("are built again after code that does not compile", async () => {
    write("shared/used.ts", "export const used = (;");
    await expect(build()).rejects.toThrow("Build failed");
    write("shared/used.ts", "export const used = 3;");
    expect(await build()).toEqual(["cards"]);
  });
});

describe("the bundles that a synthesis removes", () => {
  const bundles = (...times: number[]) => times.map((time) => `bundles-${time}`);

  it("are those before the last five, and what was rebuilt before them", () => {
    const others = ["assembly-local", "bundles.json", "manifest.json"];
    expect(findOutdated([...bundles(1, 2, 3, 4, 5), ...others])).toEqual([]);
    const names = [...bundles(10, 9, 2, 3, 4, 5, 6), "rebuilt-3", "rebuilt-4", ...others];
    expect(findOutdated(names)).toEqual(["bundles-2", "bundles-3", "rebuilt-3"]);
  });

  it("are not those of a platform that has rebuilt its functions many times", () => {
    const rebuilt = Array.from({ length: 9 }, (_, index) => `rebuilt-${index + 2}`);
    expect(findOutdated([...bundles(1, 20), ...rebuilt])).toEqual([]);
  });
});
