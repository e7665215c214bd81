import type { otpRoutes } from "../../shared/contract/otp.ts";
import { readChallenge, toOtpView } from "../../shared/domain/passcodes/challenge.ts";
import { readListener, toListenerId } from "../../shared/domain/passcodes/listener.ts";
import { now } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

type RetrieveOtp = Operations<(typeof otpRoutes)[number]>["GET /otp/{token}"];

/**
 * The passcode of the subscription's last challenge, with its code while that can be used.
 *
 * @throws ApiError NOT_FOUND for a token that is unknown, unsubscribed or another Program's: nothing tells which
 */
export const retrieveOtp: RetrieveOtp = async ({ scope: { programId }, path: { token } }) => {
  const listener = await readListener(programId, toListenerId(token));
  if (!listener) throw new ApiError("NOT_FOUND");
  if (listener.challengeId === undefined) return { status: "pending", expiresAt: null };
  const challenge = await readChallenge(programId, listener.challengeId);
  if (!challenge) throw new Error(`The challenge ${listener.challengeId} of a subscription does not exist.`);
  return toOtpView(challenge, now());
};
