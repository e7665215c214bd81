import { type Cardholder, cardholders } from "../cardholders/cardholder.ts";
import type { Applied } from "../changes/applied-event.ts";
import { type Change, later, nothing, type Unread, unread, whenFailed } from "../changes/change.ts";
import { CardApprovalStatus, CardForm, CardStatus } from "../contract/enums.ts";
import type { ProcessorEvent } from "../contract/processor.ts";
import { type Card, cards } from "./card.ts";
import { type IssuanceDecisionWrites, prepareIssuanceDecision } from "./issuance.ts";
import { advanceShipping, pendingShipping } from "./shipping.ts";

type EventOf<K extends ProcessorEvent["kind"]> = Extract<ProcessorEvent, { kind: K }>;
type Code = "NOT_FOUND" | "ILLEGAL_TRANSITION";

interface FoundIssuance {
  readonly card: Card | undefined;
  /** Its preparation takes an address's index. */
  readonly issuance: IssuanceDecisionWrites | undefined | Unread;
  /** Who is not Approved any more. */
  readonly cardholder: Cardholder | undefined | Unread;
}

const approval: Change<EventOf<"card_approval">, FoundIssuance, Applied, Code> = {
  reads: ({ programId, cardId }) => ({
    card: cards.at(programId, cardId),
    issuance: later(nothing),
    cardholder: whenFailed((stored) => cardholders.parse(stored)),
  }),
  decide: ({ programId, cardStatus }, { card, issuance, cardholder }) => {
    if (!card) return { rejected: "NOT_FOUND" };
    const { cardStatus: approved, issuerCardStatus: status } = card;
    const isPending = approved === CardApprovalStatus.pending && status === CardStatus.pending;
    if (!isPending || cardholder !== unread) return { rejected: "ILLEGAL_TRANSITION" };
    if (issuance === unread || !issuance) {
      const get = () => prepareIssuanceDecision(programId, card, cardStatus);
      return { readMore: { issuance: { get } } };
    }
    return { ...issuance, accounts: [], answer: { outcome: "applied" } };
  },
};

/** A Card that awaits its approval counts as not found: the approval may arrive later. */
const shipping: Change<EventOf<"card_shipping">, { readonly card: Card | undefined }, Applied, Code> = {
  reads: ({ programId, cardId }) => ({ card: cards.at(programId, cardId) }),
  decide: (event, { card }, at) => {
    if (!card || card.cardStatus === CardApprovalStatus.pending) return { rejected: "NOT_FOUND" };
    if (card.cardForm === CardForm.virtual || card.cardStatus === CardApprovalStatus.declined)
      return { rejected: "ILLEGAL_TRANSITION" };
    const { programId, cardId } = event;
    const advanced = advanceShipping(card.shipping ?? pendingShipping(card.createdAt), event, at);
    const change = { set: { shipping: advanced } };
    const writes = advanced ? [cards.at(programId, cardId).update(change, { shipping: card.shipping })] : [];
    return { accounts: [], writes, answer: { outcome: "applied" } };
  },
};

/** What the issuer's processor says of a Card's production. */
export const cardEvents = { card_approval: approval, card_shipping: shipping } as const;
