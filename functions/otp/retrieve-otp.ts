import { otpOf, readChallenge } from "../../shared/domain/passcodes/challenge.ts";
import { listenerIdOf, readListener } from "../../shared/domain/passcodes/listener.ts";
import { now } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { OtpOperations } from "./operations.ts";

/**
 * The one-time passcode of the subscription's last challenge, with its code as long as that can be used.
 *
 * @throws ApiError NOT_FOUND for a token that is unknown, unsubscribed or another Program's: nothing tells which
 */
export const retrieveOtp: OtpOperations["GET /otp/{token}"] = async ({
  scope: { programId },
  path: { token },
}) => {
  const listener = await readListener(programId, listenerIdOf(token));
  if (!listener) throw new ApiError("NOT_FOUND");
  if (listener.challengeId === undefined) return { status: "pending", expiresAt: null };
  const challenge = await readChallenge(programId, listener.challengeId);
  if (!challenge) throw new Error(`The challenge ${listener.challengeId} of a subscription does not exist.`);
  return otpOf(challenge, now());
};
