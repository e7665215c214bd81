import { type Cardholder, reviewFields, toApplicant } from "../cardholders/cardholder.ts";
import type { CardholderChange } from "../cardholders/cardholder-status.ts";
import { newSessionId, reviewDeadline, reviewEnd } from "../cardholders/review.ts";
import { KycFlow } from "../contract/enums.ts";
import { toProvider } from "../notifications/delivery/ask-provider.ts";
import { invalid } from "../platform/http/api-error.ts";
import { outsidePut } from "../platform/outbox/outbox-put.ts";
import type { readConnection } from "../tenancy/connections/connection-change.ts";

export type Review = Pick<Cardholder, "kycPage"> & Required<Pick<Cardholder, "kycSession" | "kycEndsAt">>;

export function newReview(
  cardholderId: string,
  connection: Awaited<ReturnType<typeof readConnection>>,
): Review {
  const kycPage = connection.adapter === "local" ? "local" : "hosted";
  const hasProvider = toProvider(connection) !== undefined;
  return {
    kycSession: newSessionId(cardholderId),
    kycEndsAt: reviewEnd(),
    ...(!hasProvider && { kycPage }),
  };
}

/** @throws ApiError VALIDATION_FAILED if the token-based flow has no `kycToken` */
export function submission(
  programId: string,
  cardholder: Cardholder,
  review: Review,
  givenToken: string | undefined,
): CardholderChange {
  const { entityId: cardholderId, altKycEnabled } = cardholder;
  const { kycSession: sessionId, kycEndsAt } = review;
  const kycToken = altKycEnabled === KycFlow.token ? givenToken : undefined;
  if (altKycEnabled === KycFlow.token && kycToken === undefined)
    throw invalid("body.kycToken", "required", "is required when altKycEnabled is 1");
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
