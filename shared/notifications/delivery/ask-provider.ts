import { httpCompliance } from "../../adapters/compliance/http.ts";
import { type Cardholder, toApplicant } from "../../cardholders/cardholder.ts";
import { keepProviderAnswer } from "../../cardholders/review.ts";
import { sendCallback } from "../../platform/callbacks/post.ts";
import { log } from "../../platform/log.ts";
import type { Connection } from "../../tenancy/connections/connection.ts";
import { isDelivered, type Outcome } from "./attempt.ts";

/** A provider that is called. Without a URL, it takes the request from the bus. */
interface Provider {
  readonly url: string;
  readonly secret: string;
}

export function toProvider({ adapter, url, secret }: Connection): Provider | undefined {
  return adapter === "http" && url !== undefined && secret !== undefined ? { url, secret } : undefined;
}

/**
 * Asks once for a submitted Cardholder's review, and keeps the answer. Each request of a review has
 * the same `eventId`, so that the provider knows a repetition. Never rejects for a failed call.
 */
export async function askProvider(
  programId: string,
  cardholder: Cardholder,
  { url, secret }: Provider,
  limitMs?: number,
): Promise<Outcome & { readonly kycUrl?: string | undefined }> {
  const { entityId: cardholderId, kycSession: sessionId = "", kycToken } = cardholder;
  const eventId = `kyc-${sessionId}`;
  const token = kycToken !== undefined && { kycToken };
  const applicant = toApplicant(cardholder);
  const body = Buffer.from(
    httpCompliance.toRequest({ eventId, sessionId, cardholderId, ...token, applicant }),
  );
  const outcome = await sendCallback({ url, messageId: eventId, body, secrets: [secret] }, limitMs);
  const answer = isDelivered(outcome) ? httpCompliance.readAnswer(outcome.body?.toString() ?? "") : undefined;
  if (!answer) {
    const { status, failure, latencyMs } = outcome;
    log.warn("The compliance provider did not take the request.", { cardholderId, status, failure });
    return { status, failure: failure ?? "RESPONSE_INVALID", latencyMs };
  }
  await keepProviderAnswer(programId, cardholder, answer.kycUrl);
  return { status: outcome.status, latencyMs: outcome.latencyMs, kycUrl: answer.kycUrl };
}
