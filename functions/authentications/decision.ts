import { type Authentication, authentications } from "../../shared/authentications/authentication.ts";
import type { AuthenticationDecisionView } from "../../shared/contract/authentications.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { keptQuestions } from "../../shared/questions/kept-question.ts";

/** @throws ApiError NOT_FOUND, also while the question is open */
export const viewAuthenticationDecision: Operations["GET /authentications/{authenticationId}/decision"] =
  async ({ scope: { programId }, path: { authenticationId } }) => {
    const [authentication, question] = await Promise.all([
      authentications.at(programId, authenticationId).require(),
      keptQuestions.at(programId, authenticationId).get(),
    ]);
    const { createdAt, reason, state } = authentication;
    const byPlatform = { decidedBy: "platform", receivedAt: createdAt, decidedAt: createdAt } as const;
    const rejection = state === "rejected" ? { reason } : {};
    const view = {
      authenticationId,
      outcome: firstOutcome(authentication),
      ...(question?.decision ?? { ...byPlatform, ...rejection }),
      lateAnswer: question?.lateAnswer,
    };
    return view as AuthenticationDecisionView;
  };

/** What a challenge came to is no part of it. */
function firstOutcome({ state, method }: Authentication): AuthenticationDecisionView["outcome"] {
  if (method) return "challenged";
  if (state === "rejected") return "declined";
  return state === "attempted" ? "attempted" : "approved";
}
