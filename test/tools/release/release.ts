import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { say, sayStep } from "../../../infra/command-line/print.ts";
import { packRelease } from "./pack.ts";
import { readVersion, refuseUnready } from "./readiness.ts";

/** Runs a program in the folder, with more variables, and returns its exit code. */
export type Run = (
  words: readonly string[],
  folder: string,
  variables?: Readonly<Record<string, string>>,
) => number;

export interface ReleaseOptions {
  readonly root: string;
  readonly isDry: boolean;
  readonly run: Run;
}

/** Everything that says whether a version is fit, in the order of what is known soonest. */
export const releaseChecks: readonly (readonly string[])[] = [
  ["npm", "run", "check"],
  ["npm", "run", "licences"],
  ["npm", "run", "site"],
  ["npm", "run", "openapi"],
  ["npm", "test"],
  ["npm", "run", "proofs", "--", "--project", "grants"],
  ["npm", "run", "bench"],
];

export const runInherited: Run = ([program = "", ...words], folder, variables = {}) =>
  spawnSync(program, words, { cwd: folder, stdio: "inherit", env: { ...process.env, ...variables } })
    .status ?? 1;

/** `false` if a check failed. @throws CannotRun if the version is not ready to be released */
export async function release({ root, isDry, run }: ReleaseOptions): Promise<boolean> {
  const version = readVersion(root);
  refuseUnready({ root, version, isDry });
  if (isDry) for (const words of releaseChecks) sayStep(`not run: ${words.join(" ")}`);
  else {
    const failed = firstFailed(root, run);
    if (failed) {
      say(`${failed.join(" ")} failed. Nothing is packed.`);
      return false;
    }
  }
  // What the checks generate is committed, or it is not of this version.
  refuseUnready({ root, version, isDry });
  const folder = packRelease({ root, version, run });
  say(`Version ${version} is in ${folder}.`);
  return true;
}

function firstFailed(root: string, run: Run): readonly string[] | undefined {
  const notes = mkdtempSync(path.join(tmpdir(), "release-"));
  // The grants that the tests need count for the proofs, as in CI.
  const variables = { USED_GRANTS_FILE: path.join(notes, "used-grants") };
  try {
    return releaseChecks.find((words) => run(words, root, variables) !== 0);
  } finally {
    rmSync(notes, { recursive: true, force: true });
  }
}
