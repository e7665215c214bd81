import type { CardApprovalStatus, CardStatus } from "../../contract/enums.ts";
import type { TransitionTable } from "../../platform/table/transition.ts";

/** The platform's decision on an issuance. */
export type CardApprovalTrigger = "approve" | "decline";

/** Every legal change of `cardStatus`, the approval of an issuance. */
export const cardApprovalTransitions = [
  { from: 0, trigger: "approve", to: 1 },
  { from: 0, trigger: "decline", to: 2 },
] as const satisfies TransitionTable<CardApprovalStatus, CardApprovalTrigger>;

/**
 * - approveVirtual, approvePhysical: the issuance is approved; a physical card must reach its Cardholder first
 * - activate: POST /cards/{cardId}/activate
 * - hold, release: PUT /cards/{cardId}/status with 2 and 1
 * - close: POST /cards/{cardId}/close
 * - decline: the issuance is declined; 0 is transitional, so that the card comes to rest as Closed
 */
export type CardTrigger =
  | "approveVirtual"
  | "approvePhysical"
  | "activate"
  | "hold"
  | "release"
  | "close"
  | "decline";

/** Every legal change of `issuerCardStatus`, the operational status. */
export const cardTransitions = [
  { from: 0, trigger: "approveVirtual", to: 1 },
  { from: 0, trigger: "approvePhysical", to: 4 },
  { from: 0, trigger: "decline", to: 3 },
  { from: 4, trigger: "activate", to: 1 },
  { from: 1, trigger: "hold", to: 2 },
  { from: 2, trigger: "release", to: 1 },
  { from: 1, trigger: "close", to: 3 },
  { from: 2, trigger: "close", to: 3 },
  { from: 4, trigger: "close", to: 3 },
] as const satisfies TransitionTable<CardStatus, CardTrigger>;
