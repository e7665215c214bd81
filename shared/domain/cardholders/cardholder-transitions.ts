import { CardholderStatus } from "../../contract/enums.ts";
import type { TransitionTable } from "../../platform/table/transition.ts";

/**
 * - submit: POST /cardholders/{cardholderId}/submit
 * - approve, decline, fail: the compliance provider's outcome
 * - refuse: platform administration
 * - delete: DELETE /cardholders/{cardholderId}
 */
export type CardholderTrigger = "submit" | "approve" | "decline" | "fail" | "refuse" | "delete";

/** Every legal change of a Cardholder's status; the code and the documentation read this one table. */
export const cardholderTransitions = [
  { from: CardholderStatus.draft, trigger: "submit", to: CardholderStatus.underReview },
  { from: CardholderStatus.complianceDecline, trigger: "submit", to: CardholderStatus.underReview },
  { from: CardholderStatus.error, trigger: "submit", to: CardholderStatus.underReview },
  { from: CardholderStatus.underReview, trigger: "approve", to: CardholderStatus.approved },
  { from: CardholderStatus.underReview, trigger: "decline", to: CardholderStatus.complianceDecline },
  { from: CardholderStatus.underReview, trigger: "fail", to: CardholderStatus.error },
  { from: CardholderStatus.underReview, trigger: "refuse", to: CardholderStatus.adminDecline },
  { from: CardholderStatus.approved, trigger: "refuse", to: CardholderStatus.adminDecline },
  { from: CardholderStatus.pending, trigger: "delete", to: CardholderStatus.deleted },
  { from: CardholderStatus.approved, trigger: "delete", to: CardholderStatus.deleted },
  { from: CardholderStatus.complianceDecline, trigger: "delete", to: CardholderStatus.deleted },
  { from: CardholderStatus.underReview, trigger: "delete", to: CardholderStatus.deleted },
  { from: CardholderStatus.draft, trigger: "delete", to: CardholderStatus.deleted },
  { from: CardholderStatus.error, trigger: "delete", to: CardholderStatus.deleted },
  { from: CardholderStatus.adminDecline, trigger: "delete", to: CardholderStatus.deleted },
] as const satisfies TransitionTable<CardholderStatus, CardholderTrigger>;
