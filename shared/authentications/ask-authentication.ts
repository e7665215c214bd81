import { answerRequest, execute } from "../changes/execute.ts";
import { AuthenticationAnswer, type AuthenticationQuestion } from "../contract/authentications.ts";
import type { AuthenticationStandIns } from "../contract/authorization-endpoint.ts";
import type { AuthorizationEndpoint } from "../controls/authorization-endpoint.ts";
import { now, timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { pick } from "../platform/pick.ts";
import { type Asks, badAnswer, describeFault, type Judging } from "../questions/ask.ts";
import { askAbout } from "../questions/ask-about.ts";
import { readEndpoint } from "../questions/endpoint.ts";
import { closing, type KeptQuestion } from "../questions/kept-question.ts";
import { type DecidedAs, lostByStandIn } from "../questions/question.ts";
import { toShownMerchant } from "../transactions/transaction.ts";
import type { Authentication } from "./authentication.ts";
import {
  type Asked,
  type Assessed,
  type Assessment,
  type AuthenticationRequest,
  assessment,
  conclusion,
  requestAuthentication,
} from "./request-authentication.ts";

interface Answer extends Pick<Assessment, "method"> {
  readonly kind: "approve" | "challenge" | "decline";
  readonly reason?: string;
}

type Outcome = Pick<Assessment, "decision" | "method">;
type Verdict = DecidedAs & Outcome;

const lost: Verdict = { ...lostByStandIn, decision: "decline" };
const declineAll: AuthenticationStandIns = {
  timeout: "decline",
  connectionError: "decline",
  badAnswer: "decline",
};

/**
 * Decides by the Card's state and the rules, and by the Program's server where that is asked. What
 * the first two decline, nobody is asked about.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION without 3-D Secure
 */
export async function makeAuthentication(request: AuthenticationRequest): Promise<Authentication> {
  const receivedAt = now();
  const endpoint = await readEndpoint(request.programId, "authentication");
  if (!endpoint) return answerRequest(requestAuthentication, request, undefined);
  const assessed = await answerRequest(assessment, request, undefined);
  const { programId } = request;
  if (assessed.assessment.decision === "decline")
    return answerRequest(conclusion, { programId, ...assessed }, undefined);
  return askAuthentication(assessed, endpoint, receivedAt);
}

function askAuthentication(
  { asked, assessment }: Assessed,
  endpoint: AuthorizationEndpoint,
  receivedAt: Date,
): Promise<Authentication> {
  const { programId, entityId } = asked;
  return askAbout({
    ...{
      programId,
      subjectId: entityId,
      about: "authentication",
      endpoint,
      receivedAt,
      request: asked,
      lost,
    },
    asks: (deadlineAt) => toAsks(asked, deadlineAt),
    judging: toJudging(endpoint),
    toSaid: ({ decision }) => (decision === "attempt" ? "decline" : decision),
    decide: (question, verdict) => decideAuthentication(asked, question, verdict),
    readResult: () => answerRequest(conclusion, { programId, asked, assessment }, undefined),
  });
}

function toJudging({
  authenticationStandIn: policies = declineAll,
}: AuthorizationEndpoint): Judging<Answer, Assessment["decision"], Outcome> {
  return {
    policies,
    byAnswer: ({ kind: decision, method }) => ({ decision, ...(method && { method }) }),
    byPolicy: (decision) => ({ decision }),
  };
}

/** Where several decide it, one does: the others get what it came to. */
async function decideAuthentication(
  asked: Asked,
  question: KeptQuestion,
  verdict: Verdict,
): Promise<Authentication> {
  const { programId, entityId: subjectId } = asked;
  const change = closing(conclusion, {
    ...{ subjectId, question, verdict, lost },
    withVerdict: (event, { decision, method, decidedBy, reason }) => ({
      ...event,
      assessment: { decision, decidedBy, ...(method && { method }), ...(reason !== undefined && { reason }) },
    }),
    decidedAs: ({ decidedBy, reason }, given) =>
      decidedBy === "platform" ? { decidedBy, reason } : { decidedBy: given.decidedBy, reason: given.reason },
  });
  const outcome = await execute(change, { programId, asked, assessment: verdict });
  if ("rejected" in outcome) throw new Error(`The question about ${subjectId} cannot be decided.`);
  return outcome.answer;
}

/** Declines what was asked about and not decided in time. */
export async function lapseAuthentication(question: KeptQuestion): Promise<void> {
  await decideAuthentication(question.request as Asked, question, lost);
}

function toAsks(asked: Asked, deadlineAt: Date): Asks<Answer> {
  const { merchant } = asked;
  const question: AuthenticationQuestion = {
    type: "authentication.requested",
    eventId: newId("event"),
    authenticationId: asked.entityId,
    ...pick(asked, "cardId", "cardholderId", "plasticId", "tokenId"),
    amount: asked.amountMinor,
    currency: asked.currency,
    merchantAmount: merchant.srcAmount,
    merchantCurrency: merchant.srcCurrency,
    merchant: toShownMerchant(merchant),
    ...pick(asked, "channel", "device"),
    exemptions: [...(asked.exemptions ?? [])],
    verification: { addressLine: asked.addressLine, postalCode: asked.postalCode },
    deadline: timestamp(deadlineAt),
  };
  return { question, parse: parseAnswer };
}

function parseAnswer(json: unknown) {
  const { success, data, error } = AuthenticationAnswer.safeParse(json);
  if (!success) return badAnswer(describeFault(error.issues[0]));
  const { decision: kind, ...more } = data;
  return { kind, ...more } as Answer;
}
