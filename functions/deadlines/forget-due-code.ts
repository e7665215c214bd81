import { readChallenge } from "../../shared/domain/passcodes/challenge.ts";
import { forgetting } from "../../shared/domain/passcodes/challenge-writes.ts";
import { type Deadline, deadlineDelete } from "../../shared/platform/deadlines/deadline.ts";
import { transact } from "../../shared/platform/table/transact.ts";

/** Forgets the code of a challenge whose time has passed. It reads as expired from that time on anyway: this is so that it is kept no longer. */
export async function forgetDueCode({
  ownerId: programId,
  deadlineId: challengeId,
}: Deadline): Promise<void> {
  const challenge = await readChallenge(programId, challengeId);
  if (challenge?.code === undefined) {
    await transact([deadlineDelete(programId, challengeId)]);
    return;
  }
  // A guess that was counted meanwhile leaves the code, and the deadline, for the next sweep.
  const outcome = await transact(forgetting(challenge));
  if (!outcome.committed) throw new Error(`The challenge ${challengeId} was changed meanwhile.`);
}
