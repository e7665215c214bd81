import { createHash } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { chosenEventTypes, chosenNotifications } from "../../../shared/contract/chosen-notifications.ts";
import type { EventType } from "../../../shared/contract/enums.ts";
import type { ToldItem } from "../../../shared/contract/outbox.ts";
import { ridingShard } from "../../../shared/lists/entry.ts";
import {
  makeDeliveries,
  type ReadEndpoints,
  sendQueued,
} from "../../../shared/notifications/delivery/delivery.ts";
import type { Notification } from "../../../shared/notifications/notification.ts";
import { storeOnce } from "../../../shared/notifications/stored-notification.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { orderedId } from "../../../shared/platform/id.ts";
import { readMetadata } from "../../../shared/platform/labels.ts";
import { log } from "../../../shared/platform/log.ts";
import { sha256 } from "../../../shared/platform/sha256.ts";
import { type ItemChange, type Notice, type Notices, toItemChange } from "./item-change.ts";

export interface ToldRecord {
  readonly kind: ToldItem;
  readonly record: DynamoDBRecord;
}

const chosen: ReadonlySet<EventType> = new Set(chosenEventTypes);

/**
 * Makes the notifications that endpoints have named of what became of each item, and queues their
 * deliveries. A change makes the same ids and bytes whenever it comes, and each is stored once.
 * Returns the records for which that failed; never rejects.
 */
export async function tellChosen(
  changed: readonly ToldRecord[],
  readEndpoints: ReadEndpoints,
  notices: Notices,
): Promise<ReadonlySet<DynamoDBRecord>> {
  const told = await Promise.all(
    changed.map(async ({ kind, record }) => {
      try {
        return { record, messages: await tell(record, readEndpoints, notices[kind]) };
      } catch (error) {
        log.warn("The change could not be told.", { key: record.dynamodb?.Keys, error });
        return { record, messages: undefined };
      }
    }),
  );
  const errors = await sendQueued(told.map(({ messages = [] }) => messages));
  return new Set(told.flatMap(({ record, messages }, index) => (messages && !errors[index] ? [] : [record])));
}

async function tell(record: DynamoDBRecord, readEndpoints: ReadEndpoints, toNotices: Notices[ToldItem]) {
  const programId = String(record.dynamodb?.NewImage?.pk?.S).split("#")[0] ?? "";
  const endpoints = await readEndpoints(programId);
  const named = new Set(
    endpoints.flatMap(({ endpoint }) =>
      endpoint.active ? endpoint.eventTypes.filter((type) => chosen.has(type)) : [],
    ),
  );
  if (named.size === 0) return [];
  const change = toItemChange(record);
  const wanted = (await toNotices(change, named))
    .map((notice, index) => ({ notice, index }))
    .filter(({ notice }) => named.has(notice.eventType));
  const stored = await Promise.all(wanted.map(({ notice, index }) => store(change, notice, index)));
  return stored.flatMap((notification) => {
    const event = { programId, eventId: notification.transIdSc };
    return makeDeliveries(event, endpoints, [notification], undefined);
  });
}

/** Two changes may have the same place, in different parts of the table: then these differ. */
const mostAlike = 8;

async function store(change: ItemChange, told: Notice, index: number): Promise<Notification> {
  const metadata = told.metadataOwnerId && (await readMetadata(change.programId, told.metadataOwnerId));
  const notice = metadata ? { ...told, data: { ...told.data, metadata } } : told;
  for (let salt = 0; salt < mostAlike; salt += 1) {
    const made = render(change, notice, index, salt);
    const stored = (await storeOnce(made)) ?? made;
    if (stored.subjectId === made.subjectId && stored.eventType === made.eventType) return stored;
  }
  throw new Error(`No id is left for a notification of ${notice.subjectId}.`);
}

/** The ids of one subject sort in the order of its changes: the stream's numbers rise with them. */
function render(change: ItemChange, notice: Notice, index: number, salt: number): Notification {
  const { programId, committedAt, madeAt, sequenceNumber } = change;
  const { eventType, subjectId, cardId, data } = notice;
  const eventId = orderedId("notification", {
    at: committedAt,
    shard: ridingShard(cardId ?? subjectId),
    place: BigInt(sequenceNumber.replace(/\D/g, "")),
    apart: (index << 7) | apartBits(subjectId, salt),
  });
  const { type } = chosenNotifications[eventType];
  const dateCreated = notice.madeAt ?? timestamp(madeAt);
  const body = JSON.stringify({ eventId, eventType, type, programId, subjectId, dateCreated, data });
  return {
    ...{ programId, transIdSc: eventId, eventType, subjectId, createdAt: dateCreated },
    ...(cardId !== undefined && { cardId }),
    ...{ body, bodySha256: sha256(body) },
  };
}

function apartBits(subjectId: string, salt: number): number {
  return createHash("sha256").update(`${salt} ${subjectId}`).digest().readUInt8() & 127;
}
