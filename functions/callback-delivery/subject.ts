import DataLoader from "dataloader";
import type { Attempt } from "../../shared/delivery/attempt.ts";
import type { DeliveryMessage } from "../../shared/delivery/delivery-message.ts";
import { type Endpoint, signingSecrets } from "../../shared/delivery/endpoint.ts";
import type { EndpointHealth } from "../../shared/delivery/endpoint-health.ts";
import type { Notification } from "../../shared/domain/notifications/notification.ts";
import { now } from "../../shared/platform/clock.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { readBatch } from "../../shared/platform/table/read-batch.ts";
import { webhookKey } from "../../shared/platform/table/webhook-keys.ts";
import type { Places } from "./take-place.ts";

/** What an attempt is to send, and what is known of it. */
export interface Subject {
  readonly url: string;
  readonly body: Uint8Array;
  readonly bodySha256: string;
  readonly secrets: readonly string[];
  readonly health: EndpointHealth | undefined;
  /** The attempt, where it was made already. */
  readonly made: Attempt | undefined;
  /** Sends under way to an endpoint on the detour. */
  readonly places: Places | undefined;
}

type Item = Readonly<Record<string, unknown>>;
export type ItemReader = DataLoader<Key, Item | undefined, string>;

/** Reads the items of a batch of messages in one round trip, each item once. */
export function itemReader(): ItemReader {
  return new DataLoader(readEach, { cacheKeyFn: ({ pk, sk }) => `${pk} ${sk}` });
}

/** Undefined where there is nothing to send any more: the endpoint is gone or off. */
export async function readSubject(message: DeliveryMessage, items: ItemReader): Promise<Subject | undefined> {
  const { programId, messageId, endpointId } = message;
  const [notification, stored, health, made, places] = await Promise.all(
    [
      webhookKey.notification(programId, messageId),
      webhookKey.endpoint(programId, endpointId),
      webhookKey.health(programId, endpointId),
      attemptKey(message),
      webhookKey.places(programId, endpointId),
    ].map((key) => items.load(key)),
  );
  const endpoint = stored as unknown as Endpoint | undefined;
  if (!notification || !endpoint?.active) return undefined;
  const { body, bodySha256 } = notification as unknown as Notification;
  return {
    url: endpoint.url,
    body: Buffer.from(body, "utf8"),
    bodySha256,
    secrets: signingSecrets(endpoint, now()),
    health: health as EndpointHealth | undefined,
    made: made as Attempt | undefined,
    places: places as Places | undefined,
  };
}

/** One item for each attempt of each delivery: its being there tells a copy of the message that the attempt was made. */
export function attemptKey({ programId, messageId, endpointId, deliveryId, attempt }: DeliveryMessage): Key {
  const ordinal = String(attempt).padStart(4, "0");
  return webhookKey.attempt(programId, messageId, `${deliveryId}#${endpointId}#${ordinal}`);
}

async function readEach(keys: readonly Key[]): Promise<(Item | undefined)[]> {
  const items = await readBatch(keys);
  return keys.map(({ pk, sk }) => items.find((item) => item.pk === pk && item.sk === sk));
}
