import { declareCommand, runCommand } from "../../infra/command-line/command.ts";
import { flag } from "../../infra/command-line/options.ts";

export const command = declareCommand({
  name: "release",
  summary: "checks a tagged version by everything there is, and packs it in .release",
  options: {
    "dry-run": flag("needs no tag and no date, and names the checks that take long instead of running them"),
  },
  failsIf: "a check failed",
  notes: `Exit code 2: the tree has changes, the tag or the section of CHANGELOG.md is missing, or versions differ.
docs/release.md has the steps.`,
  run: async ({ options }) => {
    const { release, runInherited } = await import("./release/release.ts");
    return release({ root: process.cwd(), isDry: options["dry-run"], run: runInherited });
  },
});

if (import.meta.main) await runCommand(command);
