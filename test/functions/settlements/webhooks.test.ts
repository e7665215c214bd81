import { describe, expect, it } from "vitest";
import { locateAttempt } from "../../../shared/notifications/delivery/attempt.ts";
import {
  type Notification,
  notificationPut,
  readNotification,
} from "../../../shared/notifications/notification.ts";
import { timestamp, unixSeconds } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { givenDay } from "./given-day.ts";

async function givenEndpoint(eventTypes: number[] = [2]) {
  const day = await givenDay();
  const { programId, call } = day;
  const body = { url: "https://hooks.example.com/events", eventTypes };
  const { webhookId } = (await call("POST /webhooks", { body })).body.data;
  const notified = async (): Promise<string[]> =>
    (await call("GET /webhooks/events", { query: { sort: "asc", eventType: "2" } })).body.items.map(
      ({ transIdSc }: { transIdSc: string }) => transIdSc,
    );
  /** As the sender records it. */
  const attempt = async (messageId: string, number: number, delivered: boolean) => {
    const ids = { programId, messageId, endpointId: webhookId, deliveryId: "evt_1" };
    const at = locateAttempt({ kind: "notification", ...ids, attempt: number, deferrals: 0 });
    const made = {
      ...{ deliveryId: "evt_1", endpointId: webhookId, attempt: number, delivered, latencyMs: 1 },
      ...{ bodySha256: "", createdAt: timestamp(), expiresAtSeconds: unixSeconds(new Date()) + 9_000 },
    };
    await writeBatch([{ put: at.put(made).Put.Item }]);
  };
  return { ...day, webhookId, notified, attempt };
}

describe("webhooks", () => {
  it("are compared: what an endpoint has not taken is missing, and nothing else", async () => {
    const { apply, notified, attempt, view, webhookId } = await givenEndpoint();
    const taken = await apply({ kind: "clearing", amount: 100 });
    const failed = await apply({ kind: "refund", amount: 50 });
    const [first = "", second = ""] = await notified();
    await attempt(first, 1, false);
    await attempt(first, 2, true);
    await attempt(second, 1, false);
    const { reconciliation } = await view();
    expect(reconciliation).toMatchObject({ matched: 2, webhooksCompared: true, doubled: [], differing: [] });
    expect(reconciliation.missing).toMatchObject([
      { side: "webhook", webhookId, transId: failed.transId, transIdSc: second, type: "CR", amount: 50 },
    ]);
    expect(taken.transId).not.toBe(failed.transId);
  });

  it("that name a transaction twice are doubled, and with another amount differ", async () => {
    const { apply, notified, attempt, view, programId } = await givenEndpoint();
    const { transId } = await apply({ kind: "clearing", amount: 100 });
    const [first = ""] = await notified();
    const rendered = (await readNotification(programId, first)) as Notification;
    const transIdSc = newId("notification");
    const body = rendered.body.replaceAll(/(amount\W+)1\b/g, "$12");
    expect(body).not.toBe(rendered.body);
    await transact([notificationPut({ ...rendered, transIdSc, body })]);
    for (const one of [first, transIdSc]) await attempt(one, 1, true);
    const { doubled, differing, missing } = (await view()).reconciliation;
    const second = { side: "webhook", transId, transIdSc };
    expect(doubled).toMatchObject([{ ...second, type: "DR", amount: 200 }]);
    expect(differing).toMatchObject([{ ...second, stated: { amount: 200 }, ledger: { amount: 100 } }]);
    expect(missing).toEqual([]);
  });

  it("are not compared without an endpoint that takes ACTTXN", async () => {
    const { apply, view } = await givenEndpoint([1]);
    await apply({ kind: "clearing", amount: 100 });
    expect((await view()).reconciliation).toMatchObject({ webhooksCompared: false, missing: [] });
  });

  it("of an endpoint are not expected from before it existed", async () => {
    const day = await givenDay();
    await day.apply({ kind: "clearing", amount: 100 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const body = { url: "https://hooks.example.com/events", eventTypes: [2] };
    await day.call("POST /webhooks", { body });
    expect((await day.view()).reconciliation).toMatchObject({ webhooksCompared: true, missing: [] });
  });
});
