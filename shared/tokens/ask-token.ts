import type * as z from "zod";
import { cards } from "../cards/card.ts";
import { applyOnce } from "../changes/apply-once.ts";
import type { TokenStandIns } from "../contract/authorization-endpoint.ts";
import type { ProcessorResult } from "../contract/processor.ts";
import {
  TokenAnswer,
  type TokenDecision,
  type TokenQuestion,
  type TokenRequest,
} from "../contract/tokens.ts";
import type { AuthorizationEndpoint } from "../controls/authorization-endpoint.ts";
import { now, timestamp } from "../platform/clock.ts";
import { toTokenId } from "../platform/token-id.ts";
import { type Asks, badAnswer, describeFault, type Judging } from "../questions/ask.ts";
import { askAbout } from "../questions/ask-about.ts";
import { readEndpoint } from "../questions/endpoint.ts";
import { closing, type KeptQuestion } from "../questions/kept-question.ts";
import { type DecidedAs, lostByStandIn } from "../questions/question.ts";
import { findRefused, readTyped, requested, type TokenRequested } from "./request.ts";
import { tokens } from "./token.ts";
import { noTokenRules, ruleVerdict, tokenRules } from "./token-rules.ts";

type Request = z.output<typeof TokenRequest>;
type Result = ProcessorResult & { readonly decidedBy?: string | undefined };
type Verdict = DecidedAs & { readonly decision: TokenDecision };

interface Answer {
  readonly kind: TokenDecision;
  readonly reason?: string;
}

const lost: Verdict = { ...lostByStandIn, decision: "decline" };
const declineAll: TokenStandIns = { timeout: "decline", connectionError: "decline", badAnswer: "decline" };

/**
 * Decides a wallet's request by the Card's state and the rules, and by the Program's server where
 * that is asked. What the first two decline, it is not asked about.
 * @throws ContendedError when the time for retries is up
 */
export async function applyTokenRequest(event: Request): Promise<ProcessorResult> {
  const { programId, cardId, network, tokenReference } = event;
  const receivedAt = now();
  const endpoint = await readEndpoint(programId, "token");
  if (!endpoint) return applyOnce(requested, event);
  const tokenId = toTokenId(programId, network, tokenReference);
  const [token, card, rules] = await Promise.all([
    tokens.at(programId, tokenId).get(),
    cards.at(programId, cardId).get(),
    tokenRules.at(programId).get(),
  ]);
  if (token || !card) return applyOnce(requested, event);
  const { decision } = ruleVerdict(rules?.rules ?? noTokenRules, event);
  const plastic = await readTyped(event, card);
  const isWrong =
    event.failedCheck !== undefined || findRefused(event, card, plastic, receivedAt) !== undefined;
  if (decision === "decline" || isWrong) {
    const verdict = { decision: "decline", decidedBy: "platform" } as const;
    return applyOnce(requested, { ...event, verdict });
  }
  return askAbout<Answer, TokenDecision, Pick<Verdict, "decision">, Result>({
    ...{ programId, subjectId: tokenId, about: "token", endpoint, receivedAt, request: event, lost },
    asks: (deadlineAt) => toAsks(event, { tokenId, cardholderId: card.cardholderId }, deadlineAt),
    judging: toJudging(endpoint),
    toSaid: (verdict) => verdict.decision,
    decide: (question, verdict) => decideRequest(event, tokenId, question, verdict),
    readResult: () => applyOnce(requested, event),
  });
}

function toJudging({
  tokenStandIn: policies = declineAll,
}: AuthorizationEndpoint): Judging<Answer, TokenDecision, Pick<Verdict, "decision">> {
  return {
    policies,
    byAnswer: ({ kind: decision }) => ({ decision }),
    byPolicy: (decision) => ({ decision }),
  };
}

/** Where several decide it, one does: the others get its result. */
function decideRequest(
  event: Request,
  subjectId: string,
  question: KeptQuestion,
  verdict: Verdict,
): Promise<Result> {
  const change = closing(requested, {
    ...{ subjectId, question, verdict, lost },
    withVerdict: (sent: TokenRequested, { decision, decidedBy, reason }: Verdict): TokenRequested => ({
      ...sent,
      verdict: { decision, decidedBy, reason },
    }),
    decidedAs: ({ decidedBy, declineReason }, given) =>
      decidedBy === "platform"
        ? { decidedBy, reason: declineReason }
        : { decidedBy: given.decidedBy, reason: given.reason },
  });
  return applyOnce(change, event);
}

/** Declines what was asked about and not decided in time. */
export async function lapseToken(subjectId: string, question: KeptQuestion): Promise<void> {
  await decideRequest(question.request as Request, subjectId, question, lost);
}

function toAsks(
  { eventId, cardId, wallet, network, requestorId, device, risk }: Request,
  { tokenId, cardholderId }: Pick<TokenQuestion, "tokenId" | "cardholderId">,
  deadlineAt: Date,
): Asks<Answer> {
  const question: TokenQuestion = {
    ...{ type: "token.requested", eventId, tokenId, cardId, cardholderId },
    ...{ wallet, network, requestorId, device, risk, deadline: timestamp(deadlineAt) },
  };
  return { question, parse: parseAnswer };
}

function parseAnswer(json: unknown) {
  const { success, data, error } = TokenAnswer.safeParse(json);
  if (!success) return badAnswer(describeFault(error.issues[0]));
  const { decision: kind, reason } = data;
  return { kind, ...(reason !== undefined && { reason }) };
}
