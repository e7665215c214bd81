import { ApiError } from "../../shared/api-error.ts";
import { listenerIdOf, readListener } from "../../shared/otp/listener.ts";
import { unsubscriptionWrites } from "../../shared/otp/subscription.ts";
import { transact } from "../../shared/table/transact.ts";
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
  const listener = await readListener(programId, listenerIdOf(token));
  if (!listener) throw new ApiError("NOT_FOUND");
  const outcome = await transact(unsubscriptionWrites(listener));
  if (!outcome.committed) throw new ApiError("NOT_FOUND");
  return {};
};
