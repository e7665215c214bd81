import { authorityTransitions } from "../../functions/certificates/authorities.ts";
import { authenticationTransitions } from "../../shared/authentications/authentication.ts";
import { cardholderTransitions } from "../../shared/cardholders/cardholder-status.ts";
import { cardApprovalTransitions, cardTransitions } from "../../shared/cards/card-status.ts";
import { shippingTransitions } from "../../shared/cards/shipping.ts";
import { certificateStatus } from "../../shared/contract/account-access.ts";
import { ticketStatus } from "../../shared/contract/account-tickets.ts";
import { AuthenticationState } from "../../shared/contract/authentications.ts";
import { authorityStatus } from "../../shared/contract/authority.ts";
import { DisputeStatus } from "../../shared/contract/disputes.ts";
import {
  CardApprovalStatus,
  CardholderStatus,
  CardStatus,
  DepositStatus,
  DesignStatus,
  PlasticState,
  SuspenseStatus,
} from "../../shared/contract/enums.ts";
import { ExternalAccountStatus } from "../../shared/contract/external-accounts.ts";
import { PayoutStatus } from "../../shared/contract/payouts.ts";
import { PullStatus } from "../../shared/contract/pulls.ts";
import { ShippingStatus } from "../../shared/contract/shipping.ts";
import { TokenState } from "../../shared/contract/tokens.ts";
import { depositTransitions } from "../../shared/deposits/settle-deposit.ts";
import { suspenseTransitions } from "../../shared/deposits/settle-suspense.ts";
import { disputeTransitions } from "../../shared/disputes/transitions.ts";
import { externalAccountTransitions } from "../../shared/external-accounts/external-account.ts";
import { MicroDepositStatus, microDepositTransitions } from "../../shared/payments/micro-deposit.ts";
import { payoutTransitions } from "../../shared/payments/payout.ts";
import { pullTransitions } from "../../shared/payments/pull.ts";
import { plasticTransitions } from "../../shared/plastics/plastic.ts";
import type { TransitionTable } from "../../shared/platform/table/transition.ts";
import { certificateTransitions } from "../../shared/tenancy/certificates/certificate.ts";
import { designTransitions } from "../../shared/tenancy/programs/card-design.ts";
import { ticketTransitions } from "../../shared/tenancy/tickets/ticket.ts";
import { tokenTransitions } from "../../shared/tokens/token.ts";

export interface Machine {
  readonly title: string;
  readonly rule: string;
  readonly statuses: Readonly<Record<string, number | string>>;
  readonly table: TransitionTable<number | string, string>;
  /** What sets each trigger off. */
  readonly triggers: Readonly<Record<string, string>>;
}

export const machines: Machine[] = [
  {
    title: "Cardholder: `status`",
    rule:
      "0 Pending is transitional. In 1 and 3 names, `dateOfBirth`, `gender`, `nationality` and " +
      "`address.country` may be sent but not changed (409 `LOCKED_FIELDS`); in 5 nothing can be changed. Deletion needs every card to be Closed " +
      "(409 `CARDS_NOT_CLOSED`).",
    statuses: CardholderStatus,
    table: cardholderTransitions,
    triggers: {
      submit: "`POST /cardholders/{cardholderId}/submit`",
      approve: "the compliance provider's outcome 1 (sandbox: `kyc-outcome`)",
      decline: "the compliance provider's outcome 2",
      fail: "the compliance provider's outcome 6",
      conclude: "sandbox: an outcome has come and is not decided yet",
      refuse: "platform administration",
      delete: "`DELETE /cardholders/{cardholderId}`",
    },
  },
  {
    title: "Card issuance: `cardStatus`",
    rule:
      "Decided at once, unless the Program's `issuanceApproval` is 1. Approval derives the deposit addresses and needs a " +
      "Cardholder who is still Approved.",
    statuses: CardApprovalStatus,
    table: cardApprovalTransitions,
    triggers: {
      approve: "platform (sandbox: `approval` with 1)",
      decline: "platform (sandbox: `approval` with 2)",
    },
  },
  {
    title: "Plastic of a Card: `state`",
    rule:
      "A physical one begins as pending, a virtual one as active. At most one is active. Lost and stolen stop every plastic " +
      "with the number, at once and for good.",
    statuses: PlasticState.enum,
    table: plasticTransitions,
    triggers: {
      activate: "`POST /cards/{cardId}/activate` with its values",
      replace:
        "a newer one is active; or 60 days passed since that was made, or the older one expired, and it is still pending",
      stop: "`POST /cards/{cardId}/replace` with `lost` or `stolen`",
      close: "`POST /cards/{cardId}/close`",
    },
  },
  {
    title: "Shipping of a physical card: `shipping.status`",
    rule:
      "Reports may arrive in any order: one that is no step here, or occurred before what is known, changes no status and is not " +
      "refused. A step back, for a card that is shipped again, needs a report with a later `occurredAt`.",
    statuses: ShippingStatus.enum,
    table: shippingTransitions,
    triggers: {
      ship: "the processor's event `card_shipping` with `shipped` (sandbox: `shipping`)",
      deliver: "`card_shipping` with `delivered`",
      return: "`card_shipping` with `returned`",
      shipAgain: "`card_shipping` with `shipped` and a later `occurredAt`",
      deliverAgain: "`card_shipping` with `delivered` and a later `occurredAt`",
    },
  },
  {
    title: "Card operation: `issuerCardStatus`",
    rule:
      "0 Pending is transitional. Closing needs an empty card, a debt (which the Program's reserve pays), or a Wallet to " +
      "sweep its money to, and never succeeds over open holds or pending deposits (409 `CARD_NOT_EMPTY`). A card that the platform has blocked " +
      "keeps its status: its Program can neither activate, hold, release, unload nor close it (409 `CARD_BLOCKED`).",
    statuses: CardStatus,
    table: cardTransitions,
    triggers: {
      approveVirtual: "issuance of a virtual card approved",
      approvePhysical: "issuance of a physical card approved",
      activate: "`POST /cards/{cardId}/activate`",
      hold: "`PUT /cards/{cardId}/status` with 2",
      release: "`PUT /cards/{cardId}/status` with 1",
      close: "`POST /cards/{cardId}/close`",
      decline: "issuance declined",
    },
  },
  {
    title: "Deposit",
    rule: "With a sandbox, a bank deposit without a clearing delay is Cleared from the start; otherwise only the bank clears it.",
    statuses: DepositStatus,
    table: depositTransitions,
    triggers: {
      clear:
        "the processor's event `deposit_cleared`; where there is a sandbox, also the Program's clearing delay",
      reverse: "the processor's event `deposit_reversed`, or `deposit_returned` before it cleared",
      return: "the processor's event `deposit_returned`",
    },
  },
  {
    title: "Payout: `status`",
    rule:
      "A payout above the Program's `approvalAbove` is created as awaiting_approval, one that lacks funds or is above a limit as declined, any " +
      "other as pending. What the bank says a second time, or after its end, moves nothing.",
    statuses: PayoutStatus.enum,
    table: payoutTransitions,
    triggers: {
      approve: "`POST /payouts/{payoutId}/approve`, by another API user than its creator",
      decline: "`POST /payouts/{payoutId}/decline`",
      expire: "72 hours without an approval",
      cancel: "`POST /payouts/{payoutId}/cancel`",
      send: "it is written to a file for the bank",
      complete:
        "the bank has debited it; after a rejection it is booked all the same, and the operator is told",
      reject: "the bank rejects it",
      return: "its money came back, also before the debit was reported",
    },
  },
  {
    title: "Pull: `status`",
    rule: "A pull above a limit is created as declined, any other as pending. What the bank says a second time, or after its end, moves nothing.",
    statuses: PullStatus.enum,
    table: pullTransitions,
    triggers: {
      cancel: "`POST /pulls/{pullId}/cancel`",
      send: "it is written to a file for the bank",
      collect:
        "the bank has credited it; after a rejection it is booked all the same, and the operator is told",
      clear: "the Program's hold days are over",
      reject: "the bank rejects it",
      return: "the bank takes it back, also before it was collected",
    },
  },
  {
    title: "Suspense item",
    rule:
      "A deposit that its Card or Wallet cannot take. Pending or Cleared, its money is in the Program's suspense account, and " +
      "`npm run operator -- list-suspense` shows it.",
    statuses: SuspenseStatus,
    table: suspenseTransitions,
    triggers: {
      clear: "the processor's event `deposit_cleared`",
      reverse: "the processor's event `deposit_reversed`, or `deposit_returned` before it cleared",
      return: "the processor's event `deposit_returned`, or platform (`npm run operator -- return-suspense`)",
      drop: "platform (`npm run operator -- drop-suspense`): a possible duplicate that is no deposit of its own",
      assign:
        "platform (`npm run operator -- assign-suspense`): the deposit goes on as one of its new Card or Wallet",
    },
  },
  {
    title: "Dispute: `status`",
    rule:
      "A dispute is created as new, or by the processor's event `chargeback` as submitted. [Disputes](disputes.md) says what each step moves, " +
      "and when a status ends by itself.",
    statuses: DisputeStatus.enum,
    table: disputeTransitions,
    triggers: {
      submit: "`POST /disputes/{disputeId}/submit`",
      request_evidence: "the network asks for more",
      represent: "the merchant contests it",
      pre_arbitrate: "`POST /disputes/{disputeId}/escalate`, or the network",
      arbitrate: "`POST /disputes/{disputeId}/escalate`, or the network",
      win: "the network decides for the Cardholder",
      lose: "the network decides for the merchant, or 30 days have passed",
      write_off: "`POST /disputes/{disputeId}/write-off`, or the processor: the Program bears it",
      withdraw: "`POST /disputes/{disputeId}/withdraw`",
      reverse: "the processor takes it back",
      expire: "the deadline has passed: 120 days after the settlement, or 10 days without an answer",
    },
  },
  {
    title: "Authentication: `state`",
    rule:
      "Most authentications are decided as they are made: authenticated, exempted, attempted or rejected, for good. " +
      "[Authentications](authentications.md) says which state follows from what, and its ECI.",
    statuses: AuthenticationState.enum,
    table: authenticationTransitions,
    triggers: {
      pass: "the right passcode, or `POST /authentications/{authenticationId}/outcome` with `approved`",
      fail: "the fifth wrong passcode, or `declined`",
      expire: "five minutes have passed, or the time that the network gave",
    },
  },
  {
    title: "Digital wallet token: `state`",
    rule:
      "A request begins as active, verifying or declined, as the Program's rules or its server say. [Tokens](tokens.md) says what each " +
      "step records.",
    statuses: TokenState.enum,
    table: tokenTransitions,
    triggers: {
      confirm: "the right passcode, or `POST /tokens/{tokenId}/verify` with `approved`",
      fail: "five wrong passcodes, or `POST /tokens/{tokenId}/verify` with `declined`",
      expire: "ten minutes have passed",
      suspend: "`POST /tokens/{tokenId}/suspend`, or the wallet",
      resume: "`POST /tokens/{tokenId}/resume`, or the wallet",
      delete: "`DELETE /tokens/{tokenId}`, or the wallet",
      close: "the Card was closed",
    },
  },
  {
    title: "External account: `status`",
    rule: "An external account begins as new. Only a verified one is paid to or pulled from.",
    statuses: ExternalAccountStatus.enum,
    table: externalAccountTransitions,
    triggers: {
      verify: "`POST /external-accounts/{externalAccountId}/verification`",
      match: "the account's bank knows the holder",
      mismatch: "the account's bank knows another holder, or does not answer",
      confirm: "the right amounts by `POST /external-accounts/{externalAccountId}/verification/confirm`",
      exhaust: "the fifth wrong pair of amounts",
      bounce: "the bank has rejected or returned a micro-deposit",
      expire: "14 days have passed",
      return: "the bank has returned or rejected a payment since the account cannot take it",
      archive: "`DELETE /external-accounts/{externalAccountId}`",
    },
  },
  {
    title: "Micro-deposit: `status`",
    rule: "A micro-deposit begins as pending. The Program's reserve pays it, and gets it back where it is returned.",
    statuses: MicroDepositStatus.enum,
    table: microDepositTransitions,
    triggers: {
      send: "a file has it",
      complete: "it has left the account",
      reject: "the bank does not pay it",
      return: "it has come back",
    },
  },
  {
    title: "Card design: `status`",
    rule:
      "The first submission makes a slot Pending. A slot never becomes empty again. The platform's own designs are Approved from the start. " +
      "Cards are issued with Approved slots only (409 `DESIGN_NOT_APPROVED`).",
    statuses: DesignStatus,
    table: designTransitions,
    triggers: {
      approve: "platform (`npm run operator -- approve-design`)",
      reject: "platform (`npm run operator -- reject-design`)",
      resubmit: "`PUT /account/programs/{programId}/card-designs/{cardType}`",
    },
  },
  {
    title: "Support ticket: `status`",
    rule:
      "Raised open. The platform acts next on an open one, the Tenant on a pending or resolved one, neither on a closed one. The clock closes: a resolved ticket " +
      "reads as closed, and cannot be re-opened, from the 72nd hour on.",
    statuses: ticketStatus.enum,
    table: ticketTransitions,
    triggers: {
      comment: "`POST /account/tickets/{ticketId}/comments`",
      answer: "platform (`npm run operator -- answer-ticket`)",
      resolve: "platform (`npm run operator -- resolve-ticket`)",
      reopen: "`POST /account/tickets/{ticketId}/reopen`",
      close: "72 hours have passed",
    },
  },
  {
    title: "Client certificate: `status`",
    rule:
      "Active from its registration on; the clock expires it. What is revoked is revoked from the very next request on, for good: revoking it again answers 200 and " +
      "changes nothing.",
    statuses: certificateStatus.enum,
    table: certificateTransitions,
    triggers: {
      revoke:
        "`DELETE /account/certificates/{certificateId}`, or platform (`npm run operator -- revoke-certificate`)",
      expire: "`notAfter` has come",
    },
  },
  {
    title: "Certificate authority: `status`",
    rule:
      "The environment's first one issues from the start, every other one is trusted at first. One that is removed is not in the truststore: its certificates do not " +
      "complete a handshake. A command for the status that it already has changes nothing.",
    statuses: authorityStatus.enum,
    table: authorityTransitions,
    triggers: {
      trust: "platform (`npm run authority -- trust`)",
      issue: "platform (`npm run authority -- issue`)",
      supersede: "another one issues",
      remove: "platform (`npm run authority -- remove`), once its certificates are over",
    },
  },
];
