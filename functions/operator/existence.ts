import { environment } from "../../shared/environment.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import type { TransactionOutcome, WriteAction } from "../../shared/table/transact.ts";
import { CommandRefused } from "./command.ts";

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

/**
 * Refuses the command when something that it depends on is not there.
 *
 * @throws CommandRefused naming what is missing.
 */
export function requireCommitted(outcome: TransactionOutcome): void {
  if (outcome.committed) return;
  throw new CommandRefused(`${[...outcome.refusals.keys()].join(", ")} does not exist.`);
}
