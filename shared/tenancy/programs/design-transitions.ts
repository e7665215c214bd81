import type { DesignStatus } from "../../contract/enums.ts";
import type { TransitionTable } from "../../platform/table/transition.ts";

/**
 * - approve, reject: the platform's review
 * - resubmit: PUT /account/programs/{programId}/card-designs/{cardType}
 */
export type DesignTrigger = "approve" | "reject" | "resubmit";

/** Every legal change of a card design's status. A slot comes to be Pending with its first submission. */
export const designTransitions = [
  { from: 0, trigger: "approve", to: 1 },
  { from: 0, trigger: "reject", to: 2 },
  { from: 2, trigger: "resubmit", to: 0 },
] as const satisfies TransitionTable<DesignStatus, DesignTrigger>;
