import { actorOf } from "../../shared/tenancy/audit-log.ts";
import type { CardDesign } from "../../shared/tenancy/programs/card-design.ts";
import { toCardDesignView } from "../../shared/tenancy/programs/card-design.ts";
import { changeDesign } from "../../shared/tenancy/programs/design-change.ts";
import type { AccountOperations } from "./operations.ts";

/**
 * Submits another design in the place of one that was Rejected.
 *
 * @throws ApiError NOT_FOUND, also for an empty slot; ILLEGAL_TRANSITION unless it was Rejected
 */
export const resubmitCardDesign: AccountOperations["PUT /account/programs/{programId}/card-designs/{cardType}"] =
  async (request) => {
    const { scope, path, body } = request;
    const slot = { programId: path.programId, cardType: Number(path.cardType) as CardDesign["cardType"] };
    const actor = actorOf(request);
    const resubmitted = { name: body.name, imageUrl: body.imageUrl, submittedAt: actor.at };
    const cleared = { rejectionReason: undefined, reviewedAt: undefined };
    return toCardDesignView(
      await changeDesign(scope, slot, "resubmit", { ...resubmitted, ...cleared }, actor),
    );
  };
