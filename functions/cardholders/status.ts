import {
  type Cardholder,
  getCardholder,
  reviewFields,
  toApplicant,
} from "../../shared/cardholders/cardholder.ts";
import {
  type CardholderChange,
  commitCardholderStatus,
  toCardholderStatusError,
} from "../../shared/cardholders/cardholder-status.ts";
import {
  newSessionId,
  reviewDeadline,
  reviewDeadlineDelete,
  reviewEnd,
  showCardholder,
} from "../../shared/cardholders/review.ts";
import { CardholderStatus, KycFlow } from "../../shared/contract/enums.ts";
import { askProvider, toProvider } from "../../shared/notifications/delivery/ask-provider.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { retireExternalId } from "../../shared/platform/labels.ts";
import { outsidePut } from "../../shared/platform/outbox/outbox-put.ts";
import { readConnection } from "../../shared/tenancy/connections/connection.ts";

/** A request's caller waits no longer for the provider. */
const providerLimitMs = 4_000;

/**
 * The submission is committed first. Then the provider is asked; one that is down is asked again by
 * functions/alert-delivery, and `GET` shows its `kycUrl` later. The token-based flow
 * (`altKycEnabled` 1) has no `kycUrl`. The write requires the flow and the applicant as read, so
 * that the provider reviews what is stored.
 * @throws ApiError VALIDATION_FAILED if the token-based flow has no `kycToken`
 */
export const submitCardholder: Operations["POST /cardholders/{cardholderId}/submit"] = async ({
  scope,
  path,
  body,
}) => {
  const { programId } = scope;
  const [found, connection] = await Promise.all([
    getCardholder(programId, path.cardholderId),
    readConnection(programId, "compliance"),
  ]);
  const provider = toProvider(connection);
  const kycSession = newSessionId(path.cardholderId);
  const kycPage = connection.adapter === "local" ? "local" : "hosted";
  const review: Review = { kycSession, kycEndsAt: reviewEnd(), ...(!provider && { kycPage }) };
  let submitted: Cardholder = found;
  const rejected = await commitCardholderStatus(programId, found, "submit", (cardholder) => {
    const change = submission(programId, cardholder, review, body.kycToken);
    submitted = { ...cardholder, ...change.set, status: CardholderStatus.underReview };
    return change;
  });
  if (rejected) throw toCardholderStatusError(rejected.stored);
  const asked = provider && (await askProvider(programId, submitted, provider, providerLimitMs));
  return showCardholder(programId, { ...submitted, kycUrl: asked?.kycUrl });
};

type Review = Pick<Cardholder, "kycPage"> & Required<Pick<Cardholder, "kycSession" | "kycEndsAt">>;

function submission(
  programId: string,
  cardholder: Cardholder,
  review: Review,
  givenToken: string | undefined,
): CardholderChange {
  const { entityId: cardholderId, altKycEnabled } = cardholder;
  const { kycSession: sessionId, kycEndsAt } = review;
  const kycToken = altKycEnabled === KycFlow.token ? givenToken : undefined;
  if (altKycEnabled === KycFlow.token && kycToken === undefined) throw tokenMissing();
  const applicant = toApplicant(cardholder);
  const set: Partial<Cardholder> = { ...review, ...(kycToken !== undefined && { kycToken }) };
  return {
    condition: { ...applicant, altKycEnabled },
    set,
    remove: reviewFields.filter((field) => !(field in set)),
    writes: [
      outsidePut(programId, "kyc.requested", { cardholderId, sessionId, kycToken, applicant }),
      reviewDeadline(programId, cardholderId, sessionId, kycEndsAt),
    ],
  };
}

function tokenMissing(): ApiError {
  return new ApiError("VALIDATION_FAILED", [
    { path: "body.kycToken", code: "required", message: "is required when altKycEnabled is 1" },
  ]);
}

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
  return cardsAreOpen ? new ApiError("CARDS_NOT_CLOSED") : toCardholderStatusError(stored);
}
