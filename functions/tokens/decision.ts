import type { TokenDecisionView } from "../../shared/contract/tokens.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { keptQuestions } from "../../shared/questions/kept-question.ts";
import { tokens } from "../../shared/tokens/token.ts";

/** @throws ApiError NOT_FOUND, also while the question is open */
export const viewTokenDecision: Operations["GET /tokens/{tokenId}/decision"] = async ({
  scope: { programId },
  path: { tokenId },
}) => {
  const [{ outcome, createdAt, declineReason }, question] = await Promise.all([
    tokens.at(programId, tokenId).require(),
    keptQuestions.at(programId, tokenId).get(),
  ]);
  const byPlatform = { decidedBy: "platform", receivedAt: createdAt, decidedAt: createdAt } as const;
  const why = outcome === "declined" ? { reason: declineReason } : {};
  const lateAnswer = question?.lateAnswer;
  const view = { tokenId, outcome, ...(question?.decision ?? { ...byPlatform, ...why }), lateAnswer };
  return view as TokenDecisionView;
};
