import { GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { OtpRetrieveResponse } from "../../contract/otp.ts";
import { timestamp } from "../../contract/primitives.ts";
import { environment } from "../../platform/environment.ts";
import { randomInteger } from "../../platform/id.ts";
import { table } from "../../platform/table/client.ts";
import { otpKey } from "../../platform/table/otp-keys.ts";

/** Wrong codes after which a challenge is void: one guess in 200,000 is right. */
export const maximumWrongCodes = 5;

/** A purchase that asks its Cardholder for a code. The code stands here alone, and only for as long as it can be used. */
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

/** Six digits at random. */
export function newOtpCode(): string {
  return String(randomInteger(0, 1_000_000)).padStart(6, "0");
}

/** The challenge as it is now, consistently read; undefined where the Program has none by this id. */
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

/** What a subscription that was told of this challenge is answered. Expiry is a matter of the moment, and waits for no sweep. */
export function otpOf(challenge: Challenge, at: Date): OtpRetrieveResponse {
  const { code, expiresAt, consumedAt } = challenge;
  if (consumedAt !== undefined) return { status: "consumed", expiresAt };
  return isUsable(challenge, at) ? { status: "received", code, expiresAt } : { status: "expired", expiresAt };
}
