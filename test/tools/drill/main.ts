import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import { flag, json, seed } from "../../../infra/command-line/options.ts";
import { printJson, say } from "../../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "drill",
  summary: "practises on this machine, and times each step: a restore, or the loss of a region",
  options: {
    "second-copy": flag("loses tables and buckets, and restores them from the copy of another account"),
    "second-region": flag("loses a region, fails over to the other one, and back"),
    seed,
    json,
  },
  failsIf: "the drill failed",
  run: async ({ options }) => {
    process.env.TZ = "UTC";
    const { practise } = await import("./practice.ts");
    const steps = await practise(say, await chosen(options));
    say("The drill passed.");
    if (options.json) printJson({ steps });
  },
});

interface Options {
  readonly "second-copy": boolean;
  readonly "second-region": boolean;
  readonly seed: number | undefined;
}

async function chosen({ seed: given = Date.now() % 1_000_000, ...options }: Options) {
  if (options["second-copy"]) return (await import("./second-copy.ts")).secondCopyDrill;
  if (!options["second-region"]) return (await import("./drill.ts")).drill;
  const { secondRegionDrill } = await import("./second-region-drill.ts");
  say(`What the second region gets late is chosen by the seed ${given}.`);
  return secondRegionDrill(given);
}

if (import.meta.main) await runCommand(command);
