import { KycStatus } from "../../contract/enums.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { Cardholder } from "./cardholder.ts";
import { changeCardholderStatus } from "./cardholder-status.ts";

const triggerOf = {
  [KycStatus.approved]: "approve",
  [KycStatus.complianceDecline]: "decline",
  [KycStatus.error]: "fail",
} as const;

/**
 * The writes of a compliance review's outcome: legal in 3 Under Review alone. The review is over, so what was kept for it goes. A
 * refusal is named `cardholder` and explained by `cardholderRefusal`.
 */
export function kycOutcome(programId: string, cardholder: Cardholder, status: KycStatus): WriteAction[] {
  return changeCardholderStatus(programId, cardholder, triggerOf[status], {
    remove: ["kycSession", "kycToken"],
  });
}
