import { TransactionType } from "../contract/enums.ts";
import type { SimilarTo } from "../contract/network-message.ts";
import { findTypeFacts } from "../contract/transaction-types.ts";
import type { CardEventOf } from "../network-events/card-event.ts";
import { renamed } from "../network-events/message-names.ts";
import { notFound, type Rejected } from "../network-events/plan.ts";
import { transactionsWithin } from "../transactions/transactions-within.ts";

type Reversal = CardEventOf<"authorization_reversal">;

/** A hold expires after seven days. */
const openMs = 8 * 86_400_000;

/** The reversal of the only one of the Card that has the reference and the amount. */
export async function byReference(
  event: Reversal,
  { id, at, amount }: SimilarTo,
): Promise<Reversal | Rejected> {
  const { programId, cardId } = event;
  const [acquirer, reference] = id.split(".");
  // What is meant may have had zeros for its acquirer.
  const found = [acquirer, "0"].map((one) => ({ start: `${one}.${reference}.`, ids: new Set<string>() }));
  const since = new Date(Date.parse(at) - openMs);
  for await (const { authorizationId, amountMinor, transType } of transactionsWithin(
    programId,
    cardId,
    since,
  )) {
    const isPlaced = findTypeFacts(transType).isHeld || transType === TransactionType.pindebit_atm_withdrawal;
    if (!isPlaced || amountMinor !== amount || authorizationId === undefined) continue;
    // An increment may be reversed alone.
    const meant = transType === TransactionType.authorization_incremental ? "" : authorizationId;
    found.find(({ start }) => authorizationId.startsWith(start))?.ids.add(meant);
  }
  const [authorizationId, ...others] = found.find(({ ids }) => ids.size > 0)?.ids ?? [];
  return authorizationId && others.length === 0 ? renamed(event, id, authorizationId) : notFound;
}
