import { readListener } from "../../shared/domain/passcodes/listener.ts";
import { unsubscriptionWrites } from "../../shared/domain/passcodes/subscription.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { transact } from "../../shared/platform/table/transact.ts";

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
