import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import rootPackage from "../../package.json" with { type: "json" };

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../..");
const directory = mkdtempSync(path.join(tmpdir(), "client-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it("builds a package that plain JavaScript can import, with types", async () => {
  const client = path.join(directory, "card-issuing-client");
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [tsc, "-p", path.join(root, "client"), "--outDir", path.join(client, "dist")]);
  cpSync(path.join(root, "client/package.json"), path.join(client, "package.json"));
  symlinkSync(path.join(root, "node_modules"), path.join(directory, "node_modules"));
  const program = path.join(directory, "program.mjs");
  writeFileSync(
    program,
    `import * as client from "./card-issuing-client/dist/client/src/card-issuing.js";
     console.log(Object.keys(client).sort().join());`,
  );
  const { stdout } = await run(process.execPath, [program]);
  expect(stdout.trim()).toBe(
    "RequestRejectedError,createClient,pages,readNotification,unwrap,verifyNotification",
  );
  const types = readFileSync(path.join(client, "dist/client/src/card-issuing.d.ts"), "utf8");
  expect(types).toContain("createClient");
});

it("depends on exactly the tested versions", () => {
  const { dependencies } = JSON.parse(readFileSync(path.join(root, "client/package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const installed: Record<string, string> = { ...rootPackage.dependencies, ...rootPackage.devDependencies };
  for (const [name, version] of Object.entries(dependencies)) expect(installed[name], name).toBe(version);
});
