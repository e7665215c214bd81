import { receiverFault } from "../../shared/delivery/receiver.ts";
import { newSigningSecret } from "../../shared/delivery/signature.ts";
import { listenerIdOf, type OtpListener } from "../../shared/domain/passcodes/listener.ts";
import { listenersWrite, subscriptionWrites } from "../../shared/domain/passcodes/subscription.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { randomToken } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import type { OtpOperations } from "./operations.ts";
import { requireSubject } from "./require-subject.ts";

const tokenBytes = 32;

/**
 * Subscribes to the passcodes of a Card, or of all of a Cardholder's Cards, with callbacks where a `webhookUrl` is given. The token and the secret
 * leave in the answer; only the token's hash is kept. Challenges from before are not told.
 *
 * @throws ApiError NOT_FOUND; VALIDATION_FAILED for a URL that callbacks cannot go to; LIMIT_REACHED at 10 subscriptions of one Card, or
 * of one Cardholder
 */
export const subscribe: OtpOperations["POST /otp/listeners"] = async ({ scope: { programId }, body }) => {
  const { cardId, cardholderId, webhookUrl } = body;
  const fault = webhookUrl === undefined ? undefined : await receiverFault(webhookUrl, "body.webhookUrl");
  if (fault) throw new ApiError("VALIDATION_FAILED", [fault]);
  await requireSubject(programId, body);
  const token = randomToken(tokenBytes);
  const listener: OtpListener = {
    listenerId: listenerIdOf(token),
    programId,
    cardId,
    cardholderId,
    webhookUrl,
    ...(webhookUrl !== undefined && { secret: newSigningSecret() }),
    createdAt: timestamp(),
  };
  const outcome = await transact(subscriptionWrites(listener));
  if (!outcome.committed) {
    if (outcome.failedConditions.has(listenersWrite)) throw new ApiError("LIMIT_REACHED");
    throw new Error("The token of a new subscription is taken.");
  }
  const { secret, createdAt: dateCreated } = listener;
  return {
    token,
    listenerId: listener.listenerId,
    cardId,
    cardholderId,
    webhookUrl,
    secret,
    expiresAt: null,
    dateCreated,
  };
};
