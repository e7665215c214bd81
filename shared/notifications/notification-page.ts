import type { Page, PageQuery } from "../lists/indexed-page.ts";
import { retainedSince } from "../lists/kind.ts";
import { listPage } from "../lists/list-page.ts";
import { now } from "../platform/clock.ts";
import { type Notification, notificationList } from "./notification.ts";

/** It begins with `since`, and ends before `until`. */
interface NotificationSpan {
  readonly since: Date;
  readonly until: Date;
}

type NotificationSummary = Pick<
  Notification,
  "transIdSc" | "eventType" | "subjectId" | "cardId" | "bodySha256" | "createdAt"
>;

export function readNotificationPage(
  programId: string,
  query: PageQuery & { readonly eventType?: number | undefined },
): Promise<Page<NotificationSummary>> {
  const after = Math.max(oldestKeptAt().getTime() / 1000, query.after ?? 0);
  return summaries(programId, { ...query, after }, query.eventType);
}

/** Earlier notifications may be deleted at any time. */
export function oldestKeptAt(): Date {
  return new Date(retainedSince(notificationList, now().getTime()));
}

/** The oldest first. */
export function readNotificationSpan(
  programId: string,
  { since, until }: NotificationSpan,
  page: { readonly offset: number; readonly limit: number },
): Promise<Page<NotificationSummary>> {
  // A list excludes both ends of a time span.
  const span = { after: (since.getTime() - 1) / 1000, before: until.getTime() / 1000 };
  return summaries(programId, { ...page, ...span, orderBy: "dateCreated", sort: "asc" });
}

function summaries(programId: string, query: PageQuery, eventType?: number) {
  return listPage(
    {
      records: { list: { programId, kind: notificationList } },
      orders: { transIdSc: "entityId" },
      filters: { eventType },
      view: ({ entityId, ...summary }: Omit<NotificationSummary, "transIdSc"> & { entityId: string }) => ({
        ...summary,
        transIdSc: entityId,
      }),
    },
    query,
  );
}
