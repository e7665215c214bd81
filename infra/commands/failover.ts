import { declareCommand, runCommand } from "../command-line/command.ts";
import { findConnectionFile } from "../command-line/connection-file.ts";
import { choice, json, readTime, text, UsageError } from "../command-line/options.ts";
import { printJson, progress, say } from "../command-line/print.ts";
import type { Settings } from "../environments.ts";
import type { Store } from "./audit/connect-store.ts";
import { deployedRegions } from "./deploy/options.ts";
import type { UndoneTransaction } from "./failover/find-torn.ts";

export const command = declareCommand({
  name: "failover",
  summary: "lets another region write and serve, undoes there what it has in part, and copies it back",
  takes: [
    {
      name: "step",
      about:
        "prints the policy that says which region writes, undoes what came in part, sends events again, gives a region's gateway its usage keys, or copies tables",
      choices: ["policy", "undo", "republish", "usage-keys", "copy"],
    },
    {
      name: "subject",
      about: "policy, usage-keys: an environment; else a connection file of the region that is right",
    },
  ],
  options: {
    writes: text("<first|second|none>", "policy: the region that writes", "second"),
    region: choice(deployedRegions, "usage-keys: the region that lacks some", "second"),
    since: text(
      "<time>",
      "undo: all before it had come; republish: all before it were sent. UTC: 2026-11-22T14:02:00Z",
    ),
    to: text("<file>", "copy: a connection file of the region whose tables become as the others"),
    json,
  },
  notes: "The steps before and after it are in docs/second-region.md.",
  run: async ({ words: [step, subject = ""], options }) => {
    const steps: Readonly<Record<string, () => Promise<object>>> = {
      undo: () => onStore(subject, options.since, undo),
      republish: () => onStore(subject, options.since, republish),
      "usage-keys": () => usageKeys(subject, options.region),
      copy: () => copy(subject, options.to),
    };
    const run = steps[step ?? ""];
    if (run === undefined) {
      printJson(await policy(subject, options.writes));
      return;
    }
    const { orSay } = await import("../command-line/clean-up.ts");
    const again = ["npm run failover --", ...process.argv.slice(2)].join(" ");
    const result = await orSay(
      () => `${step} has not ended, so part of it may be done. To go on: ${again}`,
      run,
    );
    if (options.json) printJson(result);
  },
});

async function policy(environment: string, writes: string) {
  const { toEnvironmentName, readSettings } = await import("../environments.ts");
  const { writesOnlyIn } = await import("../constructs/writes-policy.ts");
  return writesOnlyIn(regionToWrite(readSettings(toEnvironmentName(environment)), writes));
}

function regionToWrite({ region, secondRegion }: Settings, writes: string): string | undefined {
  if (writes === "none") return undefined;
  if (writes === "first") return region;
  if (writes !== "second") throw new UsageError(`--writes is "${writes}"; it must be first, second or none.`);
  if (secondRegion === undefined) throw new UsageError("The environment has no second region.");
  return secondRegion.region;
}

async function copy(subject: string, to: string | undefined) {
  if (to === undefined) throw new UsageError("copy needs --to.");
  const { copyStore } = await import("./failover/copy-store.ts");
  return copyStore(findConnectionFile(subject), findConnectionFile(to), say);
}

async function usageKeys(environment: string, region: "first" | "second") {
  const { useRegion } = await import("./failover/use-region.ts");
  await useRegion(environment, region);
  const { giveUsageKeys } = await import("./failover/usage-keys.ts");
  const { owners, given } = await giveUsageKeys(progress);
  say(`${given.length} of ${owners} Programs and Tenants lacked a usage key, and have it.`);
  return { owners, given };
}

async function onStore<T extends object>(
  file: string,
  given: string | undefined,
  run: (store: Store, since: Date) => Promise<T>,
): Promise<T> {
  const since = readTime("since", given);
  const { openStore } = await import("./audit/connect-store.ts");
  return run(openStore(file).store, since);
}

async function undo({ region, endpoint, issuingTable, accountsTable }: Store, since: Date) {
  const [{ DynamoDBClient }, { DynamoDBStreamsClient }, { undoTorn }] = await Promise.all([
    import("@aws-sdk/client-dynamodb"),
    import("@aws-sdk/client-dynamodb-streams"),
    import("./failover/undo-torn.ts"),
  ]);
  const streams = new DynamoDBStreamsClient({ region, ...(endpoint !== undefined && { endpoint }) });
  const tables = [issuingTable, accountsTable];
  const replica = { dynamo: new DynamoDBClient({ region }), streams, tables };
  const undone = await undoTorn(replica, since, sayUndone);
  say(`${undone.length} transactions are undone.`);
  return { undone };
}

function sayUndone(undone: readonly UndoneTransaction[]): void {
  say(`${undone.length} transactions are being undone.`);
  for (const { id, isTorn, items } of undone) {
    say(`${id}: ${isTorn ? "came in part" : "wrote upon one that came in part"}`);
    for (const item of items) say(`  ${item}`);
  }
}

async function republish(_: Store, since: Date) {
  const { republishEvents } = await import("./restore/republish-events.ts");
  const republished = await republishEvents(since);
  say(`${republished} events are sent again.`);
  return { republished };
}

if (import.meta.main) await runCommand(command);
