import { type Change, later, nothing, type Unread, unread } from "../changes/change.ts";
import type { AuthenticationView } from "../contract/authentications.ts";
import { type Challenge, challenges, codeDeletionWrites } from "../passcodes/passcode.ts";
import { timestamp } from "../platform/clock.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import {
  type Authentication,
  authentications,
  challengeEnd,
  toAuthenticationView,
} from "./authentication.ts";

interface Outcome {
  readonly programId: string;
  readonly authenticationId: string;
  readonly outcome: "approved" | "declined";
  /** Written in the same commit. */
  readonly audit?: (after: Authentication) => WriteAction;
}

interface Found {
  readonly authentication: Authentication | undefined;
  readonly challenge: Challenge | undefined | Unread;
}

/** The Program decides a challenge, also one of a passcode, which then has no code any more. */
export const decideChallenge: Change<Outcome, Found, AuthenticationView, "NOT_FOUND" | "ILLEGAL_TRANSITION"> =
  {
    reads: ({ programId, authenticationId }) => ({
      authentication: authentications.at(programId, authenticationId),
      challenge: later(nothing),
    }),
    decide: ({ programId, outcome, audit }, { authentication, challenge }, at) => {
      if (!authentication) return { rejected: "NOT_FOUND" };
      const { state, expiresAt = "", challengeId } = authentication;
      if (state !== "challenged" || timestamp(at) >= expiresAt) return { rejected: "ILLEGAL_TRANSITION" };
      if (challengeId !== undefined && challenge === unread)
        return { readMore: { challenge: challenges.at(programId, challengeId) } };
      const after: Authentication = {
        ...authentication,
        state: outcome === "approved" ? "authenticated" : "failed",
        decidedBy: "program",
        decidedAt: timestamp(at),
      };
      return {
        accounts: [],
        writes: [
          challengeEnd(authentication, after),
          ...codeWrites(challenge),
          ...(audit ? [audit(after)] : []),
        ],
        answer: toAuthenticationView(after),
      };
    },
  };

/** Nobody can use the code of what is decided. */
function codeWrites(challenge: Challenge | undefined | Unread) {
  if (challenge === undefined || challenge === unread || challenge.code === undefined) return [];
  return codeDeletionWrites(challenge);
}
