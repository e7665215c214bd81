import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { sayStep as say } from "../../command-line/print.ts";
import { restoredTableName } from "../../constructs/names.ts";
import type { EnvironmentName } from "../../environments.ts";
import { stackName } from "../../stacks/stack-parts.ts";
import { useStore } from "../audit/connect-store.ts";
import { checkCredentials, deployableSettings, isEmulated } from "../deploy/environment-checks.ts";
import { DeployedStacks } from "../deploy/stacks.ts";
import { changesToRepeat } from "./changes-to-repeat.ts";
import {
  checkRestorable,
  finishRestore,
  importTables,
  sourceOf,
  startRestore,
  type TableRestore,
} from "./restore-tables.ts";

export interface RestoreOptions {
  readonly environment: EnvironmentName;
  readonly to: Date;
  readonly connections: string;
  readonly pollMs: number;
}

const Outputs = z.object({ IssuingTableName: z.string(), AccountsTableName: z.string() });

/**
 * Restores both tables to one second, resends events and imports the tables into the data stack.
 * After the next deployment, it lists the undone changes to repeat.
 */
export async function restoreEnvironment(options: RestoreOptions): Promise<void> {
  const { environment, to, connections, pollMs } = options;
  const settings = deployableSettings(environment, { isEmulated: isEmulated(process.env) });
  const { name, region } = settings;
  say(`Credentials: ${await checkCredentials(settings)}`);
  const dataStack = stackName(name, "data");
  const stack = await new DeployedStacks(region).find(dataStack);
  if (stack === undefined) throw new Error(`The stack ${dataStack} does not exist.`);
  const sources = Outputs.parse(stack.outputs);
  const targetOf = (table: "issuing" | "accounts") => restoredTableName(name, table, to.toISOString());
  const tables = { IssuingTable: targetOf("issuing"), AccountsTable: targetOf("accounts") };
  const dynamo = new DynamoDBClient({ region });
  const restores: TableRestore[] = [
    { dynamo, source: sources.IssuingTableName, target: tables.IssuingTable, to, pollMs, say },
    { dynamo, source: sources.AccountsTableName, target: tables.AccountsTable, to, pollMs, say },
  ];
  if (restores.some(({ source, target }) => source === target)) {
    await sayChangesToRepeat(name, dynamo, tables.AccountsTable);
    return;
  }
  for (const restore of restores) await checkRestorable(restore);
  for (const restore of restores) await startRestore(restore);
  for (const restore of restores) await finishRestore(restore);
  const store = { region, issuingTable: tables.IssuingTable, accountsTable: tables.AccountsTable };
  useStore(store);
  // Imported late because it reads the environment.
  const { republishEvents } = await import("./republish-events.ts");
  say(
    `Events of the 24 hours before that time, to be resent when the environment serves: ${await republishEvents(to)}`,
  );
  const { isImported, former } = await importTables({ region, stackName: dataStack, to, tables });
  say(`${dataStack}: the restored tables are ${isImported ? "imported" : "already there"}`);
  const file = path.join(connections, name, "restored.json");
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify({ store }, null, 2)}\n`);
  // Other stacks refer to the former tables by these outputs until the next deployment.
  const outputs = Object.keys(stack.outputs).filter((output) =>
    /^PublishOutput.*(Issuing|Accounts)Table/.test(output),
  );
  sayNextSteps(name, { to, file, accepted: [...outputs, ...former] });
}

function sayNextSteps(
  name: string,
  { to, file, accepted }: { readonly to: Date; readonly file: string; readonly accepted: readonly string[] },
): void {
  const second = `${to.toISOString().slice(0, 19)}Z`;
  const options = accepted.map((output) => ` --accept ${output}`).join("");
  console.log(`
Nothing uses the restored tables yet. Next steps (see docs/restore.md):

  npm run audit -- ${file}
  in infra/environments.ts, ${name}: restoredTo: "${second}"
  npm run deploy -- ${name} --no-caller${options}

Access that was revoked after ${second} is open again. After the deployment, and before you admit callers, repeat this command:
it prints the commands that close it.`);
}

async function sayChangesToRepeat(environment: string, dynamo: DynamoDBClient, restored: string) {
  const former = await sourceOf({ dynamo, target: restored });
  const client = DynamoDBDocumentClient.from(dynamo);
  const changes = await changesToRepeat({ client, former, restored, environment });
  console.log(`${environment} serves from ${restored}. The restore has undone these changes. Repeat them in this order before you admit callers:

${(changes.length > 0 ? changes : ["(none)"]).map((line) => `  ${line}`).join("\n")}`);
}
