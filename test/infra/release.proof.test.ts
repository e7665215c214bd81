import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { type Run, release, runInherited } from "../tools/release/release.ts";

const { version } = packageJson;
const tag = `v${version}`;
let root: string;
let ran: string[];
/** For each check, where its grants are noted. */
let notes: Map<string, string | undefined>;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "release-"));
  // This repository has the version's tag itself while it is released.
  execFileSync("git", ["clone", "--quiet", "--no-tags", path.resolve("."), root]);
  symlinkSync(path.resolve("node_modules"), path.join(root, "node_modules"));
  ran = [];
  notes = new Map();
  // The heading has a date in the commit that is released.
  change("CHANGELOG.md", (text) => text.replace(/^(## \S+ - ).*$/m, "$12026-11-25"));
  commit();
});
afterEach(() => rmSync(root, { recursive: true }));

function git(...words: string[]): string {
  const names = [
    "-c",
    "user.name=Release",
    "-c",
    "user.email=release@example.com",
    "-c",
    "commit.gpgsign=false",
  ];
  return execFileSync("git", [...names, ...words], { cwd: root, encoding: "utf8" });
}

function change(file: string, edit: (text: string) => string): void {
  writeFileSync(path.join(root, file), edit(readFileSync(path.join(root, file), "utf8")));
}

function commit(): void {
  git("commit", "--quiet", "--all", "--allow-empty", "--message", "Release");
}

function tagAndCommit(): void {
  git("tag", tag);
  commit();
}

/** Packs for real. What takes minutes is a command of its own, which notes that it was to run. */
function runner(failing?: string): Run {
  return (words, folder, variables) => {
    const command = words.join(" ");
    ran.push(command);
    notes.set(command, variables?.USED_GRANTS_FILE);
    if (command.startsWith("npm pack")) return runInherited([...words, "--silent"], folder);
    if (command === "npm run synth")
      return runInherited(
        ["sh", "-c", "mkdir -p cdk.out/staging && echo '{}' > cdk.out/staging/manifest.json"],
        folder,
      );
    return runInherited(["sh", "-c", command === failing ? "exit 3" : "exit 0"], folder);
  };
}

const attempt = (options: { isDry?: boolean; failing?: string } = {}) =>
  release({ root, isDry: options.isDry ?? false, run: runner(options.failing) });

function packed(): Record<string, string> {
  const folder = path.join(root, ".release", version);
  return Object.fromEntries(
    readdirSync(folder).map((file) => [file, readFileSync(path.join(folder, file), "latin1")]),
  );
}

test("a tagged version passes every check, and the same commit is packed into the same bytes", async () => {
  git("tag", tag);
  expect(await attempt()).toBe(true);
  expect(ran.slice(0, -2)).toEqual([
    "npm run check",
    "npm run licences",
    "npm run site",
    "npm run openapi",
    "npm test",
    "npm run proofs -- --project grants",
    "npm run bench",
  ]);
  const files = packed();
  expect(Object.keys(files).toSorted()).toEqual([
    "SHA256SUMS",
    `card-issuing-assembly-${version}.tar.gz`,
    `card-issuing-client-${version}.tgz`,
    "release-notes.md",
    "sbom.cdx.json",
  ]);
  const folder = path.join(root, ".release", version);
  execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: folder });
  expect(files["release-notes.md"]).toMatch(/^### Added/);
  const { bomFormat, components } = JSON.parse(files["sbom.cdx.json"] ?? "");
  expect(bomFormat).toBe("CycloneDX");
  const names = components.map(({ purl }: { purl: string }) =>
    decodeURIComponent(purl.slice(8).replace(/@[^@]*$/, "")),
  );
  expect(Object.keys(packageJson.dependencies).filter((one) => !names.includes(one))).toEqual([]);
  expect(names).not.toContain("vitest");

  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await attempt()).toBe(true);
  expect(packed()).toEqual(files);
}, 400_000);

test("the grants that the tests need count for the proofs", async () => {
  git("tag", tag);
  await attempt({ failing: "npm run bench" });
  expect(notes.get("npm test")).toBeTypeOf("string");
  expect(notes.get("npm run proofs -- --project grants")).toBe(notes.get("npm test"));
});

test("a check that fails ends it, and nothing is packed", async () => {
  git("tag", tag);
  expect(await attempt({ failing: "npm test" })).toBe(false);
  expect(ran.at(-1)).toBe("npm test");
  expect(readdirSync(root)).not.toContain(".release");
});

test("a dry run needs neither tag nor date, names the checks, and packs", async () => {
  change("CHANGELOG.md", (text) => text.replace(/^(## \S+ - ).*$/m, "$1unreleased"));
  commit();
  expect(await attempt({ isDry: true })).toBe(true);
  expect(ran).toHaveLength(2);
  expect(Object.keys(packed())).toContain("SHA256SUMS");
}, 400_000);

test.each<[string, () => void, string]>([
  ["the tag is missing", () => undefined, `has no tag ${tag}`],
  ["the tag is on another commit", tagAndCommit, `has no tag ${tag}`],
  ["a file is not committed", () => appendFileSync(path.join(root, "README.md"), "x"), "README.md"],
  [
    "the client has another version",
    () => change("client/package.json", (text) => text.replace(version, "9.9.9")),
    "9.9.9",
  ],
  [
    "the changelog has no such version",
    () => change("CHANGELOG.md", (text) => text.replace(`## ${version}`, "## 0.1.0")),
    "no section",
  ],
  [
    "it has no date",
    () => change("CHANGELOG.md", (text) => text.replace(/^(## \S+ - ).*$/m, "$1soon")),
    '"soon"',
  ],
  [
    "it has another heading",
    () => change("CHANGELOG.md", (text) => text.replace("### Added", "### Changed")),
    '"Changed"',
  ],
])("it refuses when %s", async (what, prepare, message) => {
  if (!what.startsWith("the tag")) git("tag", tag);
  prepare();
  if (/client|changelog|^it has/.test(what)) {
    commit();
    git("tag", "--force", tag);
  }
  await expect(attempt()).rejects.toThrow(message);
  expect(ran).toEqual([]);
});
