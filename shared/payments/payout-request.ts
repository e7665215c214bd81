import type { OfProgram } from "../changes/change.ts";
import type { Outcome } from "./outcome.ts";
import { type Payout, payouts } from "./payout.ts";
import type { AuditPayout } from "./payout-step.ts";

/** What a client asks of a payout. */
export interface PayoutRequest extends OfProgram {
  readonly payoutId: string;
  /** The API user. */
  readonly by: string;
  readonly audit?: AuditPayout;
}

export interface FoundPayout {
  readonly payout: Payout | undefined;
}

export function payoutReads({ programId, payoutId }: Pick<PayoutRequest, "programId" | "payoutId">) {
  return { payout: payouts.at(programId, payoutId) };
}

export function readPayout({ programId, paymentId }: Outcome) {
  return payoutReads({ programId, payoutId: paymentId });
}
