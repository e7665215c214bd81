import * as z from "zod";
import { type CardDesignView, designSlots } from "../../contract/account-programs.ts";
import { DesignStatus } from "../../contract/enums.ts";
import { id, integerEnum, timestamp } from "../../contract/primitives.ts";
import { ApiError, statusError } from "../../platform/http/api-error.ts";
import { pick } from "../../platform/pick.ts";
import { all, isNew, oneOf } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { transact, type WriteAction } from "../../platform/table/transact.ts";
import { findStep, type TransitionTable } from "../../platform/table/transition.ts";
import { type Actor, type AuditAction, auditProgram } from "../audit-log.ts";
import { programExists } from "./tenant-program.ts";

/** A Card Design slot of a Program: Cards can be issued with it while it is Approved. */
export const CardDesign = z.object({
  programId: id("program"),
  cardType: z.literal(designSlots),
  name: z.string(),
  imageUrl: z.string().optional(),
  status: integerEnum(DesignStatus),
  rejectionReason: z.string().optional(),
  submittedAt: timestamp,
  reviewedAt: timestamp.optional(),
  updatedBy: z.string(),
});
export type CardDesign = z.output<typeof CardDesign>;

export const cardDesigns = defineEntity({
  name: "design",
  table: "accounts",
  /** Lists order designs by `createdAt`. */
  schema: CardDesign.extend({ createdAt: timestamp.optional() }),
  key: (programId: string, cardType: number) => ({ pk: programId, sk: `DESIGN#${cardType}` }),
});

/** Designs that await the platform's review. */
export const designReviewQueue = defineEntity({
  name: "queue",
  table: "accounts",
  schema: CardDesign.pick({
    programId: true,
    cardType: true,
    name: true,
    imageUrl: true,
    submittedAt: true,
  }),
  key: (programId: string, cardType: number) => ({ pk: "DESK#DESIGNS", sk: `${programId}#${cardType}` }),
});

/**
 * - approve, reject: the platform's review
 * - resubmit: PUT /account/programs/{programId}/card-designs/{cardType}
 */
type DesignTrigger = "approve" | "reject" | "resubmit";

/** Every legal change of a card design's status. The first submission makes a slot Pending. */
export const designTransitions = [
  { from: DesignStatus.pending, trigger: "approve", to: DesignStatus.approved },
  { from: DesignStatus.pending, trigger: "reject", to: DesignStatus.rejected },
  { from: DesignStatus.rejected, trigger: "resubmit", to: DesignStatus.pending },
] as const satisfies TransitionTable<DesignStatus, DesignTrigger>;

/** Undefined for an empty slot. */
export function readCardDesign(programId: string, cardType: number): Promise<CardDesign | undefined> {
  return cardDesigns.at(programId, cardType).get();
}

export function toCardDesignView(design: CardDesign): CardDesignView {
  return {
    ...pick(design, "cardType", "name", "imageUrl", "status", "rejectionReason"),
    dateSubmitted: design.submittedAt,
    dateReviewed: design.reviewedAt,
  };
}

/** The Program's Tenant, whose audit log says what happened to a design. */
interface Owner {
  readonly tenantId: string;
}

/**
 * Pending, and queued for review; the platform's own are Approved at once.
 * @throws ApiError NOT_FOUND for another Tenant's Program; ILLEGAL_TRANSITION if the slot has a
 * design
 */
export function submitDesign(
  owner: Owner,
  submission: Pick<CardDesign, "programId" | "cardType" | "name" | "imageUrl">,
  actor: Actor,
  status: Exclude<DesignStatus, typeof DesignStatus.rejected> = DesignStatus.pending,
): Promise<CardDesign> {
  const design: CardDesign = { ...submission, status, submittedAt: actor.at, updatedBy: actor.by };
  return commitDesign(owner, "card-design.submit", undefined, design, [], actor);
}

/** @throws ApiError NOT_FOUND for an empty slot or another Tenant's Program; ILLEGAL_TRANSITION */
export async function changeDesign(
  owner: Owner,
  { programId, cardType }: Pick<CardDesign, "programId" | "cardType">,
  trigger: DesignTrigger,
  change: Partial<CardDesign>,
  actor: Actor,
): Promise<CardDesign> {
  const { createdAt: _, ...found } = await cardDesigns.at(programId, cardType).require();
  const { from, to } = findStep(designTransitions, trigger);
  const design: CardDesign = { ...found, ...change, status: to, updatedBy: actor.by };
  return commitDesign(owner, `card-design.${trigger}`, found, design, from, actor);
}

async function commitDesign(
  { tenantId }: Owner,
  action: AuditAction,
  before: CardDesign | undefined,
  design: CardDesign,
  from: readonly DesignStatus[],
  actor: Actor,
): Promise<CardDesign> {
  const { programId, cardType, submittedAt } = design;
  const views = { before: before ? toCardDesignView(before) : null, after: toCardDesignView(design) };
  const isAsRead = before
    ? all<CardDesign>({ status: oneOf(from) }, { submittedAt: before.submittedAt })
    : isNew;
  const outcome = await transact([
    programExists(tenantId, programId),
    cardDesigns.at(programId, cardType).put({ ...design, createdAt: submittedAt }, isAsRead),
    ...queueWrites(before, design),
    auditProgram(actor, { tenantId, programId }, action, views, `${programId}/card-designs/${cardType}`),
  ]);
  if (outcome.committed) return design;
  const { failedConditions } = outcome;
  const stored = cardDesigns.parse(failedConditions.get("design"));
  if (!stored || failedConditions.size > 1) throw new ApiError("NOT_FOUND");
  throw statusError(stored.status, from, DesignStatus);
}

/** Only a Pending design waits for the platform's review. */
function queueWrites(before: CardDesign | undefined, design: CardDesign): WriteAction[] {
  const { programId, cardType, name, imageUrl, submittedAt, status } = design;
  const queued = designReviewQueue.at(programId, cardType);
  if (status === DesignStatus.pending)
    return [queued.put({ programId, cardType, name, imageUrl, submittedAt })];
  return before ? [queued.delete()] : [];
}
