import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { CannotRun } from "../../../infra/command-line/options.ts";

export function git(root: string, ...words: string[]): string {
  return execFileSync("git", words, { cwd: root, encoding: "utf8" }).trim();
}

export function readVersion(root: string): string {
  const versionIn = (file: string): string => JSON.parse(readFileSync(path.join(root, file), "utf8")).version;
  const version = versionIn("package.json");
  for (const file of ["client/package.json", "package-lock.json"])
    if (versionIn(file) !== version)
      throw new CannotRun(`package.json has the version ${version}, and ${file} ${versionIn(file)}.`);
  return version;
}

/** @throws CannotRun that names what is not ready */
export function refuseUnready({
  root,
  version,
  isDry,
}: {
  root: string;
  version: string;
  isDry: boolean;
}): void {
  const changes = git(root, "status", "--porcelain");
  if (changes !== "") throw new CannotRun(`The tree has changes. Commit or remove them:\n${changes}`);
  const { date } = readSection(root, version);
  if (isDry) return;
  if (!/^\d{4}-\d\d-\d\d$/.test(date))
    throw new CannotRun(
      `In CHANGELOG.md, version ${version} has "${date}" in place of its date, as in 2026-11-25.`,
    );
  const tag = `v${version}`;
  if (!git(root, "tag", "--points-at", "HEAD").split("\n").includes(tag))
    throw new CannotRun(`The commit has no tag ${tag}. Create it: git tag ${tag}`);
}

const headings = /^### (.+)$/gm;
const allowedHeadings = ["Added", "Improved", "Deprecated", "Removed", "Fixed"];

/** A version's part of CHANGELOG.md. @throws CannotRun if it is not there, or has other headings */
export function readSection(root: string, version: string): { date: string; notes: string } {
  const text = readFileSync(path.join(root, "CHANGELOG.md"), "utf8");
  const sections = text
    .split(/^(?=## )/m)
    .map((section) => ({ section, heading: section.split("\n")[0] ?? "" }));
  const found = sections.find(({ heading }) => heading.startsWith(`## ${version} - `));
  if (found === undefined) throw new CannotRun(`CHANGELOG.md has no section "## ${version} - <date>".`);
  const notes = found.section.slice(found.heading.length).trim();
  const wrong = [...notes.matchAll(headings)]
    .map(([, name = ""]) => name)
    .filter((name) => !allowedHeadings.includes(name));
  if (wrong.length > 0)
    throw new CannotRun(
      `CHANGELOG.md has the heading "${wrong[0]}"; it must be one of ${allowedHeadings.join(", ")}.`,
    );
  return { date: found.heading.slice(`## ${version} - `.length).trim(), notes };
}
