import { cardholders } from "../../shared/cardholders/cardholder.ts";
import { CardholderStatus } from "../../shared/contract/enums.ts";
import { askProvider, toProvider } from "../../shared/notifications/delivery/ask-provider.ts";
import type { PreparedDelivery } from "../../shared/notifications/delivery/attempt.ts";
import { type DeliveryOf, putBack } from "../../shared/notifications/delivery/delivery.ts";
import { sha256 } from "../../shared/platform/sha256.ts";
import { readConnection } from "../../shared/tenancy/connections/connection-change.ts";

/** Longer than the submission waits for the provider itself. */
const firstWaitSeconds = 10;

/**
 * Asks a provider that did not answer the submission, until the review ends. Undefined if it has
 * answered, the review is over, or no provider is called.
 */
export async function prepareReview(
  delivery: DeliveryOf<"kyc.requested">,
): Promise<PreparedDelivery | undefined> {
  const { programId, cardholderId, sessionId } = delivery;
  const [cardholder, connection] = await Promise.all([
    cardholders.at(programId, cardholderId).get(),
    readConnection(programId, "compliance"),
  ]);
  const provider = toProvider(connection);
  if (!cardholder || !provider || cardholder.kycAskedAt !== undefined) return undefined;
  if (cardholder.kycSession !== sessionId || cardholder.status !== CardholderStatus.underReview)
    return undefined;
  if (delivery.attempt === 1 && delivery.deferrals === 0) {
    await putBack({ ...delivery, deferrals: 1 }, firstWaitSeconds);
    return undefined;
  }
  return {
    send: () => askProvider(programId, cardholder, provider),
    bodySha256: sha256(sessionId),
    ...(cardholder.kycEndsAt !== undefined && { until: new Date(cardholder.kycEndsAt) }),
  };
}
