import { execute } from "../../shared/changes/execute.ts";
import { payoutExpiry } from "../../shared/payments/decide-payout.ts";
import { payments, unreported } from "../../shared/payments/payment.ts";
import { unapproved } from "../../shared/payments/payout.ts";
import type { DueDeadline } from "../../shared/platform/deadlines.ts";
import { logMeasured } from "../../shared/platform/metrics.ts";

/** Whether the payout still waited for its approval. */
export async function expireApproval(deadline: DueDeadline): Promise<boolean> {
  const { payoutId } = unapproved.parse(deadline);
  return "answer" in (await execute(payoutExpiry, { programId: deadline.ownerId, payoutId }));
}

/** The bank has not said what became of a payment: the operator is told, and nothing changes. */
export async function tellUnreported(deadline: DueDeadline): Promise<false> {
  const { paymentId } = unreported.parse(deadline);
  const payment = await payments.at(deadline.ownerId, paymentId).get();
  if (payment?.status !== "sent") return false;
  const { programId, fileId } = payment;
  logMeasured("The bank has not reported a payment.", { programId, paymentId, fileId }, () => ({
    PaymentsUnreported: 1,
  }));
  return false;
}
