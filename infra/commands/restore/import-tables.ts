import {
  CloudFormationClient,
  CreateChangeSetCommand,
  DescribeStacksCommand,
  ExecuteChangeSetCommand,
  GetTemplateCommand,
  waitUntilChangeSetCreateComplete,
  waitUntilStackImportComplete,
} from "@aws-sdk/client-cloudformation";
import * as z from "zod";
import { restoredLogicalId, restoreStamp } from "../../constructs/restored-names.ts";

/** CloudFormation's size limit of an inline template. */
const maximumTemplateBytes = 51_200;

const Template = z.looseObject({ Resources: z.record(z.string(), z.looseObject({ Type: z.string() })) });

export interface TableImport {
  readonly region: string;
  readonly stackName: string;
  readonly to: Date;
  /** Names of the restored tables. */
  readonly tables: Readonly<Record<"IssuingTable" | "AccountsTable", string>>;
}

export interface TableImported {
  /** False if the stack contained them already. */
  readonly isImported: boolean;
  /** Logical ids of earlier restores' tables. The next deployment only detaches them. */
  readonly former: readonly string[];
}

const stamped = /\d{8}T\d{6}Z$/;

/**
 * Imports the restored tables into the stack, declared like their predecessors. An import may
 * change nothing else, not even outputs. Idempotent.
 */
export async function importTables({ region, stackName, to, tables }: TableImport): Promise<TableImported> {
  const cloudFormation = new CloudFormationClient({ region });
  const { TemplateBody = "{}" } = await cloudFormation.send(
    new GetTemplateCommand({ StackName: stackName, TemplateStage: "Original" }),
  );
  const template = Template.parse(JSON.parse(TemplateBody));
  const stamp = restoreStamp(to.toISOString());
  const added = (["IssuingTable", "AccountsTable"] as const).map((table) => ({
    id: restoredLogicalId(table, to.toISOString()),
    declared: declaredTable(template.Resources, table),
    TableName: tables[table],
  }));
  const former = Object.entries(template.Resources)
    .filter(([id, { Type }]) => Type === "AWS::DynamoDB::Table" && stamped.test(id))
    .map(([id]) => id)
    .filter((id) => !added.some((one) => one.id === id));
  if (added.every(({ id }) => id in template.Resources)) return { isImported: false, former };
  for (const { id, declared, TableName } of added) {
    if (declared === undefined) throw new Error(`${stackName} has no table that ${TableName} could replace.`);
    const Properties = { ...(declared.Properties as object), TableName };
    // Retained even if the import fails.
    template.Resources[id] = {
      ...declared,
      Properties,
      DeletionPolicy: "Retain",
      UpdateReplacePolicy: "Retain",
    };
  }
  const imported = JSON.stringify(template);
  if (Buffer.byteLength(imported) > maximumTemplateBytes) {
    throw new Error(
      `The template of ${stackName} with the restored tables has more than ${maximumTemplateBytes} bytes. ` +
        "First remove the tables of former restores from it; they stay in the account.",
    );
  }
  const { Stacks: [stack] = [] } = await cloudFormation.send(
    new DescribeStacksCommand({ StackName: stackName }),
  );
  const { Id: ChangeSetName, StackId: StackName } = await cloudFormation.send(
    new CreateChangeSetCommand({
      StackName: stackName,
      ChangeSetName: `restore-${stamp}-${Date.now()}`,
      ChangeSetType: "IMPORT",
      TemplateBody: imported,
      Capabilities: ["CAPABILITY_NAMED_IAM"],
      Parameters: (stack?.Parameters ?? []).map(({ ParameterKey }) => ({
        ParameterKey,
        UsePreviousValue: true,
      })),
      ResourcesToImport: added.map(({ id, TableName }) => ({
        ResourceType: "AWS::DynamoDB::Table",
        LogicalResourceId: id,
        ResourceIdentifier: { TableName },
      })),
    }),
  );
  const waiting = { client: cloudFormation, maxWaitTime: 1_800 };
  await waitUntilChangeSetCreateComplete(waiting, { StackName, ChangeSetName });
  await cloudFormation.send(new ExecuteChangeSetCommand({ StackName, ChangeSetName }));
  await waitUntilStackImportComplete(waiting, { StackName });
  return { isImported: true, former };
}

/** Returns the stack's declaration of the former table, original or restored. */
function declaredTable(resources: z.output<typeof Template>["Resources"], table: string) {
  return Object.entries(resources).find(
    ([id, { Type }]) => Type === "AWS::DynamoDB::Table" && id.startsWith(table),
  )?.[1];
}
