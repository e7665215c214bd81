import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { WebhookDisabledReason } from "../contract/alerts.ts";
import type { EventType } from "../contract/enums.ts";
import { maximumWebhooks, type WebhookView } from "../contract/webhooks.ts";
import { environment } from "../platform/environment.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { table } from "../platform/table/client.ts";
import { webhookKey } from "../platform/table/keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { EndpointHealth } from "./endpoint-health.ts";

export interface Endpoint {
  readonly programId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly eventTypes: readonly EventType[];
  readonly active: boolean;
  /** Why and when the platform switched it off; absent where its owner did. */
  readonly disabledReason?: WebhookDisabledReason | undefined;
  readonly disabledAt?: string | undefined;
  /** Signs callbacks. */
  readonly secret: string;
  /** The one before the last rotation signs as well, until its time. */
  readonly previousSecret?: string | undefined;
  readonly previousSecretExpiresAt?: string | undefined;
  readonly createdAt: string;
}

/** Without its secrets. */
export function toWebhookView(endpoint: Endpoint, at: Date): WebhookView {
  const { webhookId, url, eventTypes, active, disabledReason, disabledAt, createdAt } = endpoint;
  const { previousSecretExpiresAt } = endpoint;
  const isRotating = previousSecretExpiresAt !== undefined && new Date(previousSecretExpiresAt) > at;
  return {
    webhookId,
    url,
    eventTypes: [...eventTypes],
    active,
    dateCreated: createdAt,
    ...(!active && { disabledReason, disabledAt }),
    ...(isRotating && { previousSecretExpiresAt }),
  };
}

/** Newest first. */
export function signingSecrets(
  { secret, previousSecret, previousSecretExpiresAt }: Endpoint,
  at: Date,
): string[] {
  const isRotating = previousSecretExpiresAt !== undefined && new Date(previousSecretExpiresAt) > at;
  return isRotating && previousSecret !== undefined ? [secret, previousSecret] : [secret];
}

/** The write that fails if the Program has as many endpoints as it may. */
export const countWrite = "count";

export function endpointPuts(endpoint: Endpoint): WriteAction[] {
  const { programId, webhookId } = endpoint;
  return [
    {
      name: "endpoint",
      Put: {
        TableName: environment.issuingTable,
        Item: { ...webhookKey.endpoint(programId, webhookId), ...endpoint },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    {
      name: countWrite,
      Update: {
        TableName: environment.issuingTable,
        Key: webhookKey.endpointCount(programId),
        UpdateExpression: "ADD endpoints :one",
        ConditionExpression: "attribute_not_exists(endpoints) OR endpoints < :maximum",
        ExpressionAttributeValues: { ":one": 1, ":maximum": maximumWebhooks },
      },
    },
  ];
}

/** Fails if the endpoint does not exist any more. */
export function endpointDeletes(programId: string, webhookId: string): WriteAction[] {
  const TableName = environment.issuingTable;
  return [
    {
      name: "endpoint",
      Delete: {
        TableName,
        Key: webhookKey.endpoint(programId, webhookId),
        ConditionExpression: "attribute_exists(pk)",
      },
    },
    { name: "health", Delete: { TableName, Key: webhookKey.health(programId, webhookId) } },
    {
      name: countWrite,
      Update: {
        TableName,
        Key: webhookKey.endpointCount(programId),
        UpdateExpression: "ADD endpoints :less",
        ExpressionAttributeValues: { ":less": -1 },
      },
    },
  ];
}

/** @throws ApiError NOT_FOUND */
export async function getEndpoint(programId: string, webhookId: string): Promise<Endpoint> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: webhookKey.endpoint(programId, webhookId),
      ConsistentRead: true,
    }),
  );
  if (!Item) throw new ApiError("NOT_FOUND");
  return Item as Endpoint;
}

/** In order of creation, with their health: one query. */
export async function readEndpoints(
  programId: string,
): Promise<readonly { endpoint: Endpoint; health: EndpointHealth | undefined }[]> {
  const { pk, sk: from } = webhookKey.endpoint(programId, "");
  const { sk: to } = webhookKey.health(programId, "~");
  const { Items = [] } = await table.send(
    new QueryCommand({
      TableName: environment.issuingTable,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":pk": pk, ":from": from, ":to": to },
    }),
  );
  const bySk = new Map(Items.map((item) => [item.sk as string, item]));
  return Items.filter(({ sk }) => (sk as string).startsWith(from)).map((item) => {
    const endpoint = item as Endpoint;
    const health = bySk.get(webhookKey.health(programId, endpoint.webhookId).sk);
    return { endpoint, health: health as EndpointHealth | undefined };
  });
}
