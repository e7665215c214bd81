import { defineChange, later, nothing, type StepRefusal, type Unread, unread } from "../changes/change.ts";
import { execute } from "../changes/execute.ts";
import type { AuthenticationView } from "../contract/authentications.ts";
import { type Challenge, challenges, codeDeletionWrites } from "../passcodes/passcode.ts";
import { timestamp } from "../platform/clock.ts";
import { deadlineDelete } from "../platform/deadlines.ts";
import { illegalStatus } from "../platform/http/api-error.ts";
import { toOtherId } from "../platform/id.ts";
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

/** The Program decides a challenge, also one of a passcode, which then has no code any more. */
export const decideChallenge = defineChange<Outcome, AuthenticationView, StepRefusal>()({
  reads: ({ programId, authenticationId }) => ({
    authentication: authentications.at(programId, authenticationId),
    challenge: later<Challenge>(nothing),
  }),
  decide: ({ programId, outcome, audit }, { authentication, challenge }, at) => {
    if (!authentication) return { rejected: "NOT_FOUND" };
    const { state, expiresAt = "", challengeId } = authentication;
    if (state !== "challenged") return illegalStatus(state, ["challenged"]);
    if (timestamp(at) >= expiresAt) return illegalStatus("expired", ["challenged"]);
    if (challengeId !== undefined && challenge === unread)
      return { readMore: { challenge: challenges.at(programId, challengeId) } };
    const after: Authentication = {
      ...authentication,
      state: outcome === "approved" ? "authenticated" : "failed",
      decidedBy: "program",
      decidedAt: timestamp(at),
    };
    return {
      writes: [
        challengeEnd(authentication, after),
        ...codeWrites(challenge),
        ...(audit ? [audit(after)] : []),
      ],
      answer: toAuthenticationView(after),
    };
  },
});

/** Nobody can use the code of what is decided. */
function codeWrites(challenge: Challenge | undefined | Unread) {
  if (challenge === undefined || challenge === unread || challenge.code === undefined) return [];
  return codeDeletionWrites(challenge);
}

interface Due {
  readonly programId: string;
  readonly authenticationId: string;
  /** A passcode's, of which there may be no authentication. */
  readonly challengeId?: string;
}

/** The time is up: the code is deleted, and what is not decided has expired. */
const expireChallenge = defineChange<Due, undefined, never>()({
  reads: ({ programId, authenticationId, challengeId }) => ({
    authentication: authentications.at(programId, authenticationId),
    challenge: challengeId === undefined ? nothing : challenges.at(programId, challengeId),
  }),
  decide: ({ programId, challengeId }, { authentication, challenge }, at) => {
    const isOpen = authentication?.state === "challenged";
    const writes: WriteAction[] = [
      ...(challenge?.code === undefined ? [] : codeDeletionWrites(challenge)),
      ...(isOpen ? [challengeEnd(authentication, expired(authentication, at))] : []),
    ];
    const isDeletedBefore = challengeId !== undefined && challenge?.code === undefined;
    if (isDeletedBefore) writes.push(deadlineDelete(programId, challengeId));
    return writes.length > 0 ? { writes, answer: undefined } : { done: undefined };
  },
});

function expired(before: Authentication, at: Date): Authentication {
  return {
    ...before,
    state: "expired",
    decidedBy: "platform",
    reason: "CHALLENGE_EXPIRED",
    decidedAt: timestamp(at),
  };
}

/** A challenge in the app was not answered in time. */
export async function expireInApp(programId: string, authenticationId: string): Promise<void> {
  await execute(expireChallenge, { programId, authenticationId });
}

/** A passcode was not used in time. It reads as expired already. */
export async function expirePasscode(programId: string, challengeId: string): Promise<void> {
  const authenticationId = toOtherId("authentication", challengeId);
  await execute(expireChallenge, { programId, authenticationId, challengeId });
}
