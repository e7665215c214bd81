import { createHash } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { maximumOtpListeners, type OtpListenerView } from "../../contract/otp.ts";
import { timestamp } from "../../contract/primitives.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { otpKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

/** A subscription to the passcodes of a Card, or of all of a Cardholder's Cards. Its token is not stored. */
export const OtpListener = z.object({
  /** The hash of its token. */
  listenerId: z.string(),
  programId: z.string(),
  /** One of the two. */
  cardId: z.string().optional(),
  cardholderId: z.string().optional(),
  webhookUrl: z.string().optional(),
  /** Signs its callbacks; only with a `webhookUrl`. */
  secret: z.string().optional(),
  /** The last challenge that it may fetch. */
  challengeId: z.string().optional(),
  createdAt: timestamp,
});
export type OtpListener = z.output<typeof OtpListener>;

/** Of the URL only the host: it names the receiver and holds no credential. */
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

/** The id of a token's subscription. A token has 256 random bits: its hash needs neither salt nor stretching. */
export function toListenerId(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Looked up by a hash, within the Program: its duration tells nothing of similar tokens, or of other Programs. */
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

const listenerWrite = "listener";
export const listenersWrite = "listeners";

/** `listenersWrite` fails if the Card or Cardholder has as many subscriptions as it may. */
export function subscriptionWrites(listener: OtpListener): WriteAction[] {
  const { programId, listenerId, webhookUrl } = listener;
  return [
    {
      name: listenerWrite,
      Put: {
        TableName: environment.issuingTable,
        Item: { ...otpKey.listener(programId, listenerId), ...listener },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    {
      name: listenersWrite,
      Update: {
        TableName: environment.issuingTable,
        Key: otpKey.listeners(programId, getSubjectId(listener)),
        UpdateExpression: `ADD listenerIds :one${webhookUrl === undefined ? "" : ", calledBackIds :one"}`,
        ConditionExpression: "attribute_not_exists(listenerIds) OR size(listenerIds) < :maximum",
        ExpressionAttributeValues: { ":one": new Set([listenerId]), ":maximum": maximumOtpListeners },
      },
    },
  ];
}

/** Deletes a subscription. Fails if it does not exist any more. */
export function unsubscriptionWrites(listener: OtpListener): WriteAction[] {
  const { programId, listenerId } = listener;
  return [
    {
      name: listenerWrite,
      Delete: {
        TableName: environment.issuingTable,
        Key: otpKey.listener(programId, listenerId),
        ConditionExpression: "attribute_exists(pk)",
      },
    },
    {
      name: listenersWrite,
      Update: {
        TableName: environment.issuingTable,
        Key: otpKey.listeners(programId, getSubjectId(listener)),
        UpdateExpression: "DELETE listenerIds :one, calledBackIds :one",
        ExpressionAttributeValues: { ":one": new Set([listenerId]) },
      },
    },
  ];
}

function getSubjectId({ cardId, cardholderId, listenerId }: OtpListener): string {
  const subjectId = cardId ?? cardholderId;
  if (subjectId === undefined) throw new Error(`The subscription ${listenerId} is nobody's.`);
  return subjectId;
}

export interface Subscribed {
  readonly listenerIds: readonly string[];
  /** Those of them that have a `webhookUrl`. */
  readonly calledBackIds: readonly string[];
}

/** Who has subscribed to the passcodes of a Card: for it, or for all of its Cardholder's. */
export async function readSubscribed(
  programId: string,
  cardId: string,
  cardholderId: string,
): Promise<Subscribed> {
  const lists = await Promise.all([cardId, cardholderId].map((subjectId) => readList(programId, subjectId)));
  return {
    listenerIds: lists.flatMap(({ listenerIds = [] }) => [...listenerIds]),
    calledBackIds: lists.flatMap(({ calledBackIds = [] }) => [...calledBackIds]),
  };
}

export async function readListenerIds(programId: string, subjectId: string): Promise<string[]> {
  const { listenerIds = [] } = await readList(programId, subjectId);
  return [...listenerIds];
}

async function readList(
  programId: string,
  subjectId: string,
): Promise<{ listenerIds?: Set<string>; calledBackIds?: Set<string> }> {
  const { Item = {} } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: otpKey.listeners(programId, subjectId),
      ConsistentRead: true,
    }),
  );
  return Item;
}
