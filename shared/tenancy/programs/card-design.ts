import * as z from "zod";
import { type CardDesignView, designSlots } from "../../contract/account-programs.ts";
import { DesignStatus } from "../../contract/enums.ts";
import { id, integerEnum, timestamp } from "../../contract/primitives.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { accountsKey, tenantKey } from "../../platform/table/keys.ts";
import type { TransitionTable } from "../../platform/table/transition.ts";

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
  key: accountsKey.design,
});

/** Designs that await the platform's review. */
export const designDesk = defineEntity({
  name: "desk",
  table: "accounts",
  schema: CardDesign.pick({
    programId: true,
    cardType: true,
    name: true,
    imageUrl: true,
    submittedAt: true,
  }),
  key: tenantKey.designDesk,
});

/**
 * - approve, reject: the platform's review
 * - resubmit: PUT /account/programs/{programId}/card-designs/{cardType}
 */
export type DesignTrigger = "approve" | "reject" | "resubmit";

/** Every legal change of a card design's status. A slot comes to be Pending with its first submission. */
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
  const { cardType, name, imageUrl, status, rejectionReason, submittedAt, reviewedAt } = design;
  return {
    cardType,
    name,
    imageUrl,
    status,
    rejectionReason,
    dateSubmitted: submittedAt,
    dateReviewed: reviewedAt,
  };
}
