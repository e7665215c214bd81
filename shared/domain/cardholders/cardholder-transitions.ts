import type { CardholderStatus } from "../../contract/enums.ts";
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
  { from: 4, trigger: "submit", to: 3 },
  { from: 2, trigger: "submit", to: 3 },
  { from: 6, trigger: "submit", to: 3 },
  { from: 3, trigger: "approve", to: 1 },
  { from: 3, trigger: "decline", to: 2 },
  { from: 3, trigger: "fail", to: 6 },
  { from: 3, trigger: "refuse", to: 7 },
  { from: 1, trigger: "refuse", to: 7 },
  { from: 0, trigger: "delete", to: 5 },
  { from: 1, trigger: "delete", to: 5 },
  { from: 2, trigger: "delete", to: 5 },
  { from: 3, trigger: "delete", to: 5 },
  { from: 4, trigger: "delete", to: 5 },
  { from: 6, trigger: "delete", to: 5 },
  { from: 7, trigger: "delete", to: 5 },
] as const satisfies TransitionTable<CardholderStatus, CardholderTrigger>;
