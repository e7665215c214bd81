import type { OtpCallback } from "../../contract/otp.ts";
import type { Callback } from "../../delivery/send-callback.ts";
import { now } from "../../platform/clock.ts";
import { isUsable, readChallenge } from "./challenge.ts";
import { readListener } from "./listener.ts";

/** A callback that is of use for a while; whoever sends it gives it its id. */
export interface UrgentCallback extends Omit<Callback, "messageId"> {
  /** When it is of no use any more. */
  readonly until: Date;
}

/**
 * What a subscription is told of a challenge: whose code to fetch, and nothing else. Undefined where there is nothing to tell any more: it has
 * unsubscribed, it was told of a later challenge, or the code is used, void or over.
 */
export async function otpCallback(
  programId: string,
  listenerId: string,
  challengeId: string,
): Promise<UrgentCallback | undefined> {
  const [listener, challenge] = await Promise.all([
    readListener(programId, listenerId),
    readChallenge(programId, challengeId),
  ]);
  if (!listener || !challenge || listener.challengeId !== challengeId) return undefined;
  const { cardId, cardholderId, webhookUrl, secret } = listener;
  if (webhookUrl === undefined || secret === undefined || !isUsable(challenge, now())) return undefined;
  // One of the two is there.
  const body = { cardId, cardholderId } as OtpCallback;
  return {
    url: webhookUrl,
    body: Buffer.from(JSON.stringify(body)),
    secrets: [secret],
    until: new Date(challenge.expiresAt),
  };
}
