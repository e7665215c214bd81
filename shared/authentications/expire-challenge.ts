import { type Change, nothing } from "../changes/change.ts";
import { execute } from "../changes/execute.ts";
import { type Challenge, challenges, codeDeletionWrites } from "../passcodes/passcode.ts";
import { timestamp } from "../platform/clock.ts";
import { deadlineDelete } from "../platform/deadlines.ts";
import { toOtherId } from "../platform/id.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Authentication, authentications, challengeEnd } from "./authentication.ts";

interface Due {
  readonly programId: string;
  readonly authenticationId: string;
  /** A passcode's, of which there may be no authentication. */
  readonly challengeId?: string;
}

interface Found {
  readonly authentication: Authentication | undefined;
  readonly challenge: Challenge | undefined;
}

/** The time is up: the code is deleted, and what is not decided has expired. */
const expireChallenge: Change<Due, Found, undefined, never> = {
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
    return writes.length > 0 ? { accounts: [], writes, answer: undefined } : { done: undefined };
  },
};

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
