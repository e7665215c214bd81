import type * as z from "zod";
import { type Change, type FoundBy, later, nothing, type OfProgram, unread } from "../changes/change.ts";
import { TransactionStatus } from "../contract/enums.ts";
import type { Applied } from "../contract/processor.ts";
import type { TokenActor, TokenNotice, TokenPasscode } from "../contract/tokens.ts";
import { type Challenge, challenges, codeDeletionWrites, isUsable, tryCode } from "../passcodes/passcode.ts";
import { timestamp } from "../platform/clock.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Transaction, transactions } from "../transactions/transaction.ts";
import { illegal, nextTokenState, type Token, type TokenStepTrigger, tokens, tokenUpdates } from "./token.ts";
import { requestUpdate, stepWrites } from "./token-record.ts";

type Code = "NOT_FOUND" | "ILLEGAL_TRANSITION";

/** What is asked of a token: by the API, a wallet, a passcode, a deadline. */
export interface TokenStep extends OfProgram {
  readonly tokenId: string;
  readonly trigger: TokenStepTrigger;
  readonly by: TokenActor;
  readonly reason?: string | undefined;
  /** When it occurred. Default: now. */
  readonly occurredAt?: string | undefined;
  /** Written in the same commit. */
  readonly audit?: (before: Token, after: Token) => WriteAction;
}

type Verifying = Token & { readonly challengeId: string };

const tokenReads = ({ programId, tokenId }: Pick<TokenStep, "programId" | "tokenId">) => ({
  token: tokens.at(programId, tokenId),
  // While it is verified: its passcode, and the record of its request.
  challenge: later<Challenge>(nothing),
  requested: later<Transaction>(nothing),
});
type Found = FoundBy<ReturnType<typeof tokenReads>>;

function isVerifying(token: Token): token is Verifying {
  return token.state === "verifying";
}

/** What more a token depends on that is verified. */
function verificationReads({ programId, cardId, transId, challengeId }: Verifying) {
  return {
    challenge: challenges.at(programId, challengeId),
    requested: transactions.at(programId, cardId, transId),
  };
}

/** The token after one step. Each step is one commit, with the Card's record of it. */
export const stepped: Change<TokenStep, Found, { readonly token: Token }, Code> = {
  reads: tokenReads,
  decide: (step, found, at) => {
    const { token } = found;
    if (!token) return { rejected: "NOT_FOUND" };
    if (!nextTokenState(token.state, step.trigger)) return illegal(token, step.trigger);
    if (isVerifying(token) && found.challenge === unread) return { readMore: verificationReads(token) };
    if (!isInTime(step, found, at)) return { rejected: "ILLEGAL_TRANSITION" };
    const { after, writes } = planStep(token, found, step, at);
    const audit = step.audit ? [step.audit(token, after)] : [];
    return { writes: [...writes, ...audit], answer: { token: after } };
  },
};

/** A passcode's time is over for whoever decides in its place too, and not before. */
function isInTime({ trigger }: TokenStep, { challenge }: Found, at: Date): boolean {
  if (challenge === unread || !challenge) return true;
  if (trigger === "expire") return at >= new Date(challenge.expiresAt);
  return trigger === "delete" || trigger === "close" || isUsable(challenge, at);
}

const endReasons = { fail: "VERIFICATION_FAILED", expire: "VERIFICATION_EXPIRED" } as const;

function planStep(
  before: Token,
  { challenge, requested }: Found,
  step: TokenStep,
  at: Date,
  /** A code that was entered has ended its passcode. */
  tried?: readonly WriteAction[],
): { after: Token; writes: WriteAction[] } {
  const { trigger, by, reason, occurredAt } = step;
  const state = nextTokenState(before.state, trigger);
  if (!state) throw new Error(`The token ${before.tokenId} takes no ${trigger}.`);
  const declineReason = trigger === "fail" || trigger === "expire" ? endReasons[trigger] : undefined;
  const changedAt = timestamp(at);
  const after: Token = {
    ...before,
    state,
    reason,
    lastStep: { trigger, by, ...(by === "wallet" && { occurredAt }) },
    ...(declineReason && { declineReason }),
    ...(trigger === "confirm" && { activatedAt: changedAt }),
    ...((state === "declined" || state === "deleted") && { endedAt: changedAt }),
  };
  const writes = [
    ...tokenUpdates(before, after),
    ...stepWrites(before, after, { trigger, by, reason }, at, occurredAt),
  ];
  if (!isVerifying(before)) return { after, writes };
  if (challenge === unread || !challenge || requested === unread || !requested)
    throw new Error(`The token ${before.tokenId} has lost its passcode or its record.`);
  const ended =
    trigger === "confirm"
      ? { transStatus: TransactionStatus.completion }
      : { transStatus: TransactionStatus.declined, declineReason: declineReason ?? endReasons.fail };
  return {
    after,
    writes: [...writes, requestUpdate(requested, ended, at), ...(tried ?? codeDeletionWrites(challenge))],
  };
}

/**
 * What a wallet says of a token. The notice that occurred last counts, whichever comes first; at
 * one time, the one that comes last. A deletion counts whenever it was. What is so already only
 * changes the time.
 */
export const noticed: Change<z.output<typeof TokenNotice>, Found, Applied, Code> = {
  reads: tokenReads,
  decide: (event, found, at) => {
    const { token } = found;
    if (!token || token.cardId !== event.cardId) return { rejected: "NOT_FOUND" };
    const { programId, tokenId, event: trigger, occurredAt = timestamp(at) } = event;
    const { state, lastStep } = token;
    const last = lastStep.by === "wallet" ? lastStep : undefined;
    const isOvertaken = trigger !== "delete" && occurredAt < (last?.occurredAt ?? "");
    if (isOvertaken || (trigger === "delete" && last?.trigger === trigger)) return { done: toAnswer(token) };
    const step = { programId, tokenId, trigger, by: "wallet", occurredAt } as const;
    if (last?.trigger === trigger || (trigger === "resume" && state === "active"))
      return { writes: [notedUpdate(token, step)], answer: toAnswer(token) };
    if (!nextTokenState(state, trigger)) return illegal(token, trigger);
    if (isVerifying(token) && found.challenge === unread) return { readMore: verificationReads(token) };
    const { after, writes } = planStep(token, found, step, at);
    return { writes, answer: toAnswer(after) };
  },
};

/** A notice that it overtook finds it. */
function notedUpdate(
  { programId, tokenId, state, lastStep }: Token,
  { trigger, by, occurredAt }: Pick<TokenStep, "trigger" | "by" | "occurredAt">,
): WriteAction {
  const noted = { set: { lastStep: { trigger, by, occurredAt } } };
  return tokens.at(programId, tokenId).update(noted, { state, lastStep });
}

/** Checks the Cardholder's code: the fifth wrong one declines the token. */
export const entered: Change<z.output<typeof TokenPasscode>, Found, Applied, Code> = {
  reads: tokenReads,
  decide: (event, found, at) => {
    const { token, challenge } = found;
    if (!token || token.cardId !== event.cardId) return { rejected: "NOT_FOUND" };
    if (!isVerifying(token)) return illegal(token, "confirm");
    if (challenge === unread) return { readMore: verificationReads(token) };
    // Its code ends with its verification: the token was decided after it was read.
    if (challenge?.code === undefined) return { rejected: "ILLEGAL_TRANSITION" };
    const { failure, isLast, writes: tried } = tryCode(challenge, event.code, at);
    const answer = (after: Token): Applied => ({
      ...toAnswer(after),
      authenticated: !failure,
      ...(failure && { authenticationFailure: failure }),
    });
    if (failure && !isLast) return { writes: [...tried], answer: answer(token) };
    const { programId, tokenId, occurredAt } = event;
    const trigger = failure ? "fail" : "confirm";
    const step = { programId, tokenId, trigger, by: "cardholder", occurredAt } as const;
    const { after, writes } = planStep(token, found, step, at, tried);
    return { writes, answer: answer(after) };
  },
};

function toAnswer({ tokenId, state: tokenState }: Token): Applied {
  return { outcome: "applied", tokenId, tokenState };
}
