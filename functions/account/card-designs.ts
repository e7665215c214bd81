import { listPage } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { toActor } from "../../shared/tenancy/audit-log.ts";
import {
  CardDesign,
  cardDesigns,
  changeDesign,
  submitDesign,
  toCardDesignView,
} from "../../shared/tenancy/programs/card-design.ts";
import { getTenantProgram } from "../../shared/tenancy/programs/tenant-program.ts";

/** Includes designs of every status. */
export const listCardDesigns: Operations["GET /account/programs/{programId}/card-designs"] = async ({
  scope,
  path: { programId },
  query,
}) => {
  await getTenantProgram(scope.tenantId, programId);
  return listPage(
    {
      records: cardDesigns.records(programId),
      orders: { dateSubmitted: "createdAt" },
      view: (item) => toCardDesignView(CardDesign.parse(item)),
    },
    query,
  );
};

/**
 * Cards can be issued with the design after the platform has approved it.
 * @throws ApiError ILLEGAL_TRANSITION if the slot has a design
 */
export const submitCardDesign: Operations["POST /account/programs/{programId}/card-designs"] = async (
  request,
) => {
  const { scope, path, body } = request;
  return toCardDesignView(await submitDesign(scope, { ...path, ...body }, toActor(request)));
};

/**
 * Replaces a rejected design.
 * @throws ApiError NOT_FOUND, also for an empty slot; ILLEGAL_TRANSITION unless it was rejected
 */
export const resubmitCardDesign: Operations["PUT /account/programs/{programId}/card-designs/{cardType}"] =
  async (request) => {
    const { scope, path, body } = request;
    const slot = { programId: path.programId, cardType: Number(path.cardType) as CardDesign["cardType"] };
    const actor = toActor(request);
    const resubmitted = { name: body.name, imageUrl: body.imageUrl, submittedAt: actor.at };
    const cleared = { rejectionReason: undefined, reviewedAt: undefined };
    return toCardDesignView(
      await changeDesign(scope, slot, "resubmit", { ...resubmitted, ...cleared }, actor),
    );
  };
