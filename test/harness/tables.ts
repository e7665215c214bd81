import type { CreateTableCommandInput } from "@aws-sdk/client-dynamodb";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import type { CfnGlobalTable, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import cdkJson from "../../cdk.json" with { type: "json" };
import { readSettings } from "../../infra/environments.ts";
import { DataStack } from "../../infra/stacks/data-stack.ts";

export type TableSchema = Omit<CreateTableCommandInput, "TableName">;

/** Both tables of the platform. */
export interface TableSchemas {
  readonly issuing: TableSchema;
  readonly accounts: TableSchema;
}

/** The properties that the template's table and CreateTable share. */
const shared = ["AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode"] as const;

/** Keys and indexes of both tables, from the template. */
export function tablesOfTheTemplate(): TableSchemas {
  // CloudFormation's rules take seconds: synth.proof.test.ts has them.
  const app = new App({ context: cdkJson.context, builtinCloudFormationValidation: false });
  const settings = readSettings("local");
  const stack = new DataStack(app, "data", { settings, env: { region: settings.region } });
  const { Resources } = Template.fromStack(stack).toJSON();
  const schemaOf = (table: TableV2): TableSchema => {
    const { Properties } = Resources[stack.getLogicalId(table.node.defaultChild as CfnGlobalTable)];
    return Object.fromEntries(shared.map((name) => [name, Properties[name]])) as TableSchema;
  };
  return { issuing: schemaOf(stack.issuingTable), accounts: schemaOf(stack.accountsTable) };
}
