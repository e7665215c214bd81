import { type FoundBy, nothing, type OfProgram } from "../changes/change.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Outcome } from "./outcome.ts";
import { isOfKind } from "./payment.ts";
import { type AuditPayout, type Payout, payouts } from "./payout.ts";

/** What a client asks of a payout. */
export interface PayoutRequest extends OfProgram {
  readonly payoutId: string;
  /** The API user. */
  readonly by: string;
  readonly audit?: AuditPayout;
}

/** @throws ApiError NOT_FOUND */
export async function requirePayout(programId: string, payoutId: string): Promise<Payout> {
  if (!isOfKind("payout", payoutId)) throw new ApiError("NOT_FOUND");
  return payouts.at(programId, payoutId).require();
}

export function payoutReads({ programId, payoutId }: Pick<PayoutRequest, "programId" | "payoutId">) {
  return { payout: isOfKind("payout", payoutId) ? payouts.at(programId, payoutId) : nothing };
}

export type FoundPayout = FoundBy<ReturnType<typeof payoutReads>>;

export function readPayout({ programId, paymentId }: Outcome) {
  return payoutReads({ programId, payoutId: paymentId });
}
