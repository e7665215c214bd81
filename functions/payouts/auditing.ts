import type { Audit } from "../../shared/payments/payment-step.ts";
import type { Payout } from "../../shared/payments/payout.ts";
import type { Pull } from "../../shared/payments/pull.ts";
import { type AuditAction, type AuditedRequest, auditRequest } from "../../shared/tenancy/audit-log.ts";

function shown(payment: Payout | Pull) {
  const { status, amountMinor: amount, walletId, externalAccountId } = payment;
  const own = "mandateId" in payment ? { mandateId: payment.mandateId } : { fee: payment.feeMinor };
  return { status, amount, walletId, externalAccountId, ...own };
}

/** Who moves money out of a Wallet or a bank account, or lets others, is in the audit log. */
export function auditing(request: AuditedRequest, action: AuditAction): Audit<Payout | Pull> {
  return (before, after) =>
    auditRequest(request, action, after.paymentId, {
      before: before ? { status: before.status } : null,
      after: before ? { status: after.status } : shown(after),
    });
}
