import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { say, sayStep } from "../../command-line/print.ts";
import { restoredTableName } from "../../constructs/names.ts";
import type { EnvironmentName, Settings } from "../../environments.ts";
import { stackName } from "../../stacks/stack-parts.ts";
import { useStore, writeStoreFile } from "../audit/connect-store.ts";
import { deployableSettings, isEmulated } from "../deploy/environment-checks.ts";
import { DeployedStacks } from "../deploy/stacks.ts";
import { type LostChange, lostChanges } from "./changes-to-repeat.ts";
import { finishRestore } from "./finish-restore.ts";
import {
  checkRestorable,
  findSource,
  importTables,
  startRestore,
  type TableRestore,
} from "./restore-tables.ts";

export interface RestoreOptions {
  readonly environment: EnvironmentName;
  readonly to: Date;
  readonly connections: string;
  readonly pollMs: number;
  /** Whether more follows in this process: the next steps are not printed then. */
  readonly isPart?: boolean;
}

const Outputs = z.object({
  IssuingTableName: z.string(),
  AccountsTableName: z.string(),
  RecordsBucketName: z.string(),
});

/** The stream keeps records for 24 hours; the relay accepts them for 12. */
const unrelayedMs = 24 * 3_600_000;

export type RestoreResult =
  | {
      readonly serves: false;
      /** `npm run audit` reads it. */
      readonly storeFile: string;
      /** Outputs that the next deployment has to accept as changed. */
      readonly accepted: readonly string[];
    }
  | { readonly serves: true; readonly changesToRepeat: readonly string[] };

/** What is restored, and where to. */
async function planRestore({ environment, to, pollMs }: RestoreOptions) {
  const settings = deployableSettings(environment, { isEmulated: isEmulated(process.env) });
  const { name, region } = settings;
  const dataStack = stackName(name, "data");
  const stack = await new DeployedStacks(region).find(dataStack);
  if (stack === undefined) throw new Error(`The stack ${dataStack} does not exist.`);
  const sources = Outputs.parse(stack.outputs);
  const restoredName = (table: "issuing" | "accounts") => restoredTableName(name, table, to.toISOString());
  const tables = { IssuingTable: restoredName("issuing"), AccountsTable: restoredName("accounts") };
  const dynamo = new DynamoDBClient({ region });
  const common = { to, units: settings.tableUnits, pollMs, say: sayStep };
  const restores: TableRestore[] = [
    { dynamo, source: sources.IssuingTableName, target: tables.IssuingTable, ...common },
    { dynamo, source: sources.AccountsTableName, target: tables.AccountsTable, ...common },
  ];
  const records = { bucket: sources.RecordsBucketName };
  const store = { region, issuingTable: tables.IssuingTable, accountsTable: tables.AccountsTable, records };
  const serves = restores.some(({ source, target }) => source === target);
  return { settings, dataStack, outputs: stack.outputs, tables, restores, store, serves };
}

/** Changes nothing. Throws an Error with the possible period. */
export async function checkTime(options: RestoreOptions): Promise<void> {
  const { restores, serves } = await planRestore(options);
  if (!serves) for (const restore of restores) await checkRestorable(restore);
}

/**
 * Restores both tables to one second, resends events and imports the tables into the data stack.
 * After the next deployment, it lists the undone changes to repeat.
 */
export async function restoreEnvironment(options: RestoreOptions): Promise<RestoreResult> {
  const { to, connections, isPart = false } = options;
  const { settings, dataStack, outputs, tables, restores, store, serves } = await planRestore(options);
  const { name, region } = settings;
  if (serves) {
    writeStoreFile(connections, name, "restored", store);
    const lost = await findLostChanges({ name, region }, tables.AccountsTable);
    if (!isPart) sayChangesToRepeat(name, tables.AccountsTable, lost);
    return { serves: true, changesToRepeat: lost.map(({ line }) => line) };
  }
  for (const restore of restores) await checkRestorable(restore);
  for (const restore of restores) await startRestore(restore);
  for (const restore of restores) await finishRestore(restore);
  useStore(store);
  const unrelayed = new Date(to.getTime() - unrelayedMs);
  // Imported late because it reads the environment.
  const { republishEvents } = await import("./republish-events.ts");
  sayStep(
    `Events of the 24 hours before that time, to be resent when the environment serves: ${await republishEvents(unrelayed)}`,
  );
  const { isImported, former } = await importTables({ region, stackName: dataStack, to, tables });
  sayStep(`${dataStack}: the restored tables are ${isImported ? "imported" : "already there"}`);
  const file = writeStoreFile(connections, name, "restored", store);
  // Other stacks refer to the former tables by these outputs until the next deployment.
  const published = Object.keys(outputs).filter((output) =>
    /^PublishOutput.*(Issuing|Accounts)Table/.test(output),
  );
  const accepted = [...published, ...former];
  if (!isPart) sayNextSteps(name, { to, file, accepted });
  return { serves: false, storeFile: file, accepted };
}

function sayNextSteps(
  name: string,
  { to, file, accepted }: { readonly to: Date; readonly file: string; readonly accepted: readonly string[] },
): void {
  const second = `${to.toISOString().slice(0, 19)}Z`;
  const options = accepted.map((output) => ` --accept ${output}`).join("");
  say(`
Nothing uses the restored tables yet. Next steps (see docs/restore.md):

  npm run audit -- ${file}
  in infra/environments.ts, ${name}: restoredTo: "${second}"
  npm run deploy -- ${name} --no-caller${options}

Access that was revoked after ${second} is open again. After the deployment, and before you admit callers, repeat this command:
it prints the commands that close it.`);
}

/** What the restored table does not know of the one that it was restored from. */
export async function findLostChanges(
  { name: environment, region }: Pick<Settings, "name" | "region">,
  restored: string,
): Promise<LostChange[]> {
  const dynamo = new DynamoDBClient({ region });
  const former = await findSource({ dynamo, target: restored });
  return lostChanges({ client: DynamoDBDocumentClient.from(dynamo), former, restored, environment });
}

function sayChangesToRepeat(environment: string, restored: string, changes: readonly LostChange[]): void {
  const lines = changes.length > 0 ? changes.map(({ line }) => line) : ["(none)"];
  say(`${environment} serves from ${restored}. The restore has undone these changes. Repeat them in this order before you admit callers:

${lines.map((line) => `  ${line}`).join("\n")}`);
}
