import { askReceiver } from "../../authorizations/decisions/ask.ts";
import { advice, authorization, increment } from "../../authorizations/plan-authorization.ts";
import { decision } from "../../authorizations/plan-decision.ts";
import { balanceInquiry, refundAuthorization } from "../../authorizations/plan-noted.ts";
import { refund, refundReversal } from "../../authorizations/plan-refund.ts";
import { expiry, reversal } from "../../authorizations/plan-reversal.ts";
import { clearing, fee, feeReversal } from "../../authorizations/plan-settlement.ts";
import { atmWithdrawal } from "../../authorizations/plan-withdrawal.ts";
import "../../controls/open-controls.ts";
import {
  chargeback,
  chargebackOutcome,
  disputeAmendment,
  disputeCreation,
  disputeOutcome,
  disputeStep,
} from "../../disputes/plan-dispute.ts";
import type { CardChanges } from "../card-change.ts";

/** What each event of a Card changes. Entrances give it to the functions of `execute-event.ts`. */
export const cardChanges: CardChanges = {
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
  ask: askReceiver,
};
