import { environment } from "../platform/environment.ts";
import { accountsKey } from "../platform/table/keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";

/** Makes a transaction depend on the Tenant. */
export function tenantExists(tenantId: string): WriteAction {
  return {
    name: `Tenant ${tenantId}`,
    ConditionCheck: {
      TableName: environment.accountsTable,
      Key: accountsKey.tenant(tenantId),
      ConditionExpression: "attribute_exists(pk)",
    },
  };
}

/** Makes a transaction depend on the Program, and on its being this Tenant's. */
export function programExists(tenantId: string, programId: string): WriteAction {
  return {
    name: `Program ${programId} of Tenant ${tenantId}`,
    ConditionCheck: {
      TableName: environment.accountsTable,
      Key: accountsKey.program(programId),
      ConditionExpression: "tenantId = :tenantId",
      ExpressionAttributeValues: { ":tenantId": tenantId },
    },
  };
}
