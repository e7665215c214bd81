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
 * Legal only in 3 Under Review. Deletes what was kept for the review. Failed condition: `cardholder`,
 * explained by `cardholderRefusal`.
 */
export function kycOutcome(programId: string, cardholder: Cardholder, status: KycStatus): WriteAction[] {
  return changeCardholderStatus(programId, cardholder, triggerOf[status], {
    remove: ["kycSession", "kycToken"],
  });
}
