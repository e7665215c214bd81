import type { CertificateStatus } from "../../contract/account-certificates.ts";
import type { TransitionTable } from "../../platform/table/transition.ts";

/**
 * - revoke: DELETE /account/certificates/{certificateId}, or platform administration
 * - expire: `notAfter` has come, by the clock
 */
export type CertificateTrigger = "revoke" | "expire";

/** Every legal change of a client certificate's status. A certificate is active from its registration. */
export const certificateTransitions = [
  { from: "active", trigger: "revoke", to: "revoked" },
  { from: "active", trigger: "expire", to: "expired" },
] as const satisfies TransitionTable<CertificateStatus, CertificateTrigger>;
