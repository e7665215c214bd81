import type { FailedCheck } from "../../contract/card-network.ts";
import type { ProcessorEvent } from "../../contract/processor.ts";
import { sha256 } from "../../platform/sha256.ts";
import { toAuthorizationId } from "./identity.ts";
import type { CardRequest } from "./request.ts";

export interface ResolvedCard {
  readonly programId: string;
  readonly cardId: string;
}

/** Of a message and its repetitions. Advices and reversals of other amounts are others. */
export function toEventId({ is, mti, identity, amount, remaining }: CardRequest, { cardId }: ResolvedCard) {
  const parts = [mti, toAuthorizationId(identity), cardId];
  return [...parts, ...(is === "authorization" ? [] : [amount, remaining ?? ""])].join(":");
}

/** Of what the same authorization request has again, beside its identity. */
export function toRequestHash({ purpose, amount, billingCurrency, original }: CardRequest): string {
  const reference = original && toAuthorizationId(original);
  return sha256([purpose, amount, billingCurrency, reference].join()).slice(0, 16);
}

/** The event of a request; undefined if it reports only what did not happen. */
export function toEvent(
  request: CardRequest,
  card: ResolvedCard,
  failedCheck?: FailedCheck,
): ProcessorEvent | undefined {
  const { is, identity, original, amount, billingCurrency, remaining, merchant, entryMode } = request;
  if (is === "advice" && (request.standIn === "declined" || request.purpose === "inquiry")) return undefined;
  const authorizationId = toAuthorizationId(original ?? identity);
  // Without DE90, DE7 is that of the authorization.
  const isTimed = is === "authorization" || original !== undefined;
  const common = {
    eventId: toEventId(request, card),
    programId: card.programId,
    cardId: card.cardId,
    ...(isTimed && { occurredAt: request.occurredAt.toISOString() }),
  };
  const checked = {
    withBalances: true,
    requestHash: toRequestHash(request),
    ...(failedCheck && { failedCheck }),
    ...(request.unread && { unread: request.unread }),
  };
  const asked = {
    ...common,
    authorizationId,
    amount,
    ...(billingCurrency && { billingCurrency }),
    ...merchant,
  };
  if (is === "reversal" || (is === "advice" && amount === 0)) {
    const left = remaining
      ? { amount: remaining, total: true, ...(billingCurrency && { billingCurrency }) }
      : {};
    const originalEventId = ["0100", authorizationId, card.cardId].join(":");
    const named = { authorizationId, originalEventId };
    const ways = { mayBeDone: true, withFee: true };
    return { kind: "authorization_reversal", ...common, ...named, ...ways, ...left };
  }
  if (request.purpose === "inquiry")
    return { kind: "balance_inquiry", ...common, ...(failedCheck && { failedCheck }), ...merchant };
  if (is === "advice") {
    if (request.purpose === "cash")
      return { kind: "atm_withdrawal", ...asked, advice: true, total: true, entryMode };
    const standIn = request.standIn === "approved";
    return { kind: "authorization_advice", ...asked, total: true, standIn };
  }
  if (request.purpose === "cash") return { kind: "atm_withdrawal", ...asked, ...checked, entryMode };
  if (original) {
    const incrementId = toAuthorizationId(identity);
    return { kind: "authorization_incremental", ...asked, ...checked, incrementId };
  }
  const partialApprovalSupported = request.supportsPartial;
  return { kind: "authorization", ...asked, ...checked, partialApprovalSupported, entryMode };
}
