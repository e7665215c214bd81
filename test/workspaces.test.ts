import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { type Import, type SourceFile, sourceFiles } from "./harness/source-files.ts";

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** What each takes of the product; its tests may take more. */
const taken: Readonly<
  Record<string, { readonly code: readonly string[]; readonly tests: readonly string[] }>
> = {
  "infra/local": {
    code: ["infra/tools/install-tool.ts"],
    tests: ["infra/development/issue-certificate.ts", "test/harness/given-certificates.ts"],
  },
  "infra/console": {
    code: [
      "infra/command-line",
      "infra/commands/audit/connect-store.ts",
      "infra/commands/dead-letters",
      "infra/commands/deployed-store.ts",
      "infra/local/loopback-server.ts",
      "infra/local/moved-date.ts",
      "infra/tools/install-tool.ts",
      "shared",
    ],
    tests: ["functions", "infra/environments.ts", "test/harness", "test/infra/aws"],
  },
};

const { workspaces, ...root } = packageJson;
const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
const isAt = (file: string, places: readonly string[]) =>
  places.some((place) => file === place || file.startsWith(`${place}/`));
const isTest = ({ path: file }: SourceFile) => /^infra\/\w+\/test\//.test(file);
const product = ["functions", "shared", "infra", "client/src"].flatMap(sourceFiles);

/** Each import that is not allowed, as `file: target`. */
const offences = (files: readonly SourceFile[], isAllowed: (one: Import) => boolean) => {
  expect(files).not.toEqual([]);
  return files.flatMap((file) =>
    file.imports.filter((one) => !isAllowed(one)).map(({ target }) => `${file.path}: ${target}`),
  );
};

it("each workspace has its rules here", () => {
  expect(Object.keys(taken).toSorted()).toEqual(workspaces);
});

describe.each(workspaces)("%s", (folder) => {
  const { exports, devDependencies } = readManifest(folder);
  const doors = Object.values(exports).map((door) => path.posix.join(folder, door));
  const { code = [], tests = [] } = taken[folder] ?? {};
  const files = sourceFiles(folder);

  it("has doors that exist", () => {
    expect(doors).not.toEqual([]);
    expect(doors.filter((door) => !existsSync(door))).toEqual([]);
  });

  it("is entered by its doors", () => {
    const outside = product.filter((file) => !isAt(file.path, [folder]) && !isTest(file));
    expect(offences(outside, ({ target }) => !isAt(target, [folder]) || doors.includes(target))).toEqual([]);
  });

  it("takes little of the product", () => {
    const within = (places: readonly string[]) => (one: Import) =>
      !one.isLocal || isAt(one.target, [folder, ...places]);
    expect(
      offences(
        files.filter((file) => !isTest(file)),
        within(code),
      ),
    ).toEqual([]);
    expect(offences(files.filter(isTest), within([...code, ...tests]))).toEqual([]);
    // What is not taken any more goes from the list.
    const targets = files.flatMap((file) => file.imports.map(({ target }) => target));
    for (const place of [...code, ...tests])
      expect(targets.some((target) => isAt(target, [place]))).toBe(true);
  });

  it("declares its packages, in the versions of all", () => {
    const declared = (one: Import) =>
      one.isLocal || one.target.startsWith("node:") || one.target in devDependencies;
    expect(
      offences(
        files.filter((file) => !isTest(file)),
        declared,
      ),
    ).toEqual([]);
    const others: Record<string, string> = { ...root.devDependencies, ...root.dependencies };
    for (const [name, version] of Object.entries(devDependencies))
      expect(`${name} ${others[name] ?? version}`).toBe(`${name} ${version}`);
  });
});

const rooms = readdirSync("shared", { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `shared/${name}`);
/** Their READMEs name folders and kinds: so many files would not fit on one screen. */
const manyFiles = ["contract", "platform", "adapters", "tenancy"].map((name) => `shared/${name}`);

describe.each([...rooms, ...workspaces, "infra/listener", "test/tools"])("the README of %s", (folder) => {
  const text = readFileSync(path.join(folder, "README.md"), "utf8");

  it("is one screen, with purpose, promises, terms and files", () => {
    const lines = text.split("\n");
    expect(lines.length).toBeLessThanOrEqual(60);
    expect(lines.filter((line) => line.length > 140)).toEqual([]);
    expect(text).toMatch(/^## (Promises|Guarantees)$.*^## Terms$.*^## Files, in reading order$/ms);
  });

  it("names files that are there", () => {
    const named = [...text.matchAll(/`([\w./-]+(?:\.ts|\.css|\.json|\/))`/g)].map(([, name = ""]) => name);
    expect(named).not.toEqual([]);
    // By its path in the folder, by its name after the folder in its row, or by its whole path.
    const files = sourceFiles(folder);
    const isThere = (name: string) =>
      existsSync(path.join(folder, name)) ||
      existsSync(name) ||
      files.some((file) => file.path.endsWith(`/${name}`));
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });
});

it.each([...rooms.filter((room) => !manyFiles.includes(room)), "infra/listener"])(
  "the README of %s names each of its files",
  (room) => {
    const text = readFileSync(path.join(room, "README.md"), "utf8");
    const files = sourceFiles(room).map((file) => path.basename(file.path));
    expect(files.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  },
);

it("the layout in docs/changing.md leads to each room", () => {
  const layout = readFileSync("docs/changing.md", "utf8").split("## Five ways")[0] ?? "";
  expect(rooms.filter((room) => !layout.includes(`](../${room}/README.md)`))).toEqual([]);
});
