import { declareCommand, runCommand } from "../command-line/command.ts";
import { flag, json, number, readTime, text, UsageError, type Values } from "../command-line/options.ts";
import { printJson, sayStep } from "../command-line/print.ts";
import { deployedNames } from "../constructs/environment-names.ts";
import { deployOptions } from "./deploy/options.ts";

const options = {
  to: text("<time>", "time to restore to, UTC, whole seconds: 2026-11-22T14:02:00Z"),
  "accept-faults": flag("goes on although the audit found faults, which you have looked at"),
  "changes-repeated": flag("goes on: you have decided about the changes that it listed"),
  abandon: flag("lets traffic in again without the restore; the restored tables stay, unused"),
  "tables-only": flag("only restores the tables beside the current ones, which go on serving"),
  connections: text(
    "<folder>",
    "for the store file that npm run audit reads, and how far it is",
    ".deployed",
  ),
  poll: number("seconds between checks of what AWS does", { least: 0.1, isFractional: true, fallback: 10 }),
  // What its deployments take too.
  caller: deployOptions.caller,
  "caller-domain": deployOptions["caller-domain"],
  patience: deployOptions.patience,
  "ignore-quotas": deployOptions["ignore-quotas"],
  "ignore-trail": deployOptions["ignore-trail"],
  json,
};

export const command = declareCommand({
  name: "restore",
  summary:
    "stops traffic, restores both tables to one second, lets the functions use them, checks, and lets traffic in again",
  takes: [{ name: "environment", about: "a deployed one", choices: deployedNames }],
  options,
  notes: "Run it again after a failure or Ctrl-C: it goes on where it stopped (docs/restore.md).",
  run: async ({ words: [name = ""], options: given }) => {
    const to = readTime("to", given.to);
    const decided = (["abandon", "tables-only", "accept-faults", "changes-repeated"] as const).filter(
      (one) => given[one],
    );
    if (decided.length > 1 && (given.abandon || given["tables-only"]))
      throw new UsageError(`--${decided.join(" and --")} exclude each other.`);
    const { toEnvironmentName } = await import("../environments.ts");
    const environment = toEnvironmentName(name);
    const part = { environment, to, connections: given.connections, pollMs: given.poll * 1_000 };
    if (!given["tables-only"]) {
      await restoreAll(part, given);
      if (given.json) printJson({ restoredTo: given.to, isAbandoned: given.abandon });
      return true;
    }
    await checkedSettings(environment);
    const { restoreEnvironment } = await import("./restore/restore-environment.ts");
    const { serves: _, ...result } = await restoreEnvironment(part);
    if (given.json) printJson(result);
    return true;
  },
});

type Part = Parameters<typeof import("./restore/restore-environment.ts").restoreEnvironment>[0];

async function checkedSettings(environment: Part["environment"]) {
  const { checkCredentials, deployableSettings, isEmulated } = await import("./deploy/environment-checks.ts");
  const settings = deployableSettings(environment, { isEmulated: isEmulated(process.env) });
  sayStep(`Credentials: ${await checkCredentials(settings)}`);
  return settings;
}

async function restoreAll(part: Part, given: Values<typeof options>): Promise<void> {
  const { default: path } = await import("node:path");
  const { restoreStamp } = await import("../constructs/names.ts");
  const { ProgressFile } = await import("./restore/progress-file.ts");
  const { AwsRestoration } = await import("./restore/aws-restoration.ts");
  const { abandonRestore, restoreWhole } = await import("./restore/whole-restore.ts");
  const settings = await checkedSettings(part.environment);
  const second = `${part.to.toISOString().slice(0, 19)}Z`;
  const file = path.join(part.connections, settings.name, `restore-${restoreStamp(second)}.json`);
  const progress = new ProgressFile(file, `npm run restore -- ${settings.name} --to ${second}`);
  const steps = new AwsRestoration({ settings, options: part, deploy: given, progress });
  if (given.abandon) return abandonRestore(steps, progress);
  const decisions = { acceptsFaults: given["accept-faults"], hasRepeated: given["changes-repeated"] };
  await restoreWhole(steps, progress, decisions, sayStep);
}

if (import.meta.main) await runCommand(command);
