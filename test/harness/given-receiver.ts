import { type AskedReceiver, type Reply, toAsked } from "../../shared/authorizations/decisions/ask.ts";
import type { AuthorizationQuestion } from "../../shared/contract/authorization-endpoint.ts";
import type { AuthorizationEndpoint } from "../../shared/controls/authorization-endpoint.ts";
import { noProgramControls, programRulebooks } from "../../shared/controls/rulebooks.ts";
import { asking } from "../../shared/network-events/apply/ask-and-decide.ts";
import { timestamp } from "../../shared/platform/clock.ts";

type Answer = (question: AuthorizationQuestion) => Promise<Reply | AskedReceiver> | Reply | AskedReceiver;

const answers = new Map<string, Answer>();

/** Other files of the process ask real receivers. */
const { ask } = asking;

asking.ask = async (endpoint, question, options) => {
  const answer = answers.get(options.programId);
  if (!answer) return ask(endpoint, question, options);
  const askedAt = timestamp();
  const given = await answer(question);
  const { amountMinor } = options;
  if ("asked" in given) return toAsked(amountMinor, endpoint, given);
  const none = Promise.resolve(undefined);
  const answeredAt = "detail" in given ? {} : { answeredAt: timestamp() };
  const asked = { asked: true, reply: given, askedAt, ...answeredAt, late: none, recorded: none } as const;
  return toAsked(amountMinor, endpoint, asked);
};

/** Gives the Program an authorization endpoint, before its first event. Answers its questions. */
export async function givenReceiver(
  programId: string,
  answer: Answer,
  endpoint: Partial<AuthorizationEndpoint> = {},
) {
  const standIn = { timeout: "decline", connectionError: "decline", badAnswer: "decline" } as const;
  const url = "https://decisions.example.com";
  const given = { url, deadlineMs: 500, standIn, secret: "secret", createdAt: timestamp(), ...endpoint };
  const rulebook = (await programRulebooks.at(programId).get()) ?? noProgramControls;
  await programRulebooks.at(programId).updateNow({ set: { ...rulebook, endpoint: given } });
  const questions: AuthorizationQuestion[] = [];
  const set = (next: Answer) =>
    answers.set(programId, (question) => {
      questions.push(question);
      return next(question);
    });
  set(answer);
  return { questions, answer: set };
}

/** A question that stays open until it is answered. */
export function heldBack() {
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<AuthorizationQuestion>();
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  return {
    asked,
    reply: resolve,
    /** As if the function were killed. */
    kill: () => reject(new Error("killed")),
    answer: (question: AuthorizationQuestion) => {
      isAsked(question);
      return promise;
    },
  };
}

export const approve = ({ amount }: AuthorizationQuestion): Reply => ({
  kind: "approve",
  amountMinor: amount,
});
export const decline: Reply = { kind: "decline", reason: "not today" };
