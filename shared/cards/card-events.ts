import { cardholders } from "../cardholders/cardholder.ts";
import { defineChange, later, nothing, type StepRefusal, unread, whenFailed } from "../changes/change.ts";
import { CardApprovalStatus, CardStatus } from "../contract/enums.ts";
import type { Applied, ProcessorEvent } from "../contract/processor.ts";
import { illegalStatus } from "../platform/http/api-error.ts";
import { cards } from "./card.ts";
import { type IssuanceDecisionWrites, prepareIssuanceDecision } from "./issuance.ts";

type EventOf<K extends ProcessorEvent["kind"]> = Extract<ProcessorEvent, { kind: K }>;
const approval = defineChange<EventOf<"card_approval">, Applied, StepRefusal>()({
  reads: ({ programId, cardId }) => ({
    card: cards.at(programId, cardId),
    // Its preparation takes an address's index.
    issuance: later<IssuanceDecisionWrites>(nothing),
    // Who is not Approved any more.
    cardholder: whenFailed((stored) => cardholders.parse(stored)),
  }),
  decide: ({ programId, cardStatus }, { card, issuance, cardholder }) => {
    if (!card) return { rejected: "NOT_FOUND" };
    const { cardStatus: approved, issuerCardStatus: status } = card;
    const isPending = approved === CardApprovalStatus.pending && status === CardStatus.pending;
    if (!isPending) return illegalStatus(approved, [CardApprovalStatus.pending], CardApprovalStatus);
    if (cardholder !== unread) return { rejected: "ILLEGAL_TRANSITION" };
    if (issuance === unread || !issuance) {
      const get = () => prepareIssuanceDecision(programId, card, cardStatus);
      return { readMore: { issuance: { get } } };
    }
    const { charge, ...writes } = issuance;
    return { ...writes, ...charge, answer: { outcome: "applied" } };
  },
});

/** What the issuer's processor says of a Card's issuance. */
export const cardEvents = { card_approval: approval } as const;
