import { namedAuthentication } from "../../authentications/named-authentication.ts";
import { controlsDoor } from "../../authorizations/controls/controls-door.ts";
import { withHistory } from "../../authorizations/holds/history.ts";
import { advice, increment } from "../../authorizations/plan-advice.ts";
import { authorization } from "../../authorizations/plan-authorization.ts";
import { decision } from "../../authorizations/plan-decision.ts";
import { balanceInquiry, refundAuthorization } from "../../authorizations/plan-noted.ts";
import { refund, refundReversal } from "../../authorizations/plan-refund.ts";
import { askers } from "../../authorizations/plan-reservation.ts";
import { expiry, reversal } from "../../authorizations/plan-reversal.ts";
import { clearing, fee, feeReversal } from "../../authorizations/plan-settlement.ts";
import { atmWithdrawal } from "../../authorizations/plan-withdrawal.ts";
import { sentAddress } from "../../authorizations/sent-address.ts";
import {
  chargeback,
  chargebackOutcome,
  disputeAmendment,
  disputeCreation,
  disputeOutcome,
  disputeStep,
} from "../../disputes/plan-dispute.ts";
import { namedPlastic } from "../../plastics/named-plastic.ts";
import { namedToken } from "../../tokens/named-token.ts";
import { type CardChanges, withKnown } from "../card-change.ts";
import type { CardPart } from "../card-part.ts";
import { fundingDoor } from "../funded-card.ts";
import { messages, namedMessage } from "../message-names.ts";
import { silentEventWrites } from "../silent-event.ts";
import { noteUnposted } from "../unposted-event.ts";
import { asking } from "./ask-and-decide.ts";

/**
 * What each capability knows of an event beside its Card, whatever its kind. Each sees the event as
 * those before it have left it.
 */
const parts: readonly CardPart[] = [
  namedMessage,
  sentAddress,
  namedAuthentication,
  namedToken,
  namedPlastic,
  { name: "history", complete: withHistory },
];

/** What each event of a Card changes. Entrances give it to the functions of `execute-event.ts`. */
export const cardChanges: CardChanges = {
  ...withKnown(
    { parts, controls: controlsDoor, funding: fundingDoor(controlsDoor), askers },
    {
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
    },
  ),
  asking,
  messages,
  refusedWrites: silentEventWrites,
  noteRefused: noteUnposted,
  besideCommit: controlsDoor.renewAhead,
};
