import { DesignStatus } from "../../contract/enums.ts";
import type { TransitionTable } from "../../platform/table/transition.ts";

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
