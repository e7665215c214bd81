import { GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { OtpRetrieveResponse } from "../../contract/otp.ts";
import { timestamp } from "../../contract/primitives.ts";
import { timestamp as toTimestamp } from "../../platform/clock.ts";
import { deadlineDelete, deadlinePut } from "../../platform/deadlines/deadline.ts";
import { environment } from "../../platform/environment.ts";
import { randomInteger } from "../../platform/id.ts";
import { table } from "../../platform/table/client.ts";
import { otpKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

/** After so many wrong codes a challenge is void: one guess in 200,000 is right. */
export const maximumWrongCodes = 5;

/** A purchase that asks its Cardholder for a code. The code is stored only here, and only while it can be used. */
export const Challenge = z.object({
  challengeId: z.string(),
  programId: z.string(),
  cardId: z.string(),
  /** Gone once it was used, its time has passed, or wrong codes have voided it. */
  code: z.string().optional(),
  wrongCodes: z.int(),
  expiresAt: timestamp,
  consumedAt: timestamp.optional(),
  createdAt: timestamp,
});
export type Challenge = z.output<typeof Challenge>;

export function newOtpCode(): string {
  return String(randomInteger(0, 1_000_000)).padStart(6, "0");
}

export async function readChallenge(programId: string, challengeId: string): Promise<Challenge | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: otpKey.challenge(programId, challengeId),
      ConsistentRead: true,
    }),
  );
  return Item && Challenge.parse(Item);
}

/** Whether the code can still be used: until its time comes, not at it. */
export function isUsable({ code, expiresAt }: Challenge, at: Date): boolean {
  return code !== undefined && at < new Date(expiresAt);
}

/** Expiry is a matter of the moment, and waits for no sweep. */
export function toOtpView(challenge: Challenge, at: Date): OtpRetrieveResponse {
  const { code, expiresAt, consumedAt } = challenge;
  if (consumedAt !== undefined) return { status: "consumed", expiresAt };
  return isUsable(challenge, at) ? { status: "received", code, expiresAt } : { status: "expired", expiresAt };
}

/** Fails if the challenge changed meanwhile. */
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

/** Gives a subscription the challenge to fetch, in place of the one before. Fails if it has ended meanwhile. */
export function listenerUpdate(programId: string, listenerId: string, challengeId: string): WriteAction {
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

/** The code was right: used, and deleted. */
export function consumptionWrites(challenge: Challenge, at: Date): WriteAction[] {
  return [
    challengeUpdate(challenge, "SET consumedAt = :consumedAt REMOVE code", {
      ":consumedAt": toTimestamp(at),
    }),
    deadlineDelete(challenge.programId, challenge.challengeId),
  ];
}

/** Counts a wrong code; the last one voids the challenge. Simultaneous guesses get no more attempts. */
export function wrongGuessWrites(challenge: Challenge): WriteAction[] {
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

export function forgettingWrites(challenge: Challenge): WriteAction[] {
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
