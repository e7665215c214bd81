import type { FailedCheck } from "../../contract/card-network.ts";
import { toTokenNetwork } from "../../contract/card-numbers.ts";
import type { ProcessorEvent } from "../../contract/processor.ts";
import type { CheckResult, SentVerification } from "../../contract/verification.ts";
import { toOtherId } from "../../platform/id.ts";
import { defined } from "../../platform/pick.ts";
import { sha256 } from "../../platform/sha256.ts";
import { toTokenId } from "../../platform/token-id.ts";
import { isFiller, toAuthorizationId, toFirstKeys } from "../authorization-identity.ts";
import type { CardRequest } from "./request.ts";

export interface ResolvedCard {
  readonly programId: string;
  readonly cardId: string;
  /** The plastic whose number and expiry it names. Absent: the expiry is not said, or of none. */
  readonly plasticId?: string | undefined;
  /** The first plastic with the number. Absent: the Card's first. */
  readonly numberId?: string | undefined;
}

/** A message and its repetitions have one. Advices and reversals of other amounts are others. */
export function toEventId({ is, mti, identity, amount, remaining }: CardRequest, { cardId }: ResolvedCard) {
  const parts = [mti, toAuthorizationId(identity), cardId];
  return [...parts, ...(is === "authorization" ? [] : [amount, remaining ?? ""])].join(":");
}

/** What a message has in common with its repetitions. Undefined for fillers. */
export function toMessageKey(request: CardRequest, card: ResolvedCard): string | undefined {
  const { systemTrace, retrievalReference } = request.identity;
  if ([systemTrace, retrievalReference].some(isFiller)) return undefined;
  return toEventId({ ...request, identity: { ...request.identity, transmittedAt: "" } }, card);
}

/** Hashes what the same authorization request has again, beside its identity. */
export function toRequestHash({ purpose, amount, billingCurrency, original }: CardRequest): string {
  const reference = original && toAuthorizationId(original);
  return sha256([purpose, amount, billingCurrency, reference].join()).slice(0, 16);
}

/** Without an expiry and a code, any plastic with the number is meant. */
export function toPlastic(
  { cardId, plasticId: named, numberId = toOtherId("plastic", cardId) }: ResolvedCard,
  { plasticId = named }: Checked = {},
) {
  return plasticId === undefined ? { plasticId: numberId, anyOfNumber: true } : { plasticId };
}

/** The authentication that the vault says is proved, or that the proof is wrong. */
export interface Proved {
  readonly authenticationId?: string;
  readonly threeDS?: "failed";
}

/** What came of the checks before the platform's. */
export interface Checked {
  readonly failedCheck?: FailedCheck | undefined;
  /** Without an expiry, the plastic whose code was sent. */
  readonly plasticId?: string | undefined;
  /** Only where it was sent, and the date and the code were right. */
  readonly pin?: CheckResult | undefined;
}

/** What was sent, and what came of it. Behind a wrong one, nothing more is compared. */
function toVerification(
  { verification, cvv, expiry, track, pinBlock }: CardRequest,
  checked: Checked | undefined,
  { threeDS }: Proved,
): { readonly verification?: SentVerification } {
  const { failedCheck, pin = "not_checked" } = checked ?? {};
  const isWrong = failedCheck === "EXPIRY_WRONG" || failedCheck === "CVV_WRONG";
  const result: CheckResult = !checked || isWrong ? "not_checked" : "match";
  const all: SentVerification = {
    ...verification,
    ...defined({ threeDS }),
    ...(cvv !== undefined && { cvc: result }),
    ...((expiry ?? track?.expiry) !== undefined && { expiry: result }),
    ...(pinBlock !== undefined && { pin }),
  };
  return Object.keys(all).length > 0 ? { verification: all } : {};
}

/** What the events of all messages have. */
function toCommon(request: CardRequest, card: ResolvedCard) {
  // Without DE90, DE7 is that of the authorization.
  const isTimed = request.is === "authorization" || request.original !== undefined;
  return {
    eventId: toEventId(request, card),
    programId: card.programId,
    cardId: card.cardId,
    ...(isTimed && { occurredAt: request.occurredAt.toISOString() }),
    ...toSimilar(request, card),
    ...toMessage(request, card),
  };
}

/** The event of a request; undefined if it reports only what did not happen. */
export function toEvent(
  request: CardRequest,
  card: ResolvedCard,
  checks?: Checked,
  proved: Proved = {},
): ProcessorEvent | undefined {
  const { is, identity, original, amount, billingCurrency, merchant, entryMode, billingAddress } = request;
  const verification = toVerification(request, checks, proved);
  if (is !== "authorization" && request.purpose === "refund") return undefined;
  if (is === "advice" && request.purpose === "inquiry") return undefined;
  const authorizationId = toAuthorizationId(original ?? identity);
  const common = toCommon(request, card);
  const presented = { ...toPlastic(card, checks), ...defined({ failedCheck: checks?.failedCheck }) };
  const checked = { ...toChecked(request), ...presented };
  const asked = {
    ...common,
    authorizationId,
    amount,
    // 0 is the same in every currency.
    ...(billingCurrency && amount > 0 && { billingCurrency }),
    ...merchant,
  };
  // Declined in the platform's place, whose own approval of the message came too late.
  if (is === "reversal" || (is === "advice" && (amount === 0 || request.standIn === "declined")))
    return { kind: "authorization_reversal", ...common, ...toReversal(request, card, authorizationId) };
  if (request.purpose === "inquiry") return { kind: "balance_inquiry", ...common, ...presented, ...merchant };
  if (request.purpose === "refund") {
    const { authorizationId: _, ...announced } = { ...asked, requestHash: checked.requestHash };
    return { kind: "refund_authorization", ...announced, ...presented };
  }
  if (is === "advice") {
    if (request.purpose === "cash")
      return { kind: "atm_withdrawal", ...asked, advice: true, total: true, entryMode, ...verification };
    const standIn = request.standIn === "approved";
    return { kind: "authorization_advice", ...asked, ...verification, total: true, standIn };
  }
  const token = toToken(request, card);
  if (request.purpose === "cash")
    return { kind: "atm_withdrawal", ...asked, ...checked, ...verification, ...token, entryMode };
  if (original) {
    const incrementId = toAuthorizationId(identity);
    return { kind: "authorization_incremental", ...asked, ...checked, incrementId };
  }
  return {
    kind: "authorization",
    ...asked,
    ...checked,
    ...verification,
    ...token,
    ...defined({ authenticationId: proved.authenticationId }),
    ...(billingAddress && { billingAddress }),
    partialApprovalSupported: request.supportsPartial,
    entryMode,
  };
}

/** The token that pays, if the message names one. */
function toToken({ tokenReference, cardNumber }: CardRequest, { programId }: ResolvedCard) {
  if (tokenReference === undefined) return {};
  return { tokenId: toTokenId(programId, toTokenNetwork(cardNumber), tokenReference) };
}

function toChecked(request: CardRequest) {
  return {
    // A verification is no business of the balance's.
    ...(request.amount > 0 && { withBalances: true }),
    requestHash: toRequestHash(request),
    ...(request.unread && { unread: request.unread }),
  };
}

function toMessage(request: CardRequest, card: ResolvedCard) {
  const { identity, occurredAt, isRepeated } = request;
  const key = toMessageKey(request, card);
  const message = { key, id: toAuthorizationId(identity), at: occurredAt.toISOString() };
  return { message: { ...message, ...(isRepeated && { isRepeated }) } };
}

/**
 * DE90 has no DE37: the message that it names may have had another. A reversal's may have nothing
 * else. Without DE90, a repetition may have another DE7 than the authorization.
 */
function toSimilar(
  { identity, original, occurredAt, originalAt, isRepeated, amount }: CardRequest,
  { cardId }: ResolvedCard,
) {
  const [named, differsIn, at] = original
    ? ([original, originalAt ? "reference" : "trace", originalAt ?? occurredAt] as const)
    : ([identity, "time", isRepeated ? occurredAt : undefined] as const);
  const id = toAuthorizationId(named);
  const more = differsIn === "trace" ? { amount } : { keys: toFirstKeys(id, cardId, amount) };
  return at && { similarTo: { id, differsIn, at: at.toISOString(), ...more } };
}

/** Reverses all, or down to what it leaves. */
function toReversal(
  { remaining, billingCurrency, standIn }: CardRequest,
  { cardId }: ResolvedCard,
  authorizationId: string,
) {
  const left = remaining
    ? { amount: remaining, total: true, ...(billingCurrency && { billingCurrency }) }
    : {};
  const originalEventId = ["0100", authorizationId, cardId].join(":");
  const ifKnown = standIn === "declined" ? { ifKnown: true } : {};
  return { authorizationId, originalEventId, mayBeDone: true, withFee: true, ...left, ...ifKnown };
}
