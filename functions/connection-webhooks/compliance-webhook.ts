import { httpCompliance } from "../../shared/adapters/compliance/http.ts";
import type { KycOutcome } from "../../shared/adapters/compliance-port.ts";
import { RefusedInputError } from "../../shared/adapters/refused-input-error.ts";
import { cardholderOfSession } from "../../shared/cardholders/review.ts";
import { CardholderStatus } from "../../shared/contract/enums.ts";
import type { ProcessorEvent, ProcessorResult } from "../../shared/contract/processor.ts";
import { sha256 } from "../../shared/platform/sha256.ts";
import { applyNow, standardReceiver } from "./standard-receiver.ts";

/** Applied before it is answered: the provider learns whether its outcome counts. */
export const complianceReceiver = standardReceiver({
  read: httpCompliance.readOutcome,
  async apply({ eventId, sessionId, outcome }, programId) {
    // A corrected outcome is another event. Event ids have at most 128 characters.
    const ofSession = `compliance:${sessionId}:${sha256(`${eventId}:${outcome}`)}`;
    const result = await applyOutcome(programId, sessionId, outcome, ofSession);
    if (result.outcome === "applied") return;
    if (result.code === "NOT_FOUND") throw unknownSession();
    throw new RefusedInputError(
      "ILLEGAL_TRANSITION",
      "sessionId: the review is over, or the Cardholder is in another one.",
    );
  },
});

const statuses = {
  approved: CardholderStatus.approved,
  declined: CardholderStatus.complianceDecline,
  error: CardholderStatus.error,
} as const;

/** @throws RefusedInputError if the id is of no review */
export function applyOutcome(
  programId: string,
  sessionId: string,
  outcome: KycOutcome,
  eventId: string,
): Promise<ProcessorResult> {
  const cardholderId = cardholderOfSession(sessionId);
  if (cardholderId === undefined) throw unknownSession();
  const common = { eventId, programId, cardholderId, sessionId };
  const event: ProcessorEvent =
    outcome === "documents_required"
      ? { kind: "kyc_documents", ...common }
      : { kind: "kyc_outcome", ...common, status: statuses[outcome] };
  return applyNow(event);
}

function unknownSession(): RefusedInputError {
  return new RefusedInputError("VALIDATION_FAILED", "sessionId: names no submission of the Program.");
}
