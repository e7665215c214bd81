import { CardholderStatus, KycFlow } from "../../shared/contract/enums.ts";
import {
  type Cardholder,
  getCardholder,
  toCardholderView,
} from "../../shared/domain/cardholders/cardholder.ts";
import {
  type CardholderChange,
  commitCardholderStatus,
  toCardholderStatusError,
} from "../../shared/domain/cardholders/cardholder-status.ts";
import { environment } from "../../shared/platform/environment.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { randomToken } from "../../shared/platform/id.ts";
import type { CardholderOperations } from "./operations.ts";

/**
 * The standard flow (`altKycEnabled` 0) answers `kycUrl` and ignores a token; the token-based flow
 * keeps `kycToken` until the review ends. The write requires the flow as read.
 * @throws ApiError NOT_FOUND; VALIDATION_FAILED if the token-based flow has no `kycToken`;
 * ILLEGAL_TRANSITION
 */
export const submitCardholder: CardholderOperations["POST /cardholders/{cardholderId}/submit"] = async ({
  scope,
  path,
  body,
}) => {
  const { programId } = scope;
  const cardholder = await getCardholder(programId, path.cardholderId);
  const { altKycEnabled } = cardholder;
  if (altKycEnabled === KycFlow.token && body.kycToken === undefined) throw tokenMissing();
  const kycSession = randomToken(24);
  const change: CardholderChange = {
    condition: { altKycEnabled },
    ...(altKycEnabled === KycFlow.token && body.kycToken !== undefined
      ? { set: { kycToken: body.kycToken }, remove: ["kycSession"] }
      : { set: { kycSession }, remove: ["kycToken"] }),
  };
  const rejected = await commitCardholderStatus(programId, cardholder, "submit", () => change);
  if (rejected) throw toCardholderStatusError(rejected.stored);
  const view = toCardholderView({ ...cardholder, status: CardholderStatus.underReview });
  return altKycEnabled === KycFlow.token
    ? view
    : { ...view, kycUrl: `${environment.kycBaseUrl}/sessions/${kycSession}` };
};

function tokenMissing(): ApiError {
  return new ApiError("VALIDATION_FAILED", [
    { path: "body.kycToken", code: "required", message: "is required when altKycEnabled is 1" },
  ]);
}

/**
 * Keeps the Cardholder's data, which explains past payments. Requires the count of open cards on
 * its item: a concurrent issuance fails, or the deletion does.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION if already Deleted; CARDS_NOT_CLOSED
 */
export const deleteCardholder: CardholderOperations["DELETE /cardholders/{cardholderId}"] = async ({
  scope,
  path,
}) => {
  const cardholder = await getCardholder(scope.programId, path.cardholderId);
  const rejected = await commitCardholderStatus(scope.programId, cardholder, "delete", () => ({
    condition: { openCards: 0 },
    remove: ["kycSession", "kycToken"],
  }));
  if (rejected) throw toDeletionError(rejected.stored);
  return toCardholderView({ ...cardholder, status: CardholderStatus.deleted });
};

function toDeletionError(stored: Cardholder | undefined): ApiError {
  const cardsAreOpen =
    stored !== undefined && stored.status !== CardholderStatus.deleted && stored.openCards !== 0;
  return cardsAreOpen ? new ApiError("CARDS_NOT_CLOSED") : toCardholderStatusError(stored);
}
