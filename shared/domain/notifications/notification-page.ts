import { attributesIn, keptSince } from "../../lists/listed-kind.ts";
import type { PageQuery } from "../../lists/listing.ts";
import { programEntries } from "../../lists/program-page.ts";
import { now, timestamp } from "../../platform/clock.ts";
import type { Notification } from "./notification.ts";

/** Notifications that were made at `since` or later, and before `until`. */
export interface NotificationSpan {
  readonly since: Date;
  readonly until: Date;
}

/** What a notification's list entry holds: all but the body. */
export type NotificationSummary = Pick<
  Notification,
  "transIdSc" | "eventType" | "cardId" | "bodySha256" | "createdAt"
>;

interface SummaryPage {
  readonly items: NotificationSummary[];
  readonly total: number;
}

const attributeOf = { dateCreated: "createdAt", transIdSc: "entityId" } as const;

/** One page of a Program's notifications of the last 90 days. */
export function readNotificationPage(
  programId: string,
  {
    eventType,
    orderBy,
    ...query
  }: PageQuery & { readonly orderBy: keyof typeof attributeOf; readonly eventType?: number | undefined },
): Promise<SummaryPage> {
  const after = Math.max(oldestKeptAt().getTime() / 1000, query.after ?? 0);
  return summaries(programId, {
    listing: { filters: { eventType } },
    query: { ...query, after },
    attribute: attributeOf[orderBy],
  });
}

/** When the oldest notifications were made that are kept; earlier ones may be deleted at any time. */
export function oldestKeptAt(): Date {
  return new Date(keptSince("notifications", now().getTime()));
}

/** Some notifications of a span, the oldest first. */
export function readNotificationSpan(
  programId: string,
  { since, until }: NotificationSpan,
  page: { readonly offset: number; readonly limit: number },
): Promise<SummaryPage> {
  // Both bounds are excluded.
  const span = { after: (since.getTime() - 1) / 1000, before: until.getTime() / 1000 };
  const query = { ...page, ...span, sort: "asc" } as const;
  return summaries(programId, { listing: { filters: {} }, query, attribute: "createdAt" });
}

async function summaries(
  programId: string,
  asked: Parameters<typeof programEntries>[1],
): Promise<SummaryPage> {
  const { entries, total } = await programEntries({ programId, kind: "notifications" }, asked);
  const items = entries.map((entry) => {
    const attributes = attributesIn("notifications", entry) as Omit<
      NotificationSummary,
      "transIdSc" | "createdAt"
    >;
    return { ...attributes, transIdSc: entry.id, createdAt: timestamp(new Date(entry.createdAt)) };
  });
  return { items, total };
}
