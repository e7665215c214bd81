import type { Balances } from "../../shared/contract/balances.ts";
import { type Hold, readHold } from "../../shared/domain/holds/hold.ts";
import { answerBalances } from "../../shared/domain/network/answer-event.ts";
import type { CardEvent } from "../../shared/domain/network/card-plan.ts";
import type { AppliedResult, Planned } from "../../shared/domain/network/event-plan.ts";
import { planCardEvent } from "../../shared/domain/network/plan-card-event.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { newId } from "../../shared/platform/id.ts";
import type { IdempotencyKey } from "../../shared/platform/idempotency/idempotency-key.ts";

/** What every emulated event of a card starts with. */
export function eventOf<K extends CardEvent["kind"]>(kind: K, programId: string, cardId: string) {
  return { kind, eventId: newId("event"), programId, cardId };
}

/** Applies an event and answers the card's balances after it, in minor units, with what `more` adds. */
export function answerWithBalances<A>(
  event: CardEvent,
  key: IdempotencyKey | undefined,
  more: (result: AppliedResult) => A,
  plan: () => Promise<Planned> = () => planCardEvent(event),
): Promise<Balances & A> {
  return answerBalances({
    event,
    plan,
    account: { kind: "card", accountId: event.cardId },
    key,
    answer: (result, balances) => ({ ...balances, ...more(result) }),
  });
}

/** The transaction that a posting event wrote. */
export function transactionIn({ transId }: AppliedResult): { transId: string } {
  if (transId === undefined) throw new Error("The event wrote no transaction.");
  return { transId };
}

/**
 * The authorization's hold.
 *
 * @throws ApiError NOT_FOUND for an authorization that nothing is known of
 */
export async function getHold(programId: string, authorizationId: string): Promise<Hold> {
  const hold = await readHold(programId, authorizationId);
  if (!hold) throw new ApiError("NOT_FOUND");
  return hold;
}
