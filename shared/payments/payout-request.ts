import { nothing, type OfProgram } from "../changes/change.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { idStart } from "../platform/id.ts";
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

/** Pulls and micro-deposits are payments too, with the same key: their ids name no payout. */
function isPayoutId(payoutId: string): boolean {
  return payoutId.startsWith(idStart("payout"));
}

/** @throws ApiError NOT_FOUND */
export async function requirePayout(programId: string, payoutId: string): Promise<Payout> {
  if (!isPayoutId(payoutId)) throw new ApiError("NOT_FOUND");
  return payouts.at(programId, payoutId).require();
}

export function payoutReads({ programId, payoutId }: Pick<PayoutRequest, "programId" | "payoutId">) {
  return { payout: isPayoutId(payoutId) ? payouts.at(programId, payoutId) : nothing };
}

export function readPayout({ programId, paymentId }: Outcome) {
  return payoutReads({ programId, payoutId: paymentId });
}
