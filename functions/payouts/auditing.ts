import type { Payout } from "../../shared/payments/payout.ts";
import type { AuditPayout } from "../../shared/payments/payout-step.ts";
import type { ProgramScope } from "../../shared/platform/http/request.ts";
import { type AuditAction, auditPut, toActor } from "../../shared/tenancy/audit-log.ts";

interface Request {
  readonly scope: ProgramScope;
  readonly requestId: string;
}

const shown = ({ status, amountMinor: amount, feeMinor: fee, walletId, externalAccountId }: Payout) => ({
  ...{ status, amount, fee, walletId, externalAccountId },
});

/** Who moves a Wallet's money out, or lets others, is in the audit log. */
export function auditing(request: Request, action: AuditAction): AuditPayout {
  const { tenantId, programId } = request.scope;
  return (before, after) =>
    auditPut(toActor(request), {
      ...{ tenantId, programId, action, subjectId: after.paymentId },
      before: before ? { status: before.status } : null,
      after: before ? { status: after.status } : shown(after),
    });
}
