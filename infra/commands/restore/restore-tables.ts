import {
  CloudFormationClient,
  CreateChangeSetCommand,
  ExecuteChangeSetCommand,
  waitUntilChangeSetCreateComplete,
  waitUntilStackImportComplete,
} from "@aws-sdk/client-cloudformation";
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
} from "@aws-sdk/client-dynamodb";
import * as z from "zod";
import { restoredLogicalId, restoreStamp } from "../../constructs/names.ts";
import type { Settings } from "../../environments.ts";
import { DeployedStacks } from "../deploy/stacks.ts";
import { unlessMissing } from "../unless-missing.ts";

export interface TableRestore {
  readonly dynamo: DynamoDBClient;
  readonly source: string;
  readonly target: string;
  readonly to: Date;
  readonly units: Settings["tableUnits"];
  readonly pollMs: number;
  readonly say: (line: string) => void;
}

/**
 * Throws an Error with the possible period. A table that is there already may be older: AWS Backup
 * has restored it from a copy.
 */
export async function checkRestorable(restore: TableRestore): Promise<void> {
  const { dynamo, source, to } = restore;
  if ((await describe(restore)) !== undefined) return;
  const { ContinuousBackupsDescription: backups } = await dynamo.send(
    new DescribeContinuousBackupsCommand({ TableName: source }),
  );
  const span = backups?.PointInTimeRecoveryDescription;
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } = span ?? {};
  if (earliest === undefined || latest === undefined)
    throw new Error(`${source} cannot be restored, because it has no point-in-time recovery.`);
  if (to < earliest || to > latest) {
    const [from, until] = [earliest, latest].map((time) => time.toISOString());
    throw new Error(
      `${source} cannot be restored to ${to.toISOString()}. The time must be between ${from} and ${until}.`,
    );
  }
}

/** Does nothing if it has started already. Does not wait for it. */
export async function startRestore(restore: TableRestore): Promise<void> {
  const { dynamo, source, target, to, say } = restore;
  const found = await describe(restore);
  if (found === undefined) {
    await dynamo.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: source,
        TargetTableName: target,
        RestoreDateTime: to,
      }),
    );
    say(`${target}: being restored from ${source}`);
    return;
  }
  const at = found.RestoreSummary?.RestoreDateTime;
  if (at?.getTime() !== to.getTime()) {
    throw new Error(
      `${target} exists but was not restored to ${to.toISOString()}. Delete it, or choose another time.`,
    );
  }
  say(`${target}: already restored`);
}

export async function findSource(restored: Pick<TableRestore, "dynamo" | "target">): Promise<string> {
  const source = (await describe(restored))?.RestoreSummary?.SourceTableArn?.split("/").at(-1);
  if (source === undefined)
    throw new Error(`${restored.target} is not a restored table: its source is unknown.`);
  return source;
}

export async function describe({
  dynamo,
  target,
}: Pick<TableRestore, "dynamo" | "target">): Promise<TableDescription | undefined> {
  const asked = dynamo.send(new DescribeTableCommand({ TableName: target }));
  return (await unlessMissing(asked, ResourceNotFoundException))?.Table;
}

/** CloudFormation's size limit of an inline template. */
const maximumTemplateBytes = 51_200;

const Template = z.looseObject({ Resources: z.record(z.string(), z.looseObject({ Type: z.string() })) });

interface TableImport {
  readonly region: string;
  readonly stackName: string;
  readonly to: Date;
  readonly tables: Readonly<Record<"IssuingTable" | "AccountsTable", string>>;
}

const stamped = /\d{8}T\d{6}Z$/;

/**
 * Imports the restored tables into the stack, declared like their predecessors. An import may
 * change nothing else, not even outputs. Idempotent. Returns the logical ids of earlier restores'
 * tables, too: the next deployment only detaches them.
 */
export async function importTables({ region, stackName, to, tables }: TableImport) {
  const cloudFormation = new CloudFormationClient({ region });
  const waiting = { client: cloudFormation, maxWaitTime: 1_800 };
  const deployed = new DeployedStacks(region);
  const stack = await deployed.find(stackName);
  // A run that was ended has begun it.
  if (stack?.status === "IMPORT_IN_PROGRESS")
    await waitUntilStackImportComplete(waiting, { StackName: stackName });
  const template = Template.parse(await deployed.template(stackName));
  const stamp = restoreStamp(to.toISOString());
  const added = (["IssuingTable", "AccountsTable"] as const).map((table) => ({
    id: restoredLogicalId(table, to.toISOString()),
    declared: declaredTable(template.Resources, table),
    TableName: tables[table],
  }));
  const former = Object.entries(template.Resources)
    .filter(([id, { Type }]) => Type === "AWS::DynamoDB::GlobalTable" && stamped.test(id))
    .map(([id]) => id)
    .filter((id) => !added.some((one) => one.id === id));
  if (added.every(({ id }) => id in template.Resources)) return { isImported: false, former };
  for (const { id, declared, TableName } of added) {
    if (declared === undefined) throw new Error(`${stackName} has no table that ${TableName} could replace.`);
    const Properties = { ...ofRegion(declared.Properties, region), TableName };
    // Retained even if the import fails.
    const policies = { DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" };
    template.Resources[id] = { ...declared, Properties, ...policies };
  }
  const imported = JSON.stringify(template);
  if (Buffer.byteLength(imported) > maximumTemplateBytes) {
    throw new Error(
      `The template of ${stackName} with the restored tables has more than ${maximumTemplateBytes} bytes. ` +
        "First remove the tables of former restores from it; they stay in the account.",
    );
  }
  const { Id: ChangeSetName, StackId: StackName } = await cloudFormation.send(
    new CreateChangeSetCommand({
      StackName: stackName,
      ChangeSetName: `restore-${stamp}-${Date.now()}`,
      ChangeSetType: "IMPORT",
      TemplateBody: imported,
      Capabilities: ["CAPABILITY_NAMED_IAM"],
      Parameters: [...(stack?.parameters ?? [])].map((ParameterKey) => ({
        ParameterKey,
        UsePreviousValue: true,
      })),
      ResourcesToImport: added.map(({ id, TableName }) => ({
        ResourceType: "AWS::DynamoDB::GlobalTable",
        LogicalResourceId: id,
        ResourceIdentifier: { TableName },
      })),
    }),
  );
  await waitUntilChangeSetCreateComplete(waiting, { StackName, ChangeSetName });
  await cloudFormation.send(new ExecuteChangeSetCommand({ StackName, ChangeSetName }));
  await waitUntilStackImportComplete(waiting, { StackName });
  return { isImported: true, former };
}

/** A restored table is of one region: the next deployment adds the second. */
function ofRegion(declared: unknown, region: string): object {
  const properties = declared as { readonly Replicas: readonly { Region: string }[] };
  return { ...properties, Replicas: properties.Replicas.filter((replica) => replica.Region === region) };
}

function declaredTable(resources: z.output<typeof Template>["Resources"], table: string) {
  return Object.entries(resources).find(
    ([id, { Type }]) => Type === "AWS::DynamoDB::GlobalTable" && id.startsWith(table),
  )?.[1];
}
