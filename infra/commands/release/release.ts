import { spawnSync } from "node:child_process";
import { say, sayStep } from "../../command-line/print.ts";
import { packRelease } from "./pack.ts";
import { readVersion, refuseUnready } from "./readiness.ts";

/** Runs a program in the folder, and returns its exit code. */
export type Run = (words: readonly string[], folder: string) => number;

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

export const runInherited: Run = ([program = "", ...words], folder) =>
  spawnSync(program, words, { cwd: folder, stdio: "inherit" }).status ?? 1;

/** `false` if a check failed. @throws CannotRun if the version is not ready to be released */
export async function release({ root, isDry, run }: ReleaseOptions): Promise<boolean> {
  const version = readVersion(root);
  refuseUnready({ root, version, isDry });
  for (const words of releaseChecks) {
    if (isDry) sayStep(`not run: ${words.join(" ")}`);
    else if (run(words, root) !== 0) {
      say(`${words.join(" ")} failed. Nothing is packed.`);
      return false;
    }
  }
  // What the checks generate is committed, or it is not of this version.
  refuseUnready({ root, version, isDry });
  const folder = packRelease({ root, version, run });
  say(`Version ${version} is in ${folder}.`);
  return true;
}
