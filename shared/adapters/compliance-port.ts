import type { OutsideDetail } from "../contract/outside.ts";
import type { Webhook } from "./processor-port.ts";

/** What the provider decides, or asks for. */
export const kycOutcomes = ["approved", "declined", "error", "documents_required"] as const;
export type KycOutcome = (typeof kycOutcomes)[number];

interface ReviewRequest extends OutsideDetail<"kyc.requested"> {
  /** The same in each request of a review. */
  readonly eventId: string;
}

interface ReviewOutcome {
  /** The provider's own unique id of the event. */
  readonly eventId: string;
  readonly sessionId: string;
  readonly outcome: KycOutcome;
}

/** Translates between the platform and one kind of compliance provider. Pure. */
export interface ComplianceAdapter {
  /** The body that the platform signs and posts. */
  toRequest(request: ReviewRequest): string;
  /** Reads a 2xx answer to it. Undefined if it cannot be read. */
  readAnswer(body: string): { readonly kycUrl?: string | undefined } | undefined;
  verify(webhook: Webhook, secret: string, at: Date): boolean;
  /** @throws RefusedInputError */
  readOutcome(webhook: Webhook): ReviewOutcome;
}
