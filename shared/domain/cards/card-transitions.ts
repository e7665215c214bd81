import { CardApprovalStatus, CardStatus } from "../../contract/enums.ts";
import type { TransitionTable } from "../../platform/table/transition.ts";

export type CardApprovalTrigger = "approve" | "decline";

/** Every legal change of `cardStatus`, the approval of an issuance. */
export const cardApprovalTransitions = [
  { from: CardApprovalStatus.pending, trigger: "approve", to: CardApprovalStatus.approved },
  { from: CardApprovalStatus.pending, trigger: "decline", to: CardApprovalStatus.declined },
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
  { from: CardStatus.pending, trigger: "approveVirtual", to: CardStatus.active },
  { from: CardStatus.pending, trigger: "approvePhysical", to: CardStatus.notActivated },
  { from: CardStatus.pending, trigger: "decline", to: CardStatus.closed },
  { from: CardStatus.notActivated, trigger: "activate", to: CardStatus.active },
  { from: CardStatus.active, trigger: "hold", to: CardStatus.onHold },
  { from: CardStatus.onHold, trigger: "release", to: CardStatus.active },
  { from: CardStatus.active, trigger: "close", to: CardStatus.closed },
  { from: CardStatus.onHold, trigger: "close", to: CardStatus.closed },
  { from: CardStatus.notActivated, trigger: "close", to: CardStatus.closed },
] as const satisfies TransitionTable<CardStatus, CardTrigger>;
