import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { maximumOtpListeners } from "../../contract/otp.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { otpKey } from "../../platform/table/otp-keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { OtpListener } from "./listener.ts";

/** Names of the writes of a subscription, and of their conditions when they fail. */
const listenerWrite = "listener";
export const listenersWrite = "listeners";

/** Adds a subscription to its Card's or Cardholder's; the write of the list is refused where it is full. */
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
        Key: otpKey.listeners(programId, subjectOf(listener)),
        UpdateExpression: `ADD listenerIds :one${webhookUrl === undefined ? "" : ", calledBackIds :one"}`,
        ConditionExpression: "attribute_not_exists(listenerIds) OR size(listenerIds) < :maximum",
        ExpressionAttributeValues: { ":one": new Set([listenerId]), ":maximum": maximumOtpListeners },
      },
    },
  ];
}

/** Takes a subscription away; its write is refused where it is gone already. */
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
        Key: otpKey.listeners(programId, subjectOf(listener)),
        UpdateExpression: "DELETE listenerIds :one, calledBackIds :one",
        ExpressionAttributeValues: { ":one": new Set([listenerId]) },
      },
    },
  ];
}

function subjectOf({ cardId, cardholderId, listenerId }: OtpListener): string {
  const subjectId = cardId ?? cardholderId;
  if (subjectId === undefined) throw new Error(`The subscription ${listenerId} is nobody's.`);
  return subjectId;
}

/** The subscriptions that a challenge concerns, by their ids. */
export interface Subscribed {
  readonly listenerIds: readonly string[];
  /** Those of them that have a `webhookUrl`. */
  readonly calledBackIds: readonly string[];
}

/** Who has subscribed to the passcodes of a Card: for it, or for all of its Cardholder's. Consistently read. */
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

/** The ids of the subscriptions of a Card or of a Cardholder alone. Consistently read. */
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
