import { ArnFormat, Stack } from "aws-cdk-lib";
import { AnyPrincipal, Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { Settings } from "../environments.ts";
import { vaultName } from "./names.ts";
import { roleNames } from "./second-region-settings.ts";

/**
 * Stands in the policy of a key or table: whatever other policies allow, only the vault function's
 * role may do this. Actions that change or delete the policy must not be among them.
 */
export function denyAllButVault(
  scope: Construct,
  settings: Pick<Settings, "name" | "secondRegion">,
  actions: string[],
  others: readonly string[] = [],
) {
  const roles = roleNames(settings, vaultName(settings.name)).map((resourceName) =>
    Stack.of(scope).formatArn({
      service: "iam",
      region: "",
      resource: "role",
      resourceName,
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    }),
  );
  const allowed = [...roles, ...others];
  return new PolicyStatement({
    sid: "ServesTheVaultFunctionAlone",
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions,
    // The resource that has the policy: its name is not known before it exists.
    resources: ["*"],
    conditions: { StringNotEquals: { "aws:PrincipalArn": allowed.length > 1 ? allowed : allowed[0] } },
  });
}

/**
 * DynamoDB's own role, which copies items from region to region. A replica that denies it anything
 * for 20 hours becomes a table of its own, for good.
 */
export function replicationRole(scope: Construct): string {
  return Stack.of(scope).formatArn({
    service: "iam",
    region: "",
    resource: "role",
    resourceName: "aws-service-role/replication.dynamodb.amazonaws.com/AWSServiceRoleForDynamoDBReplication",
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });
}

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
