import type * as z from "zod";
import { type Card, type CardIdentity, cards } from "../cards/card.ts";
import { readCardIdentity } from "../cards/read-identity.ts";
import { findUnusable, isUsableAt } from "../cards/usable.ts";
import {
  type Change,
  type FoundBy,
  later,
  nothing,
  type Unread,
  unread,
  whenFailed,
} from "../changes/change.ts";
import type { Applied } from "../contract/processor.ts";
import type { TokenOutcome, TokenRequest } from "../contract/tokens.ts";
import type { AuthorizationDeclineReason } from "../contract/transactions.ts";
import type { AccountCondition } from "../ledger/account.ts";
import { type ListenerIds, newChallengeWrites } from "../passcodes/passcode.ts";
import { readListeners } from "../passcodes/read-listeners.ts";
import { type Plastic, plastics } from "../plastics/plastic.ts";
import { isPresentable, judgePlastic, needsPlastic, type Presented } from "../plastics/presented-plastic.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { all } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { toTokenId } from "../platform/token-id.ts";
import { liveTokens, type Token, tokenPuts, tokens } from "./token.ts";
import { eventPut, requestRecord } from "./token-record.ts";
import { noTokenRules, ruleVerdict, type TokenVerdict, tokenRules } from "./token-rules.ts";

/** How long a passcode decides a token. */
const verificationMs = 600_000;

export interface TokenRequested extends z.output<typeof TokenRequest> {
  /** Who was asked about it has decided it. Without, the rules do. */
  readonly verdict?: TokenVerdict;
}

const reads = ({ programId, cardId }: TokenRequested) => ({
  card: { get: () => readCardIdentity(programId, cardId) },
  rules: tokenRules.at(programId),
  // Only one that is stepped up needs them.
  listeners: later<ListenerIds>(nothing),
  // The Card cannot be used.
  account: whenFailed((stored) => cards.parse(stored)),
  // Another one was typed than the Card shows.
  plastic: later<Plastic>(nothing),
  // It was asked for before.
  token: whenFailed((stored) => tokens.parse(stored)),
  // The Card has as many as it may.
  liveTokens: whenFailed((stored) => liveTokens.parse(stored)),
});
type Found = FoundBy<ReturnType<typeof reads>>;

interface Decision {
  readonly outcome: TokenOutcome;
  readonly declineReason?: AuthorizationDeclineReason;
  readonly reason?: string | undefined;
  /** What must still hold of the Card. */
  readonly require?: AccountCondition | undefined;
}

/**
 * A wallet's request for a token of the Card: approved, stepped up or declined. A Card that cannot
 * be used declines with its own reason. One commit has the token, its record and its passcode.
 */
export const requested: Change<TokenRequested, Found, Applied, "NOT_FOUND" | "ILLEGAL_TRANSITION"> = {
  reads,
  decide: (event, found, at) => {
    const { card, listeners, token: first } = found;
    if (!card) return { rejected: "NOT_FOUND" };
    if (first !== unread && first)
      return first.cardId === event.cardId ? { done: toAnswer(first) } : { rejected: "ILLEGAL_TRANSITION" };
    const { programId, cardId, plasticId = "" } = event;
    if (found.plastic === unread && needsTyped(event, found.account))
      return { readMore: { plastic: plastics.at(programId, cardId, plasticId) } };
    if (found.plastic === undefined) return { rejected: "NOT_FOUND" };
    const verdict = event.verdict ?? ruleVerdict(found.rules?.rules ?? noTokenRules, event);
    const decision = decide(event, verdict, found, at);
    if (decision.outcome === "step_up" && (listeners === unread || !listeners))
      return { readMore: { listeners: readListeners(card) } };
    const account = { kind: "card", accountId: card.cardId } as const;
    const token = newToken(event, card, { ...verdict, ...decision }, at);
    return {
      accounts: decision.require ? [{ name: "account", account, require: decision.require }] : [],
      writes: [
        ...tokenPuts(token),
        requestRecord(card, token, at, event.occurredAt),
        eventPut(token.programId, token, { ...token.lastStep, ...decision, transId: token.transId }, at),
        ...passcodeWrites(token, listeners === unread ? undefined : listeners, at),
      ],
      answer: toAnswer(token),
    };
  },
};

/** What was typed into the wallet. A wallet that an app gave the Card says nothing of it. */
function toTyped({ cardId, plasticId, anyOfNumber }: TokenRequested): Presented | undefined {
  return plasticId === undefined ? undefined : { cardId, plasticId, anyOfNumber };
}

function needsTyped(event: TokenRequested, account: Card | undefined | Unread): boolean {
  const typed = toTyped(event);
  return typed !== undefined && account !== unread && account !== undefined && needsPlastic(typed, account);
}

/** What was typed, if the Card shows another. */
export async function readTyped(event: TokenRequested, card: Card): Promise<Plastic | undefined> {
  if (!needsTyped(event, card)) return undefined;
  return plastics.at(event.programId, event.cardId, event.plasticId ?? "").get();
}

/** A Card that cannot be used, or a plastic that nothing can be paid with any more. */
export function findRefused(event: TokenRequested, card: Card, plastic: Plastic | undefined, at: Date) {
  const typed = toTyped(event);
  const judged = typed && judgePlastic(typed, card, plastic);
  const reason = judged && judged !== "stale" ? judged.reason : undefined;
  // Where nothing is active, it is the plastic that the Card awaits which was typed.
  const isAwaited = card.awaitsPlastic && reason === "CARD_NOT_ACTIVATED";
  return findUnusable(card, at) ?? (isAwaited ? undefined : reason);
}

/** The Card's own reason comes first; then that it has the maximum; then who decides. */
function decide(
  event: TokenRequested,
  { decision, decidedBy, reason }: TokenVerdict,
  found: Found,
  at: Date,
): Decision {
  const { liveTokens: live } = found;
  const account = found.account === unread ? undefined : found.account;
  const plastic = found.plastic === unread ? undefined : found.plastic;
  const refused = account && findRefused(event, account, plastic, at);
  if (refused) return { outcome: "declined", declineReason: refused };
  const typed = toTyped(event);
  const asTyped = typed && isPresentable(typed, account);
  const require = asTyped ? all(isUsableAt(at), asTyped) : isUsableAt(at);
  const { failedCheck } = event;
  if (failedCheck) return { outcome: "declined", declineReason: failedCheck, require };
  if (live !== unread) return { outcome: "declined", declineReason: "LIMIT_REACHED", require };
  // Who has it may have found it in the mail: the Cardholder confirms.
  const isInMail = typed !== undefined && account?.awaitsPlastic === true;
  if (decision === "approve" && !isInMail) return { outcome: "approved", reason, require };
  if (decision !== "decline") return { outcome: "step_up", reason, require };
  const declineReason = declineReasons[decidedBy];
  return { outcome: "declined", declineReason, reason, require };
}

const declineReasons = {
  platform: "RULE_DECLINED",
  receiver: "RECEIVER_DECLINED",
  stand_in: "STAND_IN_DECLINED",
} as const;

const begins = {
  approved: { state: "active", trigger: "approve" },
  step_up: { state: "verifying", trigger: "step_up" },
  declined: { state: "declined", trigger: "decline" },
} as const;

function newToken(
  event: TokenRequested,
  { programId, cardId, cardholderId, currency }: CardIdentity,
  { outcome, declineReason, reason, decidedBy }: Decision & Pick<TokenVerdict, "decidedBy">,
  at: Date,
): Token {
  const { network, wallet, requestorId, requestorName, tokenReference, tokenLastFour, device, risk } = event;
  const tokenId = toTokenId(programId, network, tokenReference);
  const { state, trigger } = begins[outcome];
  const createdAt = timestamp(at);
  return {
    ...{ programId, tokenId, entityId: tokenId, cardId, cardholderId, currency, state },
    ...{ network, wallet, requestorId, requestorName, tokenReference, tokenLastFour, device, risk },
    ...{ outcome, declineReason, reason, transId: newId("transaction") },
    // The platform's own reasons need no verdict.
    decidedBy: declineReason && !(declineReason in byVerdict) ? "platform" : decidedBy,
    ...(state === "verifying" && { challengeId: newId("challenge") }),
    lastStep: { trigger, by: "platform" },
    createdAt,
    ...(state === "active" && { activatedAt: createdAt }),
    ...(state === "declined" && { endedAt: createdAt }),
  };
}

const byVerdict: Partial<Record<AuthorizationDeclineReason, true>> = {
  RULE_DECLINED: true,
  RECEIVER_DECLINED: true,
  STAND_IN_DECLINED: true,
};

/** It goes the way of a purchase's: called back, then fetched. */
function passcodeWrites(
  { programId, cardId, tokenId, challengeId }: Token,
  listeners: ListenerIds | undefined,
  at: Date,
): WriteAction[] {
  if (challengeId === undefined || !listeners) return [];
  const expiresAt = timestamp(new Date(at.getTime() + verificationMs));
  const ids = { programId, cardId, tokenId, challengeId };
  return newChallengeWrites({ ...ids, expiresAt, createdAt: timestamp(at) }, listeners, at);
}

/** A repetition gets it too, whatever became of the token. */
function toAnswer({ tokenId, outcome, declineReason, decidedBy, transId }: Token): Applied {
  return {
    outcome: "applied",
    tokenId,
    tokenState: begins[outcome].state,
    tokenOutcome: outcome,
    ...(outcome === "declined" && declineReason && { declineReason }),
    decidedBy,
    transId,
  };
}
