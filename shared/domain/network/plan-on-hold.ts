import { now, timestamp } from "../../platform/clock.ts";
import type { FailedConditions } from "../../platform/table/transact.ts";
import { type CardIdentity, cardIdentity } from "../cards/card-identity.ts";
import { emptyHold, type Hold, readHold } from "../holds/hold.ts";
import type { CardEvent, Subject } from "./card-plan.ts";
import { illegal, notFound, type Planned } from "./event-plan.ts";

type HoldEvent = Extract<CardEvent, { authorizationId?: string | undefined }>;

/** An event together with the hold that it is about, as it stands. */
export interface HoldSubject<E extends HoldEvent> extends Subject<E> {
  /** An empty one where nothing of the authorization has arrived yet. */
  readonly hold: Hold;
  readonly known: boolean;
  /** Plans the event again on the hold as it has become. */
  readonly again: (failedConditions: FailedConditions) => Promise<Planned>;
}

/** An event about an authorization, worked out from the hold where the sender leaves it to the platform how much is left. */
export interface HoldEventSource<E extends HoldEvent> {
  readonly programId: string;
  readonly authorizationId: string;
  /** Where it is known before the hold is. */
  readonly cardId?: string;
  readonly eventOn: (hold: Hold | undefined) => E;
}

/**
 * Plans an event on the hold as it is read, and again on what it has become where another event was quicker. One read; the
 * card's identity is read beside it where this worker does not know it.
 */
export async function planOnHold<E extends HoldEvent>(
  source: HoldEventSource<E>,
  decide: (subject: HoldSubject<E>) => Planned | Promise<Planned>,
): Promise<Planned> {
  const { programId, authorizationId, cardId } = source;
  const on = async (hold: Hold | undefined): Promise<Planned> => {
    const event = source.eventOn(hold);
    const identity = await cardIdentity(programId, event.cardId);
    if (!identity) return notFound;
    if (hold && hold.cardId !== event.cardId) return illegal;
    return decide(subjectOf(event, identity, hold));
  };
  const subjectOf = (event: E, identity: CardIdentity, hold: Hold | undefined): HoldSubject<E> => {
    const at = now();
    return {
      event,
      identity,
      at,
      hold: hold ?? emptyHold(identity, authorizationId, timestamp(at)),
      known: hold !== undefined,
      again: async (failedConditions) => {
        if (!failedConditions.has("hold")) throw new Error("The store refused what has no condition.");
        return on(await readHold(programId, authorizationId));
      },
    };
  };
  const [hold] = await Promise.all([
    readHold(programId, authorizationId),
    cardId && cardIdentity(programId, cardId),
  ]);
  return on(hold);
}

/** The source of an event that says itself all that there is to say. */
export function complete<E extends HoldEvent & { authorizationId: string }>(event: E): HoldEventSource<E> {
  const { programId, authorizationId, cardId } = event;
  return { programId, authorizationId, cardId, eventOn: () => event };
}
