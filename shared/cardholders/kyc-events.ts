import type { Change, StepRefusal } from "../changes/change.ts";
import { CardholderStatus } from "../contract/enums.ts";
import type { Applied, ProcessorEvent } from "../contract/processor.ts";
import { illegalStatus } from "../platform/http/api-error.ts";
import { findStep } from "../platform/table/transition.ts";
import { type Cardholder, cardholders } from "./cardholder.ts";
import { cardholderTransitions, kycOutcomeWrites, kycTriggers } from "./cardholder-status.ts";
import { documentWrites, reviewDeadlineDelete } from "./review.ts";

type EventOf<K extends ProcessorEvent["kind"]> = Extract<ProcessorEvent, { kind: K }>;
type Found = { readonly cardholder: Cardholder | undefined };
type KycChange<K extends "kyc_outcome" | "kyc_documents"> = Change<EventOf<K>, Found, Applied, StepRefusal>;
type AnyKycEvent = EventOf<"kyc_outcome"> | EventOf<"kyc_documents">;

const reads = ({ programId, cardholderId }: AnyKycEvent) => ({
  cardholder: cardholders.at(programId, cardholderId),
});

/** Without a session, it is about the review that lasts. */
const isOfReview = ({ sessionId }: AnyKycEvent, { kycSession }: Cardholder) =>
  sessionId === undefined || sessionId === kycSession;

const outcome: KycChange<"kyc_outcome"> = {
  reads,
  decide: (event, { cardholder }) => {
    if (!cardholder) return { rejected: "NOT_FOUND" };
    const { programId, status, sessionId } = event;
    const { from } = findStep(cardholderTransitions, kycTriggers[status]);
    if (!from.includes(cardholder.status)) return illegalStatus(cardholder.status, from, CardholderStatus);
    if (!isOfReview(event, cardholder)) return { rejected: "ILLEGAL_TRANSITION" };
    const writes = [
      ...kycOutcomeWrites(programId, cardholder, status, sessionId),
      reviewDeadlineDelete(programId, cardholder.entityId),
    ];
    return { writes, answer: { outcome: "applied" } };
  },
};

const documents: KycChange<"kyc_documents"> = {
  reads,
  decide: (event, { cardholder }) => {
    if (!cardholder) return { rejected: "NOT_FOUND" };
    const { programId, sessionId } = event;
    if (cardholder.status !== CardholderStatus.underReview || !isOfReview(event, cardholder))
      return { rejected: "ILLEGAL_TRANSITION" };
    const writes = documentWrites(programId, cardholder, sessionId);
    return { writes, answer: { outcome: "applied" } };
  },
};

/** What the compliance provider says of a Cardholder's review. */
export const kycEvents = { kyc_outcome: outcome, kyc_documents: documents } as const;
