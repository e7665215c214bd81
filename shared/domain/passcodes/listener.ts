import { createHash } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { OtpListenerView } from "../../contract/otp.ts";
import { timestamp } from "../../contract/primitives.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { otpKey } from "../../platform/table/otp-keys.ts";

/** A subscription to the one-time passcodes of a Card, or of all of a Cardholder's Cards. Its token is nowhere. */
export const OtpListener = z.object({
  /** The hash of its token. */
  listenerId: z.string(),
  programId: z.string(),
  /** One of the two: whose passcodes it is told of. */
  cardId: z.string().optional(),
  cardholderId: z.string().optional(),
  webhookUrl: z.string().optional(),
  /** Signs its callbacks; there with a `webhookUrl` alone. */
  secret: z.string().optional(),
  /** The last challenge that it was told of. */
  challengeId: z.string().optional(),
  createdAt: timestamp,
});
export type OtpListener = z.output<typeof OtpListener>;

/** A subscription as it is answered: of its URL only the host, which names the receiver and holds no credential. */
export function toListenerView(listener: OtpListener): OtpListenerView {
  const { listenerId, cardId, cardholderId, webhookUrl, createdAt } = listener;
  return {
    listenerId,
    cardId,
    cardholderId,
    ...(webhookUrl !== undefined && { webhookHost: new URL(webhookUrl).host }),
    dateCreated: createdAt,
  };
}

/** The id of the subscription that a token belongs to. A token has 256 random bits, so that its hash needs neither salt nor stretching. */
export function listenerIdOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * The subscription as it is now; undefined where the Program has none by this id. It is looked up by a hash, within the Program: how long
 * that takes tells nothing of tokens that are alike, nor whether another Program has it.
 */
export async function readListener(programId: string, listenerId: string): Promise<OtpListener | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: otpKey.listener(programId, listenerId),
      ConsistentRead: true,
    }),
  );
  return Item && OtpListener.parse(Item);
}
