import type { Audit } from "../../shared/payments/payment-step.ts";
import type { Payout } from "../../shared/payments/payout.ts";
import type { Pull } from "../../shared/payments/pull.ts";
import type { ProgramScope } from "../../shared/platform/http/request.ts";
import { type AuditAction, auditPut, toActor } from "../../shared/tenancy/audit-log.ts";

export interface AuditedRequest {
  readonly scope: ProgramScope;
  readonly requestId: string;
}

function shown(payment: Payout | Pull) {
  const { status, amountMinor: amount, walletId, externalAccountId } = payment;
  const own = "mandateId" in payment ? { mandateId: payment.mandateId } : { fee: payment.feeMinor };
  return { status, amount, walletId, externalAccountId, ...own };
}

/** Who moves money out of a Wallet or a bank account, or lets others, is in the audit log. */
export function auditing(request: AuditedRequest, action: AuditAction): Audit<Payout | Pull> {
  const { tenantId, programId } = request.scope;
  return (before, after) =>
    auditPut(toActor(request), {
      ...{ tenantId, programId, action, subjectId: after.paymentId },
      before: before ? { status: before.status } : null,
      after: before ? { status: after.status } : shown(after),
    });
}
