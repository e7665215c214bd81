import { setImmediate } from "node:timers/promises";
import * as z from "zod";
import { eventTypes } from "../../changes/change.ts";
import { WebhookDisabledReason } from "../../contract/alerts.ts";
import { EventType } from "../../contract/enums.ts";
import { Cause, type OutboxEvent } from "../../contract/outbox.ts";
import { integerEnum } from "../../contract/primitives.ts";
import { BoundedMap } from "../../platform/bounded-map.ts";
import { defineDeadline } from "../../platform/deadlines.ts";
import { environment } from "../../platform/environment.ts";
import { randomInteger } from "../../platform/id.ts";
import type { OutgoingMessage } from "../../platform/queue/send-batch.ts";
import { sendEach, sendTogether } from "../../platform/queue/send-messages.ts";
import type { Notification } from "../notification.ts";
import { isHealthy, isSuspect, readEndpoints } from "./endpoint.ts";

const common = {
  /** The event that it is sent for: a repeated event sends nothing twice. */
  deliveryId: z.string(),
  /** The attempt to be made, from 1. */
  attempt: z.int().min(1).default(1),
  /** How often the message went back to the queue without an attempt. */
  deferrals: z.int().min(0).default(0),
  cause: Cause.optional(),
};

/** A message in a delivery queue. Content and receiver are read at each attempt. */
export const Delivery = z.discriminatedUnion("kind", [
  z.object({
    ...common,
    kind: z.literal("notification"),
    programId: z.string(),
    /** TransId_SC, and the `webhook-id` header. */
    messageId: z.string(),
    /** The webhookId. */
    endpointId: z.string(),
  }),
  z.object({
    ...common,
    kind: z.literal("otp.challenged"),
    programId: z.string(),
    listenerId: z.string(),
    challengeId: z.string(),
  }),
  /** A request to the Program's compliance provider. */
  z.object({
    ...common,
    kind: z.literal("kyc.requested"),
    programId: z.string(),
    cardholderId: z.string(),
    sessionId: z.string(),
  }),
  z.object({
    ...common,
    kind: z.literal("certificate.expiring"),
    tenantId: z.string(),
    reminderId: z.string(),
  }),
  z.object({
    ...common,
    kind: z.literal("webhook.disabled"),
    programId: z.string(),
    webhookId: z.string(),
    url: z.string(),
    reason: WebhookDisabledReason,
    disabledAt: z.string(),
  }),
]);
export type Delivery = z.output<typeof Delivery>;
export type DeliveryOf<Kind extends Delivery["kind"]> = Extract<Delivery, { kind: Kind }>;

/** The next attempt is further away than a queue delays a message. */
export const retrying = defineDeadline("retry_delivery", "normal", z.object({ delivery: Delivery }));

/** Alerts arrive from the bus as events, in `detail`. */
export function parseDelivery(text: string): Delivery {
  const message = JSON.parse(text);
  if (message.kind !== undefined) return Delivery.parse(message);
  const { detail: event } = message;
  return Delivery.parse({ ...event, ...event?.detail, deliveryId: event?.eventId });
}

/** Whose delivery it is: the Program, or the Tenant. */
export function getOwnerId(delivery: Delivery): string {
  return delivery.kind === "certificate.expiring" ? delivery.tenantId : delivery.programId;
}

/** SQS fair queues: a busy group delays no other. */
export function getGroupId(delivery: Delivery): string {
  return delivery.kind === "notification" ? delivery.endpointId : getOwnerId(delivery);
}

/** Ids alone: the URL of an endpoint may hold a credential. */
export function toLogged(delivery: Delivery): object {
  const { kind, attempt } = delivery;
  if (delivery.kind !== "notification") return { kind, attempt };
  const { programId, messageId, endpointId } = delivery;
  return { kind, programId, messageId, endpointId, attempt };
}

export function toNextAttempt(delivery: Delivery): Delivery {
  return { ...delivery, attempt: delivery.attempt + 1, deferrals: 0 };
}

/** Seconds after the first, second, … failed attempt: three days and more. */
const longWaitsSeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/** The content is useful for minutes. The last wait repeats until it expires. */
const shortWaitsSeconds = [5, 10, 15, 30, 60, 60, 120, 300, 900];

const webhookQueue = {
  putBack: sendTogether(() => environment.slowEndpointQueueUrl),
  deadLettersUrl: () => environment.callbackDeadLettersUrl,
};
const alertQueue = {
  putBack: sendTogether(() => environment.alertQueueUrl),
  deadLettersUrl: () => environment.alertDeadLettersUrl,
};

/** How each kind is repeated, where its attempts wait, and where it goes once it is given up. */
const channels = {
  notification: { ...webhookQueue, waits: longWaitsSeconds },
  "otp.challenged": { ...alertQueue, waits: shortWaitsSeconds },
  "kyc.requested": { ...alertQueue, waits: longWaitsSeconds },
  "certificate.expiring": { ...alertQueue, waits: longWaitsSeconds },
  "webhook.disabled": { ...alertQueue, waits: longWaitsSeconds },
} as const satisfies Record<Delivery["kind"], object>;

/** Adds up to a tenth of the wait, so that simultaneous failures spread out. */
const jitter = 0.1;

/**
 * Undefined after the last attempt.
 * @param until when the delivery becomes useless
 */
export function nextDelayMs({ kind, attempt }: Delivery, at: Date, until?: Date): number | undefined {
  const { waits } = channels[kind];
  const waitSeconds = waits[attempt - 1] ?? (until && waits.at(-1));
  if (waitSeconds === undefined) return undefined;
  const waitMs = waitSeconds * 1_000;
  const delayMs = waitMs + randomInteger(0, Math.ceil(waitMs * jitter));
  return until && at.getTime() + delayMs >= until.getTime() ? undefined : delayMs;
}

export function putBack(delivery: Delivery, delaySeconds: number): Promise<void> {
  return channels[delivery.kind].putBack({
    body: delivery,
    groupId: getGroupId(delivery),
    delaySeconds,
  });
}

export function getDeadLettersUrl({ kind }: Delivery): string {
  return channels[kind].deadLettersUrl();
}

export interface QueuedMessage {
  readonly queueUrl: string;
  readonly message: OutgoingMessage;
}

export type ReadEndpoints = typeof readEndpoints;

/** Reads the endpoints of each Program once, after what is being sent without them. */
export function memoizeEndpoints(): ReadEndpoints {
  const answers = new BoundedMap<string, ReturnType<ReadEndpoints>>(1_000);
  const read = (programId: string) => setImmediate().then(() => readEndpoints(programId));
  return (programId) => answers.getOrMake(programId, () => read(programId));
}

const NotifyingDetail = z.object({
  notificationIds: z.array(z.string()).default([]),
  eventType: integerEnum(EventType).optional(),
  /** Sends to this endpoint only. */
  webhookId: z.string().optional(),
});

/** The deliveries of an event's notifications, to the only endpoint that it names or to all. */
export async function makeEventDeliveries(event: OutboxEvent, read: ReadEndpoints): Promise<QueuedMessage[]> {
  const detail = NotifyingDetail.parse(event.detail);
  const { notificationIds, webhookId, eventType = eventTypes[event.kind] } = detail;
  if (eventType === undefined) throw new Error(`No notification is sent for ${event.kind}.`);
  const notifications = notificationIds.map((transIdSc) => ({ transIdSc, eventType }));
  return makeDeliveries(event, await read(event.programId), notifications, webhookId);
}

const longestWaitSeconds = 20;

/**
 * One delivery for each notification and each active endpoint that subscribes to its type.
 * Repeatable: the same input makes the same deliveries, which are recognized.
 */
export function makeDeliveries(
  { programId, eventId: deliveryId, cause }: Pick<OutboxEvent, "programId" | "eventId" | "cause">,
  endpoints: Awaited<ReturnType<ReadEndpoints>>,
  notifications: readonly Pick<Notification, "transIdSc" | "eventType">[],
  webhookId: string | undefined,
): QueuedMessage[] {
  const queued: QueuedMessage[] = [];
  for (const { endpoint, health } of endpoints) {
    const endpointId = endpoint.webhookId;
    if (!endpoint.active || (webhookId !== undefined && webhookId !== endpointId)) continue;
    const queueUrl = isHealthy(health) ? environment.callbackQueueUrl : environment.slowEndpointQueueUrl;
    // A suspect endpoint has one slot, always taken: sending at once is useless.
    const delay = isSuspect(health) ? { delaySeconds: randomInteger(1, longestWaitSeconds + 1) } : {};
    for (const { transIdSc: messageId, eventType } of notifications) {
      if (!endpoint.eventTypes.includes(eventType)) continue;
      const ids = { programId, messageId, endpointId, deliveryId };
      const body: Delivery = { kind: "notification", ...ids, attempt: 1, deferrals: 0, cause };
      queued.push({ queueUrl, message: { body, groupId: endpointId, ...delay } });
    }
  }
  return queued;
}

/**
 * Sends the messages of all events together. Returns, per event, why not all were sent. A
 * repetition sends some twice. Never rejects.
 */
export async function sendQueued(
  events: readonly (readonly QueuedMessage[])[],
): Promise<(Error | undefined)[]> {
  const all = events.flatMap((messages, event) => messages.map((message) => ({ event, ...message })));
  const failures = new Map<number, Error>();
  await Promise.all(
    [...Map.groupBy(all, ({ queueUrl }) => queueUrl)].map(async ([queueUrl, group]) => {
      const errors = await sendEach(
        queueUrl,
        group.map(({ message }) => message),
      );
      for (const [index, { event }] of group.entries()) {
        if (errors[index]) failures.set(event, errors[index]);
      }
    }),
  );
  return events.map((_, event) => failures.get(event));
}
