import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { watchSources } from "../../infra/development/watch.ts";
import { removeTemporaryDirectories, temporaryDirectory } from "../../infra/local/test/given-assembly.ts";

afterAll(removeTemporaryDirectories);

describe("npm start -- --watch", () => {
  let project: string;
  let said: string[];
  let running: Map<string, string>;
  let watching: AsyncDisposable;
  beforeEach(async () => {
    project = temporaryDirectory();
    said = [];
    write("shared/money.ts", "export const money = 1;");
    write(
      "functions/cards/handler.ts",
      'import { money } from "../../shared/money.ts"; export const cards = money;',
    );
    write("functions/files/handler.ts", "export const files = 1;");
    write("infra/listener/main.ts", "export {};");
    running = new Map();
    for (const folder of ["cards", "files"]) {
      write(`cdk.out/local/bundles-1/${folder}/handler.mjs`, "old");
      running.set(`card-issuing-${folder}`, join(project, "cdk.out/local/bundles-1", folder));
    }
    const functions = {
      codeDirectories: () => new Map(running),
      replaceCode: (name: string, directory: string) => void running.set(name, directory),
    };
    watching = watchSources({ functions, say: (line) => void said.push(line), project });
    // The sources differ from what runs.
    await until("Replaced cards, files in");
  });
  afterEach(() => watching[Symbol.asyncDispose]());

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }

  async function until(words: string): Promise<string> {
    await expect.poll(() => said.join("\n"), { timeout: 30_000, interval: 20 }).toContain(words);
    return said.splice(0).join("\n");
  }

  const code = (folder: string) =>
    readFileSync(join(running.get(`card-issuing-${folder}`) ?? "", "handler.mjs"), "utf8");

  it("replaces the functions whose code has changed", async () => {
    const files = running.get("card-issuing-files");
    write("shared/money.ts", "export const money = 4711;");
    await until("Replaced cards in");
    expect(code("cards")).toContain("4711");
    expect(running.get("card-issuing-files")).toBe(files);
    expect(basename(running.get("card-issuing-cards") ?? "")).toBe("cards");
  });

  it("sees a file that an editor has replaced by another, and one in a new folder", async () => {
    for (const value of [33, 44, 55]) {
      write("shared/money.ts~", `export const money = ${value};`);
      renameSync(join(project, "shared/money.ts~"), join(project, "shared/money.ts"));
      await until("Replaced cards in");
      expect(code("cards")).toContain(String(value));
    }
    write("functions/cards/new/limit.ts", "export const limit = 66;");
    write("functions/cards/handler.ts", 'export { limit } from "./new/limit.ts";');
    await until("Replaced cards in");
    write("functions/cards/new/limit.ts", "export const limit = 77;");
    await until("Replaced cards in");
    expect(code("cards")).toContain("77");
  });

  it("names the file and line of code that does not compile, and goes on", async () => {
    const before = new Map(running);
    write("functions/files/handler.ts", "export const files = 1;\nexport const broken = (;");
    expect(await until("old code")).toMatch(
      /^functions\/files\/handler\.ts:2: Unexpected ";"\. The old code goes on\.$/,
    );
    expect(running).toEqual(before);
    write("functions/files/handler.ts", "export const files = 22;");
    await until("Replaced files in");
    expect(code("files")).toContain("22");
  });

  it("says that a change of the platform or its templates needs a start", async () => {
    write("infra/stacks/data-stack.ts", "export {};");
    await until("infra/stacks/data-stack.ts has changed: press Ctrl-C, and run npm start again.");
  });

  it("leaves nothing behind", async () => {
    expect(readdirSync(join(project, "cdk.out/local"))).toHaveLength(2);
    await watching[Symbol.asyncDispose]();
    watching = { [Symbol.asyncDispose]: () => Promise.resolve() };
    expect(readdirSync(join(project, "cdk.out/local"))).toEqual(["bundles-1"]);
    expect(existsSync(join(project, "functions"))).toBe(true);
  });
});
