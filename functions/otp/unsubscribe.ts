import { listenerIdOf } from "../../shared/domain/passcodes/listener.ts";
import { endSubscription } from "./end-subscription.ts";
import type { OtpOperations } from "./operations.ts";

/**
 * Ends a subscription: its token is unknown from then on, and callbacks that wait to be sent are dropped.
 *
 * @throws ApiError NOT_FOUND for a token that is unknown, unsubscribed or another Program's: nothing tells which
 */
export const unsubscribe: OtpOperations["DELETE /otp/{token}"] = async ({
  scope: { programId },
  path: { token },
}) => {
  await endSubscription(programId, listenerIdOf(token));
  return {};
};
