import { later, nothing, unread } from "../changes/change.ts";
import type { EntryMode } from "../contract/card-network.ts";
import type { SentVerification } from "../contract/verification.ts";
import { type CardEvent, type CardEventOf, findFacts } from "../network-events/card-event.ts";
import type { CardPart } from "../network-events/card-part.ts";
import { notFound } from "../network-events/plan.ts";
import { type Plastic, plastics } from "./plastic.ts";
import { isPresentable, judgePlastic, needsPlastic, type Presented } from "./presented-plastic.ts";

/**
 * Only a purchase with another plastic than its Card shows reads that. Both are read again if the
 * Card was read before the plastic was activated.
 */
export const namedPlastic: CardPart<Plastic> = {
  name: "plastic",
  read: () => later(nothing),
  judge: ({ event, item, account, accountAgain }) => {
    const presented = toPresented(event);
    if (!presented) return undefined;
    const requires = isPresentable(presented, account);
    if (!account) return { presented: { requires } };
    const plastic = item === unread ? undefined : item;
    const refused = judgePlastic(presented, account, plastic);
    if (needsPlastic(presented, account)) {
      const { programId, cardId } = event;
      const at = plastics.at(programId, cardId, presented.plasticId ?? "");
      if (item === unread) return { readMore: { plastic: at } };
      if (!plastic) return notFound;
      if (refused === "stale") return { readMore: { plastic: at, account: accountAgain() } };
    }
    return { presented: { requires, refused: refused === "stale" ? undefined : refused } };
  },
};

/**
 * What an event says of the plastic that it is made with. Undefined for what is booked whatever it
 * was made with: an old number names its Card for good.
 */
function toPresented(event: CardEvent): Presented | undefined {
  // Its authorization was made with a plastic that was good: it may have another by now.
  if (event.kind === "authorization_incremental")
    return event.plasticId === undefined ? undefined : { ...pick(event), anyOfNumber: true };
  const isBooked = "advice" in event && event.advice;
  return findFacts(event).isPresented && !isBooked ? pick(event as Sent) : undefined;
}

type Sent = Pick<CardEventOf<"authorization">, "cardId" | "plasticId" | "anyOfNumber" | "tokenId"> & {
  readonly entryMode?: EntryMode | undefined;
  readonly verification?: SentVerification | undefined;
};

function pick({ cardId, plasticId, anyOfNumber, tokenId, entryMode, verification = {} }: Sent): Presented {
  const { recurring, storedCredential } = verification;
  const isKept = storedCredential !== undefined && storedCredential !== "initial";
  const isStored = entryMode === "recurring" || recurring === true || isKept;
  return { cardId, plasticId, anyOfNumber, tokenId, isStored };
}
