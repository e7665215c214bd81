import { ApiError } from "../../shared/api-error.ts";
import { readListener } from "../../shared/otp/listener.ts";
import { unsubscriptionWrites } from "../../shared/otp/subscription.ts";
import { transact } from "../../shared/table/transact.ts";

/**
 * Ends a subscription. Its waiting callbacks are dropped. Of two requests at the same time one succeeds.
 *
 * @throws ApiError NOT_FOUND where the Program has none by this id, or it was ended meanwhile
 */
export async function endSubscription(programId: string, listenerId: string): Promise<void> {
  const listener = await readListener(programId, listenerId);
  if (!listener) throw new ApiError("NOT_FOUND");
  const outcome = await transact(unsubscriptionWrites(listener));
  if (!outcome.committed) throw new ApiError("NOT_FOUND");
}
