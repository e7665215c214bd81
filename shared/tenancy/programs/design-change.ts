import { DesignStatus } from "../../contract/enums.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { accountsKey } from "../../platform/table/keys.ts";
import { tenantKey } from "../../platform/table/tenant-keys.ts";
import { transact, type WriteAction } from "../../platform/table/transact.ts";
import { compileTransition } from "../../platform/table/transition.ts";
import { type Actor, type AuditAction, auditPut } from "../audit-log.ts";
import { programExists } from "../existence.ts";
import { type CardDesign, readCardDesign, toCardDesignView } from "./card-design.ts";
import { type DesignTrigger, designTransitions } from "./design-transitions.ts";

export type Submission = Pick<CardDesign, "programId" | "cardType" | "name" | "imageUrl">;

/** The Program's Tenant, whose audit log says what happened to a design. */
interface Owner {
  readonly tenantId: string;
}

/**
 * Puts a design into an empty slot: Pending, and on the desk of those who review. The platform's own submissions are Approved at once.
 *
 * @throws ApiError NOT_FOUND for another Tenant's Program; ILLEGAL_TRANSITION for a slot that has a design
 */
export async function submitDesign(
  { tenantId }: Owner,
  submission: Submission,
  actor: Actor,
  status: Exclude<DesignStatus, typeof DesignStatus.rejected> = DesignStatus.pending,
): Promise<CardDesign> {
  const { programId } = submission;
  const design: CardDesign = { ...submission, status, submittedAt: actor.at, updatedBy: actor.by };
  const outcome = await transact([
    programExists(tenantId, programId),
    {
      name: "design",
      Put: {
        TableName: environment.accountsTable,
        Item: designItem(design),
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    ...(status === DesignStatus.pending ? [deskPut(design)] : []),
    audited("card-design.submit", tenantId, undefined, design, actor),
  ]);
  if (outcome.committed) return design;
  throw new ApiError(
    outcome.failedConditions.has("design") && outcome.failedConditions.size === 1
      ? "ILLEGAL_TRANSITION"
      : "NOT_FOUND",
  );
}

const actionOf: Record<DesignTrigger, AuditAction> = {
  approve: "card-design.approve",
  reject: "card-design.reject",
  resubmit: "card-design.resubmit",
};

/**
 * Changes a design's status, where the transition table permits the trigger, with what comes along.
 *
 * @throws ApiError NOT_FOUND for an empty slot or another Tenant's Program; ILLEGAL_TRANSITION
 */
export async function changeDesign(
  { tenantId }: Owner,
  { programId, cardType }: Pick<CardDesign, "programId" | "cardType">,
  trigger: DesignTrigger,
  change: Partial<CardDesign>,
  actor: Actor,
): Promise<CardDesign> {
  const found = await readCardDesign(programId, cardType);
  if (!found) throw new ApiError("NOT_FOUND");
  const { to, condition, names, conditionValues } = compileTransition(designTransitions, trigger, "status");
  const design: CardDesign = { ...found, ...change, status: to, updatedBy: actor.by };
  const outcome = await transact([
    programExists(tenantId, programId),
    {
      name: "design",
      Put: {
        TableName: environment.accountsTable,
        Item: designItem(design),
        // Nobody else may have written it since it was read.
        ConditionExpression: `${condition} AND submittedAt = :found`,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ...conditionValues, ":found": found.submittedAt },
      },
    },
    to === DesignStatus.pending ? deskPut(design) : deskDelete(design),
    audited(actionOf[trigger], tenantId, found, design, actor),
  ]);
  if (outcome.committed) return design;
  throw new ApiError(
    outcome.failedConditions.has("design") && outcome.failedConditions.size === 1
      ? "ILLEGAL_TRANSITION"
      : "NOT_FOUND",
  );
}

/** With the time that lists know it by. */
function designItem(design: CardDesign) {
  const { programId, cardType, submittedAt: createdAt } = design;
  return { ...accountsKey.design(programId, cardType), ...design, createdAt };
}

function audited(
  action: AuditAction,
  tenantId: string,
  before: CardDesign | undefined,
  after: CardDesign,
  actor: Actor,
): WriteAction {
  const { programId, cardType } = after;
  return auditPut(
    {
      tenantId,
      programId,
      action,
      subjectId: `${programId}/card-designs/${cardType}`,
      before: before ? toCardDesignView(before) : null,
      after: toCardDesignView(after),
    },
    actor,
  );
}

function deskPut({ programId, cardType, name, imageUrl, submittedAt }: CardDesign): WriteAction {
  return {
    name: "desk",
    Put: {
      TableName: environment.accountsTable,
      Item: {
        ...tenantKey.designDesk(programId, cardType),
        programId,
        cardType,
        name,
        imageUrl,
        submittedAt,
      },
    },
  };
}

function deskDelete({ programId, cardType }: CardDesign): WriteAction {
  return {
    name: "desk",
    Delete: { TableName: environment.accountsTable, Key: tenantKey.designDesk(programId, cardType) },
  };
}
