import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { CannotRun } from "../../../infra/command-line/options.ts";
import { progress } from "./report.ts";

export const thisBuild = resolve(import.meta.dirname, "../../..");

export interface Build extends Disposable {
  readonly directory: string;
}

/** A work tree with its packages, or a commit, which is put into a temporary folder. */
export function openBuild(given: string): Build {
  if (existsSync(join(given, "package.json"))) {
    if (!existsSync(join(given, "node_modules"))) throw new CannotRun(`Run npm ci in ${given} first.`);
    return { directory: resolve(given), [Symbol.dispose]: () => undefined };
  }
  const directory = mkdtempSync(join(tmpdir(), "bench-build-"));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    progress(`preparing ${given}`);
    unpackCommit(thisBuild, given, directory);
    execFileSync("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], {
      cwd: directory,
      stdio: ["ignore", "ignore", "inherit"],
    });
  } catch (error) {
    remove();
    throw error;
  }
  return { directory, [Symbol.dispose]: remove };
}

function unpackCommit(repository: string, commit: string, directory: string): void {
  let archive: Buffer;
  try {
    archive = execFileSync("git", ["archive", `${commit}^{commit}`], {
      cwd: repository,
      maxBuffer: 2 ** 30,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    throw new CannotRun(`${commit} is neither a work tree nor a commit.`);
  }
  execFileSync("tar", ["-x"], { cwd: directory, input: archive });
  // A clone of it is what git lists.
  execFileSync("git", ["init", "--quiet"], { cwd: directory });
}

/** What a clone of the work tree would have, with changes that are not committed. */
export function cloneFiles(from: string, to: string): void {
  const options = { cwd: from, maxBuffer: 2 ** 30 };
  const names = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], options);
  mkdirSync(dirname(to), { recursive: true });
  mkdirSync(to);
  const kept = names
    .toString()
    .split("\0")
    .filter((name) => name !== "" && existsSync(join(from, name)))
    .join("\0");
  const archive = execFileSync("tar", ["-c", "--null", "-T", "-"], { ...options, input: kept });
  execFileSync("tar", ["-x"], { cwd: to, input: archive });
}
