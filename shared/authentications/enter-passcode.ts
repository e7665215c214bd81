import { defineChange, later, nothing, type StepRefusal, unread } from "../changes/change.ts";
import { type Challenge, type CodeFailure, challenges, tryCode } from "../passcodes/passcode.ts";
import { timestamp } from "../platform/clock.ts";
import { illegalStatus } from "../platform/http/api-error.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Authentication, authentications, challengeEnd } from "./authentication.ts";

/** What the Cardholder has entered on the merchant's page. */
interface EnteredCode {
  readonly programId: string;
  readonly authenticationId: string;
  readonly code: string;
}

interface Entered {
  readonly authentication: Authentication;
  /** The code was not the right one. The fifth such fails the authentication. */
  readonly failure?: CodeFailure | undefined;
}

/** Illegal for what is decided, late, or answered in the app. */
export const enterPasscode = defineChange<EnteredCode, Entered, StepRefusal>()({
  reads: ({ programId, authenticationId }) => ({
    authentication: authentications.at(programId, authenticationId),
    challenge: later<Challenge>(nothing),
  }),
  decide: ({ programId, code }, { authentication, challenge }, at) => {
    if (!authentication) return { rejected: "NOT_FOUND" };
    const { state, challengeId } = authentication;
    if (state !== "challenged" || challengeId === undefined) return illegalStatus(state, ["challenged"]);
    if (challenge === unread) return { readMore: { challenge: challenges.at(programId, challengeId) } };
    const tried = challenge && tryCode(challenge, code, at);
    // The code has ended, and so the authentication will.
    if (!tried || (tried.failure !== undefined && tried.failure !== "WRONG_CODE"))
      return illegalStatus("expired", ["challenged"]);
    return {
      writes: triedCodeWrites(authentication, tried, at),
      answer: { authentication: afterCode(authentication, tried, at), failure: tried.failure },
    };
  },
});

type Tried = ReturnType<typeof tryCode>;

/** The challenge's writes, with what they decide of the authentication. */
export function triedCodeWrites(
  authentication: Authentication | undefined,
  tried: Tried,
  at: Date,
): WriteAction[] {
  if (authentication?.state !== "challenged") return [...tried.writes];
  const after = afterCode(authentication, tried, at);
  return [...tried.writes, ...(after === authentication ? [] : [challengeEnd(authentication, after)])];
}

function afterCode(before: Authentication, { failure, isLast }: Tried, at: Date): Authentication {
  const decided = { ...before, decidedBy: "cardholder", decidedAt: timestamp(at) } as const;
  if (failure === undefined) return { ...decided, state: "authenticated" };
  return isLast ? { ...decided, state: "failed", reason: "ATTEMPTS_EXHAUSTED" } : before;
}
