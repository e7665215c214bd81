import { notificationPage } from "../../shared/delivery/notification-page.ts";
import type { WebhookOperations } from "./operations.ts";

/** The Program's notifications of the last 90 days, by the time of their making. */
export const listEvents: WebhookOperations["GET /webhooks/events"] = async ({ scope, query }) => {
  const { items, total } = await notificationPage(scope.programId, query);
  return {
    items: items.map(({ transIdSc, eventType, cardId, bodySha256, createdAt }) => ({
      transIdSc,
      eventType,
      cardId,
      dateCreated: createdAt,
      bodySha256,
    })),
    total,
  };
};
