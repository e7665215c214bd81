import type { Hold } from "../authorizations/holds/hold.ts";
import type { Card, CardIdentity } from "../cards/card.ts";
import { type Read, type ReadMore, type Unread, unread } from "../changes/change.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { CardEvent } from "./card-event.ts";
import type { CardPlan, CardSubject, OfHold, OfPresented, Rejected } from "./plan.ts";

/**
 * What one capability knows of an event beside its Card: of the plastic, say, or the token that it
 * is made with. `apply/card-changes.ts` has the table of them. Nothing else names them.
 */
export interface CardPart<Item extends object = object> {
  /** Its item is found by this name, and a condition on it fails under it. */
  readonly name: string;
  /** Read beside what the event's kind reads. */
  read?(event: CardEvent, known: ReadsOfEvent): Read<Item>;
  /** The event under the id of what it names, or of what names it. It is executed as that one. */
  becomes?(event: CardEvent, item: Item): CardEvent | undefined;
  /** Such an event is not tried before the Card is read. */
  needsAccount?(event: CardEvent): boolean;
  judge?(seen: SeenPart<Item>): Judged | Rejected | ReadMore<object> | undefined;
  /** What is committed beside the plan. */
  writes?(event: CardEvent, item: Item | undefined, planned: Planned): readonly WriteAction[];
  /** The plan with what it has of it, once all its writes are known. */
  complete?(plan: CardPlan, subject: CardSubject & OfHold): CardPlan;
}

/** What is read for the event at most once. */
interface ReadsOfEvent {
  readonly card: () => Promise<CardIdentity | undefined>;
  readonly hold: () => Promise<Hold | undefined>;
}

interface Planned {
  readonly plan: CardPlan;
  readonly subject: CardSubject & OfHold;
}

interface SeenPart<Item extends object> {
  readonly event: CardEvent;
  readonly item: Item | undefined | Unread;
  /** Undefined if the event is tried without a read. */
  readonly account: Card | undefined;
  /** Reads the Card again. */
  readonly accountAgain: () => Read<Card>;
  readonly at: Date;
}

interface Judged {
  /** With what the platform knows, in the place of what the sender says. */
  readonly event?: CardEvent;
  readonly presented?: OfPresented["presented"];
}

/** The event as it is planned, with what all parts say of it. */
export function judgeParts(
  parts: readonly CardPart[],
  sent: CardEvent,
  found: object,
  known: Pick<SeenPart<object>, "accountAgain" | "at">,
): Required<Judged> | Rejected | ReadMore<object> {
  const { account } = found as { readonly account?: Card | Unread };
  let [event, presented]: [CardEvent, NonNullable<OfPresented["presented"]>] = [sent, {}];
  for (const part of parts) {
    const seen: SeenPart<object> = {
      event,
      item: findItem(part, found),
      account: account === unread ? undefined : account,
      ...known,
    };
    const judged = part.judge?.(seen);
    if (judged && ("rejected" in judged || "readMore" in judged)) return judged;
    event = judged?.event ?? event;
    presented = { ...presented, ...judged?.presented };
  }
  return { event, presented };
}

/** The event as the first part knows it that finds it under another id. */
export function findBecoming(
  parts: readonly CardPart[],
  event: CardEvent,
  found: object,
): CardEvent | undefined {
  for (const part of parts) {
    const item = findItem(part, found);
    const becomes = item && item !== unread ? part.becomes?.(event, item) : undefined;
    if (becomes) return becomes;
  }
  return undefined;
}

export function findItem({ name }: CardPart, found: object): object | undefined | Unread {
  return (found as Readonly<Record<string, object | undefined | Unread>>)[name];
}
