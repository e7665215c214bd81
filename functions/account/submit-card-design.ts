import { actorOf } from "../../shared/tenancy/audit-log.ts";
import { toCardDesignView } from "../../shared/tenancy/programs/card-design.ts";
import { submitDesign } from "../../shared/tenancy/programs/design-change.ts";
import type { AccountOperations } from "./operations.ts";

/**
 * Submits a design for an empty slot; Cards can be issued with it once the platform has Approved it.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION for a slot that has a design
 */
export const submitCardDesign: AccountOperations["POST /account/programs/{programId}/card-designs"] = async (
  request,
) => {
  const { scope, path, body } = request;
  return toCardDesignView(await submitDesign(scope, { ...path, ...body }, actorOf(request)));
};
