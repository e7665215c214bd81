import type { z } from "zod";
import type { AuthenticationAnswer, AuthenticationQuestion } from "../../shared/contract/authentications.ts";
import type {
  AuthorizationAnswer,
  AuthorizationQuestion,
} from "../../shared/contract/authorization-endpoint.ts";
import type { TokenAnswer, TokenQuestion } from "../../shared/contract/tokens.ts";
import { type SignedHeaders, verify } from "./verify.ts";

/** What the platform asks an authorization endpoint: `type` tells them apart. */
export type Question = AuthorizationQuestion | TokenQuestion | AuthenticationQuestion;

/** What a server answers, as JSON: `AnswerTo<Question>` for all of them. */
export type AnswerTo<Q extends Question> = Q extends TokenQuestion
  ? z.input<typeof TokenAnswer>
  : Q extends AuthenticationQuestion
    ? z.input<typeof AuthenticationAnswer>
    : z.input<typeof AuthorizationAnswer>;

/**
 * Verifies and parses a question. Pass the raw body and all valid secrets (two after a rotation).
 * @throws WebhookVerificationError if no secret fits or the question is older than five minutes
 */
export function verifyQuestion(
  secrets: readonly string[],
  headers: SignedHeaders,
  body: string | Buffer,
): Question {
  verify(secrets, headers, body);
  return JSON.parse(body.toString()) as Question;
}
