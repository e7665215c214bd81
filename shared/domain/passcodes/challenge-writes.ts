import { timestamp } from "../../platform/clock.ts";
import { deadlineDelete, deadlinePut } from "../../platform/deadlines/deadline.ts";
import { environment } from "../../platform/environment.ts";
import { otpKey } from "../../platform/table/otp-keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { type Challenge, maximumWrongCodes } from "./challenge.ts";

/** Name of the write of the challenge itself. */
export const challengeWrite = "challenge";

/** A new challenge, with the deadline at which its code is forgotten. */
export function challengePuts(challenge: Challenge): WriteAction[] {
  const { programId, challengeId, expiresAt } = challenge;
  return [
    {
      name: challengeWrite,
      Put: {
        TableName: environment.issuingTable,
        Item: { ...otpKey.challenge(programId, challengeId), ...challenge },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    deadlinePut({
      ownerId: programId,
      deadlineId: challengeId,
      kind: "forget_code",
      dueAt: new Date(expiresAt),
    }),
  ];
}

/** Tells a subscription of the challenge, in the place of the one before. Refused where it has unsubscribed since. */
export function tellListener(programId: string, listenerId: string, challengeId: string): WriteAction {
  return {
    name: `listener ${listenerId}`,
    Update: {
      TableName: environment.issuingTable,
      Key: otpKey.listener(programId, listenerId),
      UpdateExpression: "SET challengeId = :challengeId",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: { ":challengeId": challengeId },
    },
  };
}

/** The code was the right one: used, and forgotten. */
export function consumption(challenge: Challenge, at: Date): WriteAction[] {
  return [
    challengeUpdate(challenge, "SET consumedAt = :consumedAt REMOVE code", { ":consumedAt": timestamp(at) }),
    deadlineDelete(challenge.programId, challenge.challengeId),
  ];
}

/**
 * The code was a wrong one: counted, on the condition that no other guess was counted since, so that guesses made at the same time do not
 * get more attempts. The last one voids the challenge.
 */
export function wrongGuess(challenge: Challenge): WriteAction[] {
  const wrongCodes = challenge.wrongCodes + 1;
  const values = { ":wrongCodes": wrongCodes };
  if (wrongCodes < maximumWrongCodes) {
    return [challengeUpdate(challenge, "SET wrongCodes = :wrongCodes", values)];
  }
  return [
    challengeUpdate(challenge, "SET wrongCodes = :wrongCodes REMOVE code", values),
    deadlineDelete(challenge.programId, challenge.challengeId),
  ];
}

/** Forgets a code that nobody can use any more. */
export function forgetting(challenge: Challenge): WriteAction[] {
  return [
    challengeUpdate(challenge, "REMOVE code", {}),
    deadlineDelete(challenge.programId, challenge.challengeId),
  ];
}

/** An update on the condition that the challenge is as it was read. */
function challengeUpdate(
  { programId, challengeId, wrongCodes }: Challenge,
  UpdateExpression: string,
  values: Record<string, unknown>,
): WriteAction {
  return {
    name: challengeWrite,
    Update: {
      TableName: environment.issuingTable,
      Key: otpKey.challenge(programId, challengeId),
      UpdateExpression,
      ConditionExpression: "attribute_exists(code) AND wrongCodes = :seen",
      ExpressionAttributeValues: { ...values, ":seen": wrongCodes },
    },
  };
}
