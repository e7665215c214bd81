import { now } from "../../platform/clock.ts";
import { cardIdentity } from "../cards/card-identity.ts";
import { type Account, readAccount } from "../ledger/account.ts";
import type { CardEvent, Subject } from "./card-plan.ts";
import { notFound, type Planned } from "./event-plan.ts";
import { planAuthorization } from "./plan-authorization.ts";
import { planChargeback, planChargebackOutcome } from "./plan-chargeback.ts";
import { planClearing, planForcePost } from "./plan-clearing.ts";
import { planFeeReversal, planRefundReversal } from "./plan-correction.ts";
import { planAdvice, planExpiry, planIncrement, planReversal } from "./plan-hold-events.ts";
import { complete, planOnHold } from "./plan-on-hold.ts";
import { planBalanceInquiry, planFee, planRefund } from "./plan-posting.ts";
import { planAtmWithdrawal } from "./plan-withdrawal.ts";

/** What may be posted, of which notifications tell the balance after it; a withdrawal reads that by itself. */
const postingKinds: ReadonlySet<CardEvent["kind"]> = new Set([
  "clearing",
  "refund",
  "refund_reversal",
  "fee",
  "fee_reversal",
  "chargeback",
  "chargeback_outcome",
]);

/**
 * Works out what an event of the card network is to write, after at most one read beside that of the card's identity, and that of its balance
 * where the event posts.
 */
export async function planCardEvent(event: CardEvent): Promise<Planned> {
  if (!postingKinds.has(event.kind)) return plan(event);
  const account: Account = { kind: "card", accountId: event.cardId };
  const [planned, seen] = await Promise.all([plan(event), readAccount(event.programId, account)]);
  if ("refused" in planned || !planned.commit.balanceAfter || !seen) return planned;
  const balanceAfter = { ...planned.commit.balanceAfter, seenMinor: seen.ledgerMinor };
  return { ...planned, commit: { ...planned.commit, balanceAfter } };
}

async function plan(event: CardEvent): Promise<Planned> {
  switch (event.kind) {
    case "authorization":
      return planAuthorization(event);
    case "authorization_advice":
      return planOnHold(complete(event), planAdvice);
    case "authorization_incremental":
      return planOnHold(complete(event), planIncrement);
    case "authorization_reversal":
      return planOnHold(complete(event), planReversal);
    case "authorization_expiry":
      return planOnHold(complete(event), planExpiry);
    case "clearing": {
      const { authorizationId } = event;
      if (authorizationId === undefined) return planForcePost(event);
      return planOnHold({ ...complete({ ...event, authorizationId }), eventOn: () => event }, planClearing);
    }
    case "refund":
      return onCard(event, planRefund);
    case "refund_reversal":
      return onCard(event, planRefundReversal);
    case "atm_withdrawal":
      return planAtmWithdrawal(event);
    case "fee":
      return onCard(event, planFee);
    case "fee_reversal":
      return onCard(event, planFeeReversal);
    case "balance_inquiry":
      return planBalanceInquiry(event);
    case "chargeback":
      return onCard(event, planChargeback);
    case "chargeback_outcome":
      return onCard(event, planChargebackOutcome);
  }
}

async function onCard<E extends CardEvent>(
  event: E,
  planFor: (subject: Subject<E>) => Planned | Promise<Planned>,
): Promise<Planned> {
  const identity = await cardIdentity(event.programId, event.cardId);
  return identity ? planFor({ event, identity, at: now() }) : notFound;
}
