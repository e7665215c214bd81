import * as z from "zod";
import type {
  AuthenticationStandIns,
  QuestionType,
  StandIns,
  TokenStandIns,
} from "../contract/authorization-endpoint.ts";

/** As it was validated. */
const stored = <T>() => z.custom<T>((value) => typeof value === "object" && value !== null);

/** Who is asked. A part of the Program's rulebook, so that no event reads it apart. */
export const AuthorizationEndpoint = z.object({
  url: z.string(),
  deadlineMs: z.int(),
  standIn: stored<StandIns>(),
  /** Absent: authorizations alone. */
  questions: stored<readonly QuestionType[]>().optional(),
  tokenStandIn: stored<TokenStandIns>().optional(),
  authenticationStandIn: stored<AuthenticationStandIns>().optional(),
  /** Signs questions. */
  secret: z.string(),
  /** The one before the last rotation signs as well, until its time. */
  previousSecret: z.string().optional(),
  previousSecretExpiresAt: z.string().optional(),
  createdAt: z.string(),
});
export type AuthorizationEndpoint = Readonly<z.output<typeof AuthorizationEndpoint>>;
