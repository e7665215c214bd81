import { describe, expect, it } from "vitest";
import { toPage } from "../../../functions/settlements/page.ts";
import { findSettlement } from "../../../functions/settlements/view-settlement.ts";
import type { OutboxEvent } from "../../../shared/contract/outbox.ts";
import { locateAttempt } from "../../../shared/notifications/delivery/attempt.ts";
import { compareWebhooks } from "../../../shared/notifications/delivery/compare-webhooks.ts";
import { type Notification, notificationPut } from "../../../shared/notifications/notification.ts";
import { readNotification } from "../../../shared/notifications/stored-notification.ts";
import { timestamp, unixSeconds } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { reportSettlement } from "../../../shared/settlements/reconcile.ts";
import { nextMessage } from "../../harness/given-jobs.ts";
import { inSlowRequest } from "../../harness/slow-request.ts";
import { eventsIn, storedItems } from "../../harness/stored.ts";
import { givenDay, record } from "./given-day.ts";

it("is a document of its own that escapes what others have written", async () => {
  const { call, feed, today } = await givenDay();
  const hostile = `<img src=x onerror="alert('&')">`;
  await feed("<script>", [record(hostile, 10)]);
  const headers = { Accept: "text/html" };
  const answer = await call("GET /settlements/{date}", { path: { date: today() }, headers });
  expect(answer.status).toBe(200);
  const page = String(answer.body);
  expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
  expect(page).not.toContain("<img");
  expect(page).not.toContain("<script");
  expect(page).toContain("&lt;img src=x onerror=&quot;alert(&#39;&amp;&#39;)&quot;&gt;");
  expect(page).toContain("default-src &#39;none&#39;".replaceAll("&#39;", "'"));
});

it("shows amounts with their sign, and what is not complete", async () => {
  const { view, apply } = await givenDay();
  await apply({ kind: "refund", amount: 123_456 });
  const settlement = await view();
  expect(toPage(settlement, "Travel <b>")).toContain("−1234.56 USD");
  expect(toPage(settlement, "Travel <b>")).toContain("<strong>Travel &lt;b&gt;</strong>");
  expect(toPage(settlement, "Travel")).toContain("No differences.");
  expect(toPage({ ...settlement, status: "running", progressPercent: 40 }, "Travel")).toContain(
    "running: 40 %",
  );
});

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

/** A day that takes longer than its request. */
async function givenLongDay() {
  const day = await givenDay();
  for (let count = 1; count <= 5; count += 1) await day.apply({ kind: "clearing", amount: count });
  const { programId } = day;
  const asked = { programId, currency: 0, date: day.today() } as const;
  const view = await inSlowRequest(9_000, day.view);
  const events = eventsIn(await storedItems(programId)).filter(({ kind }) => kind === "settlement.requested");
  return { ...day, asked, first: view, messages: events as OutboxEvent[] };
}

const step = async (event: OutboxEvent) =>
  nextMessage(event, await reportSettlement(event, compareWebhooks, 0));

it("goes on step by step, and shows how far it is", async () => {
  const { asked, first, messages, view } = await givenLongDay();
  expect(first).toMatchObject({ status: "running", progressPercent: 0 });
  let waiting = messages;
  let steps = 0;
  for (; waiting.length > 0; steps += 1) {
    expect(await view()).toMatchObject({ status: "running", asOf: first.asOf });
    waiting = await step(waiting[0] as OutboxEvent);
  }
  expect(steps).toBeGreaterThan(2);
  const done = await view();
  expect(done).toMatchObject({ status: "done", progressPercent: 100, transactions: 5, gross: 15 });
  // It is kept: the next request does not begin another one.
  expect(await findSettlement(asked, 0)).toEqual(done);
});

it("takes each step once, though its messages are repeated or it is killed before the next one is sent", async () => {
  const { messages, view } = await givenLongDay();
  let [message] = messages;
  while (message) {
    const both = await Promise.all([step(message), step(message)]);
    const sent = [...both.flat(), ...(await step(message))];
    const steps = new Set(sent.map(({ detail }) => detail.step));
    expect(steps.size).toBeLessThan(2);
    message = sent[0];
  }
  expect(await view()).toMatchObject({ status: "done", transactions: 5, gross: 15 });
});

it("is begun once by requests at the same time", async () => {
  const day = await givenDay();
  const asked = { programId: day.programId, currency: 0, date: day.today() } as const;
  const views = await Promise.all([1, 2, 3].map(() => findSettlement(asked, 0)));
  expect(views.map(({ status }) => status)).toEqual(["running", "running", "running"]);
  const events = eventsIn(await storedItems(day.programId));
  expect(events.filter(({ kind }) => kind === "settlement.requested")).toHaveLength(1);
});

it("ignores the message of an older report", async () => {
  const { messages, programId, asked } = await givenLongDay();
  const [message] = messages as [OutboxEvent];
  const stranger = { ...message, detail: { ...message.detail, runId: "evt_other" } };
  expect(await step(stranger)).toEqual([]);
  expect(await step({ ...message, detail: { ...message.detail, step: 7 } })).toEqual([]);
  expect(programId).toBe(asked.programId);
});
