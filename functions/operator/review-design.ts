import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { DesignStatus } from "../../shared/contract/enums.ts";
import { operatorCommands } from "../../shared/contract/operator.ts";
import { environment } from "../../shared/platform/environment.ts";
import { table } from "../../shared/platform/table/client.ts";
import { tenantKey } from "../../shared/platform/table/tenant-keys.ts";
import { readCardDesign } from "../../shared/tenancy/programs/card-design.ts";
import { changeDesign, submitDesign } from "../../shared/tenancy/programs/design-change.ts";
import type { Command } from "./command.ts";
import { programOf } from "./program-of.ts";

const { designs } = operatorCommands["list-designs"].output.shape;

/** The designs that await a review, some at a time. */
export const listDesigns: Command<"list-designs"> = async ({ limit }) => {
  const { Items } = await table.send(
    new QueryCommand({
      TableName: environment.accountsTable,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :desk",
      ExpressionAttributeValues: { ":desk": tenantKey.designDesk("", 0).pk },
      Limit: limit,
    }),
  );
  return { designs: designs.parse(Items) };
};

/**
 * Approves the design that was submitted for a slot, so that Cards can be issued with it. With a `name`, a design of the platform's own goes into an
 * empty slot, Approved.
 *
 * @throws CommandRefused when there is no such Program, nothing to approve, or a design in the way
 */
export const approveDesign: Command<"approve-design"> = async ({ programId, cardType, name }, actor) => {
  const owner = await programOf(programId);
  if (name !== undefined && !(await readCardDesign(programId, cardType))) {
    await submitDesign(owner, { programId, cardType, name }, actor, DesignStatus.approved);
  } else {
    await changeDesign(owner, { programId, cardType }, "approve", { reviewedAt: actor.at }, actor);
  }
  return { cardType };
};

/**
 * Rejects the design that was submitted for a slot, and says why.
 *
 * @throws CommandRefused when there is no such Program, or nothing to reject
 */
export const rejectDesign: Command<"reject-design"> = async ({ programId, cardType, reason }, actor) => {
  const owner = await programOf(programId);
  const change = { reviewedAt: actor.at, rejectionReason: reason };
  await changeDesign(owner, { programId, cardType }, "reject", change, actor);
  return { cardType };
};
