import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { say, sayStep } from "../../command-line/print.ts";
import { restoredTableName } from "../../constructs/names.ts";
import type { EnvironmentName } from "../../environments.ts";
import { stackName } from "../../stacks/stack-parts.ts";
import { useStore, writeStoreFile } from "../audit/connect-store.ts";
import { checkCredentials, deployableSettings, isEmulated } from "../deploy/environment-checks.ts";
import { DeployedStacks } from "../deploy/stacks.ts";
import { changesToRepeat } from "./changes-to-repeat.ts";
import { finishRestore } from "./finish-restore.ts";
import {
  checkRestorable,
  findSource,
  importTables,
  startRestore,
  type TableRestore,
} from "./restore-tables.ts";

interface RestoreOptions {
  readonly environment: EnvironmentName;
  readonly to: Date;
  readonly connections: string;
  readonly pollMs: number;
}

const Outputs = z.object({
  IssuingTableName: z.string(),
  AccountsTableName: z.string(),
  RecordsBucketName: z.string(),
});

/** The stream keeps records for 24 hours; the relay accepts them for 12. */
const unrelayedMs = 24 * 3_600_000;

type RestoreResult =
  | {
      /** `npm run audit` reads it. */
      readonly storeFile: string;
      /** Outputs that the next deployment has to accept as changed. */
      readonly accepted: readonly string[];
    }
  | { readonly changesToRepeat: readonly string[] };

/**
 * Restores both tables to one second, resends events and imports the tables into the data stack.
 * After the next deployment, it lists the undone changes to repeat.
 */
export async function restoreEnvironment(options: RestoreOptions): Promise<RestoreResult> {
  const { environment, to, connections, pollMs } = options;
  const settings = deployableSettings(environment, { isEmulated: isEmulated(process.env) });
  const { name, region } = settings;
  sayStep(`Credentials: ${await checkCredentials(settings)}`);
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
  if (restores.some(({ source, target }) => source === target)) {
    return { changesToRepeat: await sayChangesToRepeat(name, dynamo, tables.AccountsTable) };
  }
  for (const restore of restores) await checkRestorable(restore);
  for (const restore of restores) await startRestore(restore);
  for (const restore of restores) await finishRestore(restore);
  const records = { bucket: sources.RecordsBucketName };
  const store = { region, issuingTable: tables.IssuingTable, accountsTable: tables.AccountsTable, records };
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
  const outputs = Object.keys(stack.outputs).filter((output) =>
    /^PublishOutput.*(Issuing|Accounts)Table/.test(output),
  );
  const accepted = [...outputs, ...former];
  sayNextSteps(name, { to, file, accepted });
  return { storeFile: file, accepted };
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

async function sayChangesToRepeat(
  environment: string,
  dynamo: DynamoDBClient,
  restored: string,
): Promise<string[]> {
  const former = await findSource({ dynamo, target: restored });
  const client = DynamoDBDocumentClient.from(dynamo);
  const changes = await changesToRepeat({ client, former, restored, environment });
  say(`${environment} serves from ${restored}. The restore has undone these changes. Repeat them in this order before you admit callers:

${(changes.length > 0 ? changes : ["(none)"]).map((line) => `  ${line}`).join("\n")}`);
  return changes;
}
