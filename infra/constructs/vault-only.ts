import type { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { Settings } from "../environments.ts";
import { denyAllBut, roleArn } from "./arns.ts";
import { vaultName } from "./names.ts";
import { roleNames } from "./second-region-settings.ts";

/** Serves the vault function's role, and these others. */
export function denyAllButVault(
  scope: Construct,
  settings: Pick<Settings, "name" | "secondRegion">,
  actions: string[],
  others: readonly string[] = [],
): PolicyStatement {
  const roles = [...roleNames(settings, vaultName(settings.name)), ...others];
  return denyAllBut(
    roles.map((role) => roleArn(scope, role)),
    "ServesTheVaultFunctionAlone",
    actions,
  );
}

/**
 * DynamoDB's own role, which copies items from region to region. A replica that denies it anything
 * for 20 hours becomes a table of its own, for good.
 */
export const replicationRole =
  "aws-service-role/replication.dynamodb.amazonaws.com/AWSServiceRoleForDynamoDBReplication";

/** Everything that reads or writes a table's items, also by PartiQL and by export. */
export const itemActions = [
  "BatchGetItem",
  "BatchWriteItem",
  "ConditionCheckItem",
  "DeleteItem",
  "ExportTableToPointInTime",
  "GetItem",
  "PartiQLDelete",
  "PartiQLInsert",
  "PartiQLSelect",
  "PartiQLUpdate",
  "PutItem",
  "Query",
  "Scan",
  "UpdateItem",
].map((action) => `dynamodb:${action}`);
