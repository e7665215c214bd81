import {
  AuthorizationAnswer,
  type AuthorizationQuestion,
  type StandIn,
} from "../../contract/authorization-endpoint.ts";
import type { AuthorizationEndpoint } from "../../controls/authorization-endpoint.ts";
import {
  type AskedReceiver as AskedAny,
  type Asks,
  ask,
  badAnswer,
  describeFault,
  type Reply as ReplyOf,
  toAsked as toAskedBy,
} from "../../questions/ask.ts";
import type { Asked, AskReceiver } from "./decision.ts";

/** What the receiver decided; of an approval, how much. */
type Answer =
  | { readonly kind: "approve"; readonly amountMinor: number; readonly reason?: never }
  | { readonly kind: "decline"; readonly reason?: string };

export type Reply = ReplyOf<Answer>;
export type AskedReceiver = AskedAny<Answer>;

export const askReceiver: AskReceiver = async (endpoint, question, { amountMinor, ...options }) =>
  toAsked(amountMinor, endpoint, await ask(endpoint, toAsks(question), options));

export function toAsked(
  amountMinor: number,
  { standIn }: Pick<AuthorizationEndpoint, "standIn">,
  asked: AskedReceiver,
): Asked {
  return toAskedBy(asked, {
    policies: standIn,
    byAnswer: (answer) => ({ approvedMinor: answer.kind === "approve" ? answer.amountMinor : 0 }),
    byPolicy: (policy) => ({ approvedMinor: isApprovedBy(policy, amountMinor) ? amountMinor : 0 }),
  });
}

/** Whether the stand-in policy approves the amount. */
function isApprovedBy(standIn: StandIn, amountMinor: number): boolean {
  return typeof standIn === "object" ? amountMinor <= standIn.approveUpTo : standIn === "approve";
}

export function toAsks(question: AuthorizationQuestion): Asks<Answer> {
  return { question, parse: (json) => parseAnswer(json, question) };
}

function parseAnswer(json: unknown, question: AuthorizationQuestion): Reply {
  const { success, data, error } = AuthorizationAnswer.safeParse(json);
  if (!success) return badAnswer(describeFault(error.issues[0]));
  if (data.decision === "decline") return { kind: "decline", ...(data.reason && { reason: data.reason }) };
  const { amount = question.amount } = data;
  if (amount > question.amount) return badAnswer(`amount: ${amount} is more than ${question.amount}`);
  if (amount < question.amount && !question.partialApprovalSupported) {
    return badAnswer("amount: the terminal does not support a partial approval");
  }
  return { kind: "approve", amountMinor: amount };
}
