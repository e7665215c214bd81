import { declareCommand, runCommand } from "../command-line/command.ts";
import { findConnectionFile } from "../command-line/connection-file.ts";
import { json, text, UsageError } from "../command-line/options.ts";
import { printJson, say } from "../command-line/print.ts";

export const command = declareCommand({
  name: "failover",
  summary: "lets another region write, undoes there what it has in part, and copies it back",
  takes: [
    {
      name: "step",
      about: "prints the policy that says which region writes, undoes what came in part, or copies tables",
      choices: ["policy", "undo", "copy"],
    },
    { name: "subject", about: "policy: an environment; else a connection file of the region that is right" },
  ],
  options: {
    writes: text("<first|second|none>", "policy: the region that writes", "second"),
    since: text("<time>", "undo: all before it had come, UTC: 2026-11-22T14:02:00Z"),
    to: text("<file>", "copy: a connection file of the region whose tables become as the others"),
    json,
  },
  notes: "The steps before and after it are in docs/second-region.md.",
  run: async ({ words: [step, subject = ""], options }) => {
    if (step === "policy") {
      const { toEnvironmentName, settingsOf } = await import("../environments.ts");
      const { writesOnlyIn } = await import("../constructs/writes-policy.ts");
      printJson(writesOnlyIn(writingRegion(settingsOf(toEnvironmentName(subject)), options.writes)));
      return;
    }
    if (step === "copy") {
      if (options.to === undefined) throw new UsageError("copy needs --to.");
      const { copyStore } = await import("./failover/copy-store.ts");
      const copied = await copyStore(findConnectionFile(subject), findConnectionFile(options.to), say);
      if (options.json) printJson(copied);
      return;
    }
    const z = await import("zod");
    const { success, data: since } = z.iso.datetime({ precision: 0 }).safeParse(options.since);
    if (!success)
      throw new UsageError(
        `--since is "${options.since ?? ""}"; it must be a UTC time in whole seconds, such as 2026-11-22T14:02:00Z.`,
      );
    const { readStore, useStore } = await import("./audit/connect-store.ts");
    const store = readStore(findConnectionFile(subject));
    useStore(store);
    const [{ DynamoDBClient }, { DynamoDBStreamsClient }, { undoTorn }] = await Promise.all([
      import("@aws-sdk/client-dynamodb"),
      import("@aws-sdk/client-dynamodb-streams"),
      import("./failover/undo-torn.ts"),
    ]);
    const { region, endpoint } = store;
    const streams = new DynamoDBStreamsClient({ region, ...(endpoint !== undefined && { endpoint }) });
    const tables = [store.issuingTable, store.accountsTable];
    const undone = await undoTorn(
      { dynamo: new DynamoDBClient({ region }), streams, tables },
      new Date(since),
    );
    for (const { id, isTorn, items } of undone) {
      say(`${id}: ${isTorn ? "came in part" : "wrote upon one that came in part"}`);
      for (const item of items) say(`  ${item}`);
    }
    say(`${undone.length} transactions are undone.`);
    if (options.json) printJson({ undone });
  },
});

interface Regions {
  readonly region: string;
  readonly secondRegion?: { readonly region: string } | undefined;
}

function writingRegion({ region, secondRegion }: Regions, writes: string): string | undefined {
  if (writes === "none") return undefined;
  if (writes === "first") return region;
  if (writes !== "second") throw new UsageError(`--writes is "${writes}"; it must be first, second or none.`);
  if (secondRegion === undefined) throw new UsageError("The environment has no second region.");
  return secondRegion.region;
}

if (import.meta.main) await runCommand(command);
