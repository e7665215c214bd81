import { type Cardholder, getCardholder, reviewFields } from "../../shared/cardholders/cardholder.ts";
import {
  commitCardholderStatus,
  toCardholderStatusError,
} from "../../shared/cardholders/cardholder-status.ts";
import { reviewDeadlineDelete, showCardholder } from "../../shared/cardholders/review.ts";
import { CardholderStatus } from "../../shared/contract/enums.ts";
import { newReview, submission } from "../../shared/issuing/submission.ts";
import { askProvider, toProvider } from "../../shared/notifications/delivery/ask-provider.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { retireExternalId } from "../../shared/platform/labels.ts";
import { readConnection } from "../../shared/tenancy/connections/connection-change.ts";

/** A request's caller waits no longer for the provider. */
const providerLimitMs = 4_000;

/**
 * The submission is committed first. Then the provider is asked; one that is down is asked again by
 * functions/alert-delivery, and `GET` shows its `kycUrl` later. The token-based flow
 * (`altKycEnabled` 1) has no `kycUrl`. The write requires the flow and the applicant as read, so
 * that the provider reviews what is stored.
 * @throws ApiError VALIDATION_FAILED if the token-based flow has no `kycToken`
 */
export const submitCardholder: Operations["POST /cardholders/{cardholderId}/submit"] = async (request) => {
  const { scope, path, body } = request;
  const { programId } = scope;
  const [found, connection] = await Promise.all([
    getCardholder(programId, path.cardholderId),
    readConnection(programId, "compliance"),
  ]);
  const provider = toProvider(connection);
  const review = newReview(path.cardholderId, connection);
  let submitted: Cardholder = found;
  const rejected = await commitCardholderStatus(programId, found, "submit", (cardholder) => {
    const change = submission(programId, cardholder, review, body.kycToken);
    submitted = { ...cardholder, ...change.set, status: CardholderStatus.underReview };
    return change;
  });
  if (rejected) throw toCardholderStatusError(rejected.stored, "submit");
  const asked = provider && (await askProvider(programId, submitted, provider, providerLimitMs));
  return showCardholder(programId, { ...submitted, kycUrl: asked?.kycUrl });
};

/**
 * Keeps the Cardholder's data, which explains past payments. Requires the count of open cards on
 * its item: a concurrent issuance fails, or the deletion does.
 * @throws ApiError ILLEGAL_TRANSITION if already Deleted
 */
export const deleteCardholder: Operations["DELETE /cardholders/{cardholderId}"] = async ({ scope, path }) => {
  const { programId } = scope;
  const cardholder = await getCardholder(programId, path.cardholderId);
  const of = { programId, kind: "cardholder", recordId: path.cardholderId } as const;
  const rejected = await commitCardholderStatus(programId, cardholder, "delete", async (seen) => ({
    condition: { openCards: 0, externalId: seen.externalId },
    remove: reviewFields,
    writes: [reviewDeadlineDelete(programId, path.cardholderId), ...(await retireExternalId(of, seen))],
  }));
  if (rejected) throw toDeletionError(rejected.stored);
  return showCardholder(programId, { ...cardholder, status: CardholderStatus.deleted });
};

function toDeletionError(stored: Cardholder | undefined): ApiError {
  const cardsAreOpen =
    stored !== undefined && stored.status !== CardholderStatus.deleted && stored.openCards !== 0;
  return cardsAreOpen ? new ApiError("CARDS_NOT_CLOSED") : toCardholderStatusError(stored, "delete");
}
