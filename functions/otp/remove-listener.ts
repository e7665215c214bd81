import { endSubscription } from "./end-subscription.ts";
import type { OtpOperations } from "./operations.ts";

/**
 * Removes a subscription whose token may be lost. From then on the token is 404.
 *
 * @throws ApiError NOT_FOUND for an id that does not exist in this Program
 */
export const removeListener: OtpOperations["DELETE /otp/listeners/{listenerId}"] = async ({
  scope: { programId },
  path: { listenerId },
}) => {
  await endSubscription(programId, listenerId);
  return { listenerId };
};
