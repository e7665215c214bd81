import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../shared/environment.ts";
import { newId } from "../../shared/id.ts";
import { table } from "../../shared/table/client.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import type { Tenant } from "../../shared/tenant/tenant.ts";
import type { Command } from "./command.ts";

/** Creates a Tenant with nothing in it. Each call makes another one. */
export const createTenant: Command<"create-tenant"> = async ({ name }, audit) => {
  const tenant: Tenant = { tenantId: newId("tenant"), name, createdAt: audit.at, createdBy: audit.by };
  await table.send(
    new PutCommand({
      TableName: environment.accountsTable,
      Item: { ...accountsKey.tenant(tenant.tenantId), ...tenant },
      ConditionExpression: "attribute_not_exists(pk)",
    }),
  );
  return { tenantId: tenant.tenantId };
};
