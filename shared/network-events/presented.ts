import type { EntryMode } from "../contract/card-network.ts";
import type { SentVerification } from "../contract/verification.ts";
import type { Presented } from "../plastics/presented-plastic.ts";
import type { CardEvent, CardEventOf } from "./card-event.ts";

/**
 * What an event says of the plastic that it is made with. Undefined for what is booked whatever it
 * was made with: an old number names its Card for good.
 */
export function toPresented(event: CardEvent): Presented | undefined {
  switch (event.kind) {
    case "authorization_incremental":
      // Its authorization was made with a plastic that was good: it may have another by now.
      return event.plasticId === undefined ? undefined : { ...pick(event), anyOfNumber: true };
    case "atm_withdrawal":
      return event.advice ? undefined : pick(event);
    case "authorization":
    case "balance_inquiry":
    case "refund_authorization":
      return pick(event);
    default:
      return undefined;
  }
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
