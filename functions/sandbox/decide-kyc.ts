import { getCardholder, toCardholderView } from "../../shared/domain/cardholders/cardholder.ts";
import { applyEvent } from "../../shared/domain/network/apply-event.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { newId } from "../../shared/platform/id.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * Decides a Cardholder's compliance review as the provider would, by the provider's own event: 3 Under Review to 1, 2 or 6.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION outside Under Review
 */
export const decideKyc: SandboxOperations["POST /cardholders/{cardholderId}/kyc-outcome"] = async ({
  scope: { programId },
  path: { cardholderId },
  body: { status },
}) => {
  const eventId = newId("event");
  const result = await applyEvent({ kind: "kyc_outcome", eventId, programId, cardholderId, status });
  if (result.outcome === "refused") throw new ApiError(result.code);
  return toCardholderView(await getCardholder(programId, cardholderId));
};
