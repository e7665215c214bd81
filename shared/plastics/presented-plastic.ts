import type { Card } from "../cards/card.ts";
import { firstPlasticId } from "../cards/card-plastic.ts";
import { CardStatus } from "../contract/enums.ts";
import type { AuthorizationDeclineReason } from "../contract/transactions.ts";
import { absent, any, type Condition } from "../platform/table/condition.ts";
import { type Plastic, toNumberId } from "./plastic.ts";

/** What a purchase says of the plastic that it is made with. */
export interface Presented {
  readonly cardId: string;
  /** Default: the active one, or else the newest. */
  readonly plasticId?: string | undefined;
  /** Any plastic with its number: the sender does not know which, or it does not matter. */
  readonly anyOfNumber?: boolean | undefined;
  /** The merchant keeps the number, and may not know that it expires later by now. */
  readonly isStored?: boolean | undefined;
  /** It is made with a token, which goes on while a plastic is in the mail. */
  readonly tokenId?: string | undefined;
}

interface Refused {
  readonly reason: AuthorizationDeclineReason;
  readonly stoppedFor?: "lost" | "stolen" | undefined;
  readonly require: Condition<Card>;
}

/** Which purchases are made with the plastic that the Card shows: all that name no other. */
function isShown({ cardId, plasticId }: Presented, card: Pick<Card, "plasticId">): boolean {
  return plasticId === undefined || plasticId === (card.plasticId ?? firstPlasticId(cardId));
}

/** Whether more than the Card must be known: the plastic that is named. */
export function needsPlastic(presented: Presented, card: Card): boolean {
  return presented.tokenId === undefined && !isShown(presented, card);
}

/** The Card's plastics as they were seen. */
function asSeen({ plasticId, awaitsPlastic }: Card): Condition<Card> {
  return { plasticId, awaitsPlastic };
}

/** What must be true of a Card for the purchase. `card`: as it was seen, which was judged. */
export function isPresentable(presented: Presented, card: Card | undefined): Condition<Card> | undefined {
  const { cardId, plasticId, tokenId } = presented;
  if (tokenId !== undefined) return undefined;
  if (card) return asSeen(card);
  if (plasticId === undefined) return { awaitsPlastic: absent };
  const shown = { plasticId, awaitsPlastic: absent };
  const isFirst = plasticId === firstPlasticId(cardId);
  return isFirst ? any<Card>({ plasticId: absent, awaitsPlastic: absent }, shown) : shown;
}

/**
 * Why a purchase with the plastic is declined, or `stale` if the Card was read before it was
 * activated. `plastic`: what is named, if it is not what the Card shows.
 */
export function judgePlastic(
  presented: Presented,
  card: Card,
  plastic: Plastic | undefined,
): Refused | "stale" | undefined {
  if (presented.tokenId !== undefined) return undefined;
  const require = asSeen(card);
  if (isShown(presented, card))
    return card.awaitsPlastic && card.issuerCardStatus !== CardStatus.closed
      ? { reason: "CARD_NOT_ACTIVATED", require }
      : undefined;
  if (!plastic) return undefined;
  if (plastic.state === "stopped") {
    const { stoppedFor } = plastic;
    return { reason: "PLASTIC_STOPPED", stoppedFor, require };
  }
  if (card.issuerCardStatus === CardStatus.closed) return undefined;
  if (plastic.state === "active") return "stale";
  const sharesNumber = toNumberId(plastic) === toNumberId({ cardId: card.entityId, numberId: card.numberId });
  // The number was kept: what a merchant has of it goes on, also while the plastic is in the mail.
  if (sharesNumber && presented.isStored && plastic.state === "replaced") return undefined;
  if (sharesNumber && (presented.anyOfNumber || presented.isStored) && !card.awaitsPlastic) return undefined;
  // What the number has is the one that waits: the older ones were replaced by it.
  const isAwaited = sharesNumber && presented.anyOfNumber && card.awaitsPlastic;
  const isPending = plastic.state === "pending" || isAwaited;
  const reason = isPending ? "CARD_NOT_ACTIVATED" : "PLASTIC_REPLACED";
  return { reason, require };
}
