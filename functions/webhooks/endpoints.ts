import * as z from "zod";
import { maximumWebhooks, type WebhookView } from "../../shared/contract/webhooks.ts";
import { isDelivered } from "../../shared/notifications/delivery/attempt.ts";
import {
  type Endpoint,
  endpointHealth,
  endpoints,
  readEndpoints,
} from "../../shared/notifications/delivery/endpoint.ts";
import { sendCallback } from "../../shared/platform/callbacks/post.ts";
import { receiverFault } from "../../shared/platform/callbacks/receiver.ts";
import {
  isRotating,
  newSigningSecret,
  rotateSecrets,
  signingSecrets,
} from "../../shared/platform/callbacks/signature.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError, limitReached } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { defined, pick } from "../../shared/platform/pick.ts";
import { absent, any, below, exists } from "../../shared/platform/table/condition.ts";
import { defineEntity } from "../../shared/platform/table/entity.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";

export const listWebhooks: Operations["GET /webhooks"] = async ({ scope }) => {
  const found = await readEndpoints(scope.programId);
  return { items: found.map(({ endpoint }) => toWebhookView(endpoint, now())), total: found.length };
};

/**
 * The secret appears only in this answer.
 * @throws ApiError VALIDATION_FAILED for a URL that cannot receive callbacks; LIMIT_REACHED at 5
 * endpoints
 */
export const createWebhook: Operations["POST /webhooks"] = async ({ scope: { programId }, body }) => {
  const fault = await receiverFault(body.url, "body.url");
  if (fault) throw new ApiError("VALIDATION_FAILED", [fault]);
  const at = now();
  const endpoint: Endpoint = {
    programId,
    webhookId: newId("webhook"),
    ...body,
    secret: body.secret ?? newSigningSecret(),
    createdAt: timestamp(at),
  };
  const outcome = await transact([
    endpoints.at(programId, endpoint.webhookId).create(endpoint),
    endpointCounts.at(programId).update({ add: { endpoints: 1 } }, mayAdd),
  ]);
  if (!outcome.committed) {
    if (outcome.failedConditions.has("count")) throw limitReached(maximumWebhooks, "webhook endpoints");
    throw new Error("The id of a new endpoint is taken.");
  }
  return { ...toWebhookView(endpoint, at), secret: endpoint.secret };
};

export const viewWebhook: Operations["GET /webhooks/{webhookId}"] = async ({ scope, path }) =>
  toWebhookView(await endpoints.at(scope.programId, path.webhookId).require(), now());

/**
 * Deliveries under way use the endpoint as it is at their next attempt.
 * @throws ApiError VALIDATION_FAILED for a URL that cannot receive callbacks
 */
export const changeWebhook: Operations["PUT /webhooks/{webhookId}"] = async ({ scope, path, body }) => {
  const { programId } = scope;
  const fault = body.url === undefined ? undefined : await receiverFault(body.url, "body.url");
  if (fault) throw new ApiError("VALIDATION_FAILED", [fault]);
  const set = defined(body);
  const endpoint = endpoints.at(programId, path.webhookId);
  if (Object.keys(set).length === 0) return toWebhookView(await endpoint.require(), now());
  // First, so that earlier failures never switch off what is now switched on.
  if (body.active || body.url !== undefined) await endpointHealth.at(programId, path.webhookId).deleteNow();
  const remove = body.active === undefined ? [] : (["disabledReason", "disabledAt"] as const);
  const outcome = await endpoint.updateNow({ set, remove }, exists);
  if (!outcome.updated) throw new ApiError("NOT_FOUND");
  return toWebhookView(outcome.item, now());
};

/** Drops its waiting deliveries. */
export const deleteWebhook: Operations["DELETE /webhooks/{webhookId}"] = async ({ scope, path }) => {
  const { webhookId } = path;
  const outcome = await transact([
    endpoints.at(scope.programId, webhookId).delete(exists),
    endpointHealth.at(scope.programId, webhookId).delete(),
    endpointCounts.at(scope.programId).update({ add: { endpoints: -1 } }),
  ]);
  if (!outcome.committed) throw new ApiError("NOT_FOUND");
  return { webhookId };
};

/** The new secret appears only in this answer. The replaced one also signs for 24 hours. */
export const rotateSecret: Operations["POST /webhooks/{webhookId}/rotate-secret"] = async (request) => {
  const at = now();
  const secret = newSigningSecret();
  const endpoint = endpoints.at(request.scope.programId, request.path.webhookId);
  return retry(async () => {
    const before = await endpoint.require();
    const set = rotateSecrets(before, secret, at);
    const { updated } = await endpoint.updateNow({ set }, { secret: before.secret });
    return updated ? { ...toWebhookView({ ...before, ...set }, at), secret } : new Conflict("endpoint");
  });
};

/** Sends one signed test message, even to an inactive endpoint. It is in no list of events. */
export const pingWebhook: Operations["POST /webhooks/{webhookId}/ping"] = async ({ scope, path }) => {
  const endpoint = await endpoints.at(scope.programId, path.webhookId).require();
  const at = now();
  const { webhookId, url } = endpoint;
  const outcome = await sendCallback({
    url,
    messageId: newId("notification"),
    body: Buffer.from(JSON.stringify({ type: "ping", webhookId, dateCreated: timestamp(at) })),
    secrets: signingSecrets(endpoint, at),
  });
  return {
    webhookId,
    delivered: isDelivered(outcome),
    responseStatus: outcome.status,
    ...("failure" in outcome && { error: outcome.failure }),
    latencyMs: outcome.latencyMs,
  };
};

/** Shows no secret. */
function toWebhookView(endpoint: Endpoint, at: Date): WebhookView {
  const { active, disabledReason, disabledAt, previousSecretExpiresAt } = endpoint;
  return {
    ...pick(endpoint, "webhookId", "url", "includeTransfers", "active"),
    eventTypes: [...endpoint.eventTypes],
    dateCreated: endpoint.createdAt,
    ...(!active && { disabledReason, disabledAt }),
    ...(isRotating(endpoint, at) && { previousSecretExpiresAt }),
  };
}

const endpointCounts = defineEntity({
  name: "count",
  schema: z.object({ endpoints: z.int() }),
  key: (programId: string) => ({ pk: `${programId}#WEBHOOKS`, sk: "COUNTER" }),
});
const mayAdd = any<{ endpoints: number }>({ endpoints: absent }, { endpoints: below(maximumWebhooks) });
