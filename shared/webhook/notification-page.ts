import { now } from "../clock.ts";
import type { EventType } from "../contract/notifications.ts";
import { listPage } from "../listing/list-page.ts";
import { attributesIn, keptSince } from "../listing/listed-kind.ts";
import type { PageQuery } from "../listing/listing.ts";
import { programEntries } from "../listing/program-page.ts";
import type { Notification } from "./notification.ts";

/** Notifications that were made at `since` or later, and before `until`. */
export interface NotificationSpan {
  readonly since: Date;
  readonly until: Date;
}

/** A notification without what it says. */
export interface NotificationReference {
  readonly transIdSc: string;
  readonly eventType: EventType;
}

/** One page of a Program's notifications of the last 90 days, with the exact count of all that match. */
export async function notificationPage(
  programId: string,
  { eventType, ...query }: PageQuery & { readonly eventType?: EventType | undefined },
): Promise<{ readonly items: readonly Notification[]; readonly total: number }> {
  const listing = {
    records: { programId, collection: "notifications" },
    orders: { dateCreated: "createdAt", transIdSc: "entityId" },
    filters: { eventType },
  } as const;
  const after = Math.max(notificationsSince().getTime() / 1000, query.after ?? 0);
  const { items, total } = await listPage(listing, { ...query, after });
  return { items: items as unknown as Notification[], total };
}

/** When the oldest notifications that are kept were made; earlier ones may be deleted at any time. */
export function notificationsSince(): Date {
  return new Date(keptSince("notifications", now().getTime()));
}

/** Some notifications of a span, the oldest first, and how many it has. */
export async function notificationReferences(
  programId: string,
  { since, until }: NotificationSpan,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly references: NotificationReference[]; readonly total: number }> {
  const query = {
    sort: "asc",
    // Both are excluded.
    after: (since.getTime() - 1) / 1000,
    before: until.getTime() / 1000,
    offset,
    limit,
  } as const;
  const asked = { listing: { filters: {} }, query, attribute: "createdAt" };
  const { entries, total } = await programEntries({ programId, kind: "notifications" }, asked);
  const references = entries.map((entry) => ({
    transIdSc: entry.id,
    eventType: attributesIn("notifications", entry).eventType as EventType,
  }));
  return { references, total };
}
