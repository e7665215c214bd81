import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { ensureFreshAssembly } from "../../infra/development/fresh-assembly.ts";
import { removeTemporaryDirectories, temporaryDirectory } from "../../infra/local/test/given-assembly.ts";

afterAll(removeTemporaryDirectories);

describe("the synthesized app", () => {
  let project: string;
  let syntheses: number;
  let template: string;
  let fails: boolean;
  let meanwhile: () => void;
  let made: "all" | "bundles";
  let inputs: string[] | undefined;
  beforeEach(() => {
    project = temporaryDirectory();
    syntheses = 0;
    template = "{}";
    fails = false;
    inputs = undefined;
    meanwhile = () => undefined;
    write("infra/app.ts", "1");
    write("shared/deep/money.ts", "1");
  });

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }

  const ensure = () =>
    ensureFreshAssembly({
      say: () => undefined,
      project,
      synthesize: async (_project, _signal, only) => {
        syntheses += 1;
        made = only ?? "all";
        meanwhile();
        if (fails) throw new Error("does not compile");
        write("cdk.out/local/manifest.json", "{}");
        write("cdk.out/local/assembly-local/service.template.json", template);
        if (inputs) write("cdk.out/local/inputs.json", JSON.stringify(inputs));
      },
    });

  it("is made once, and again when a source changes, appears or goes to another name", async () => {
    expect(await ensure()).toBe(join(project, "cdk.out/local"));
    await ensure();
    expect(syntheses).toBe(1);
    for (const [path, text] of [
      ["shared/deep/money.ts", "2"],
      ["functions/cards/handler.ts", "1"],
      ["package-lock.json", "{}"],
      ["cdk.json", "{}"],
    ] as const) {
      write(path, text);
      const before = syntheses;
      await ensure();
      await ensure();
      expect(syntheses, path).toBe(before + 1);
    }
  });

  it("keeps its templates when only code has changed that they are not made of", async () => {
    inputs = ["shared/contract/routes.ts"];
    write("functions/cards/handler.ts", "1");
    write("shared/contract/routes.ts", "1");
    await ensure();
    for (const [path, expected] of [
      ["functions/cards/handler.ts", "bundles"],
      ["shared/deep/money.ts", "bundles"],
      ["shared/contract/routes.ts", "all"],
      ["functions/wallets/handler.ts", "all"],
      ["infra/app.ts", "all"],
      ["package-lock.json", "all"],
    ] as const) {
      write(path, `${path} changed`);
      await ensure();
      expect(made, path).toBe(expected);
    }
    expect(syntheses).toBe(7);
    await ensure();
    expect(syntheses).toBe(7);
  });

  it("is made whole if its templates are another synthesis's", async () => {
    inputs = [];
    await ensure();
    write("cdk.out/local/assembly-local/service.template.json", '{"other":1}');
    write("shared/deep/money.ts", "2");
    await ensure();
    expect(made).toBe("all");
  });

  it("does not depend on the local target's code or on tests", async () => {
    await ensure();
    write("infra/development/main.ts", "1");
    write("test/a.test.ts", "1");
    await ensure();
    expect(syntheses).toBe(1);
  });

  it("is synthesized again if another synthesis replaced it", async () => {
    await ensure();
    write("cdk.out/local/assembly-local/service.template.json", '{"other":1}');
    await ensure();
    expect(syntheses).toBe(2);
  });

  it("is made once by starts at the same time", async () => {
    await Promise.all([ensure(), ensure(), ensure()]);
    expect(syntheses).toBe(1);
  });

  it("is synthesized again if a source was edited meanwhile", async () => {
    meanwhile = () => write("shared/deep/money.ts", "edited");
    await ensure();
    meanwhile = () => undefined;
    await ensure();
    await ensure();
    expect(syntheses).toBe(2);
  });

  it("reports a failure, and the next start tries again", async () => {
    fails = true;
    await expect(ensure()).rejects.toThrow("does not compile");
    fails = false;
    await ensure();
    expect(syntheses).toBe(2);
  });
});
