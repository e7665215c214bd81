import type { CardChange } from "./card-change.ts";
import type { CardEvent, CardEventOf } from "./card-event.ts";
import { advice, authorization, increment } from "./plan-authorization.ts";
import { decision } from "./plan-decision.ts";
import {
  chargeback,
  chargebackOutcome,
  disputeAmendment,
  disputeCreation,
  disputeOutcome,
  disputeStep,
} from "./plan-dispute.ts";
import { balanceInquiry, refundAuthorization } from "./plan-noted.ts";
import { refund, refundReversal } from "./plan-refund.ts";
import { expiry, reversal } from "./plan-reversal.ts";
import { clearing, fee, feeReversal } from "./plan-settlement.ts";
import { atmWithdrawal } from "./plan-withdrawal.ts";

/** What each event of a Card changes. */
export const cardChanges: { readonly [K in CardEvent["kind"]]: CardChange<CardEventOf<K>> } = {
  authorization,
  authorization_advice: advice,
  authorization_incremental: increment,
  authorization_reversal: reversal,
  authorization_expiry: expiry,
  authorization_decision: decision,
  clearing,
  refund,
  refund_authorization: refundAuthorization,
  refund_reversal: refundReversal,
  atm_withdrawal: atmWithdrawal,
  balance_inquiry: balanceInquiry,
  fee,
  fee_reversal: feeReversal,
  chargeback,
  chargeback_outcome: chargebackOutcome,
  dispute_creation: disputeCreation,
  dispute_change: disputeAmendment,
  dispute_step: disputeStep,
  dispute_outcome: disputeOutcome,
};
