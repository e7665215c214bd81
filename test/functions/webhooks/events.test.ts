import { ulid } from "ulid";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { programRecords } from "../../../infra/commands/audit/list-records.ts";
import { compactPast } from "../../../shared/lists/compaction.ts";
import { listInsert } from "../../../shared/lists/entry.ts";
import { riding } from "../../../shared/lists/kind.ts";
import { rewriteLateChanges } from "../../../shared/lists/late-changes.ts";
import { checkList } from "../../../shared/lists/rebuild.ts";
import { toRidingChange } from "../../../shared/lists/store.ts";
import {
  type Notification,
  notificationList,
  notificationPut,
} from "../../../shared/notifications/notification.ts";
import { parseNotification, readNotification } from "../../../shared/notifications/stored-notification.ts";
import { earliestChangeId, newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { givenCustomer, moveClock } from "../../harness/given-customer.ts";
import { type GivenWebhooks, givenWebhooks } from "../../harness/given-webhooks.ts";
import { storedItems } from "../../harness/stored.ts";
import { writeNotifications } from "./written-notifications.ts";

describe("sent notifications", () => {
  const customer = givenCustomer();
  let given: GivenWebhooks;

  beforeEach(async () => {
    given = await givenWebhooks(customer.queues);
  });

  const register = (eventTypes = [4]) => given.register({ url: `${customer.receiver.origin}/`, eventTypes });
  const list = async (query: Record<string, string> = {}) =>
    (await given.call("GET /webhooks/events", { query })).body;
  const notified = async (count: number) => {
    const ids: string[] = [];
    while (ids.length < count) ids.push(await given.notify());
    return ids;
  };
  const redeliver = (transIdSc: string, body: object = {}) =>
    given.call("POST /webhooks/events/{transIdSc}/redeliver", { path: { transIdSc }, body });
  const since = (body: object) => given.call("POST /webhooks/events/redeliver", { body });

  describe("GET /webhooks/events", () => {
    it("lists them by creation time, in either order, page by page, with the exact total", async () => {
      const ids = await notified(5);
      const listed = await list();
      expect(listed).toMatchObject({ total: 5, limit: 50, offset: 0 });
      expect(listed.items.map(({ transIdSc }: { transIdSc: string }) => transIdSc)).toEqual(ids.toReversed());
      expect(listed.items[0]).toEqual({
        transIdSc: ids[4],
        eventType: 4,
        cardId: expect.stringMatching(/^crd_/),
        dateCreated: expect.any(String),
        bodySha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      const page = await list({ sort: "asc", limit: "2", offset: "1" });
      expect(page.items.map(({ transIdSc }: { transIdSc: string }) => transIdSc)).toEqual(ids.slice(1, 3));
      expect(page.total).toBe(5);
    });

    it("filters by type and by time", async () => {
      await notified(2);
      expect((await list({ eventType: "4" })).total).toBe(2);
      expect(await list({ eventType: "1" })).toMatchObject({ items: [], total: 0 });
      const now = Math.floor(Date.now() / 1000);
      expect((await list({ before: String(now - 3_600) })).total).toBe(0);
      expect((await list({ after: String(now - 3_600) })).total).toBe(2);
      expect((await list({ after: String(now + 3_600) })).total).toBe(0);
    });
  });

  describe("POST /webhooks/events/{transIdSc}/redeliver", () => {
    it("sends a new delivery to all endpoints that subscribe to its type", async () => {
      const wanting = await register();
      await register([1]);
      const [transIdSc = ""] = await notified(1);
      await given.fanOut();
      await given.deliver("slow");
      expect((await redeliver(transIdSc)).body.data).toEqual({ transIdSc });
      await given.fanOut();
      // By now it has proved itself.
      expect(customer.queues.sent).toMatchObject([{ queue: "callbacks", groupId: wanting.webhookId }]);
      await given.deliver("callbacks");
      const [first, second] = customer.receiver.received.filter(
        ({ headers }) => headers["webhook-id"] === transIdSc,
      );
      expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
    });

    it("finds none by an id of another kind that has its ULID", async () => {
      const [transIdSc = ""] = await notified(1);
      const path = { transIdSc: `crd_${transIdSc.slice(4)}` };
      for (const route of [
        "POST /webhooks/events/{transIdSc}/redeliver",
        "POST /webhooks/events/{transIdSc}/duplicate",
        "GET /webhooks/events/{transIdSc}/attempts",
      ] as const)
        expect([route, (await given.call(route, { path })).status]).toEqual([route, 404]);
    });

    it("sends to the named endpoint only", async () => {
      await register();
      const { webhookId } = await register();
      const [transIdSc = ""] = await notified(1);
      await given.events();
      await redeliver(transIdSc, { webhookId });
      await given.fanOut();
      expect(customer.queues.sent).toMatchObject([
        { body: { endpointId: webhookId, messageId: transIdSc, attempt: 1 } },
      ]);
      expect(customer.queues.sent).toHaveLength(1);
    });
  });

  describe("POST /webhooks/events/redeliver", () => {
    it("counts the notifications since the time, and sends all of them again, page by page", async () => {
      const { webhookId } = await register();
      const [before = ""] = await notified(1);
      const madeAt = Date.parse((await list()).items[0].dateCreated);
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(madeAt), { interval: 1 });
      const start = new Date().toISOString();
      const ids = await notified(3);
      await given.events();
      const { body } = await since({ since: start, webhookId });
      expect(body.data).toEqual({
        replayId: expect.stringMatching(/^rpl_/),
        status: "running",
        since: start,
        total: 3,
        sent: 0,
      });
      await given.fanOut();
      const sent = customer.queues.take("slow").map(({ body: message }) => message.messageId);
      expect(sent).toEqual(ids);
      expect(sent).not.toContain(before);
    });

    const replays = async (replayId: string) =>
      (await given.call("GET /webhooks/replays/{replayId}", { path: { replayId } })).body.data;
    const all = { since: "2020-01-01T02:00:00+02:00" };

    it("runs one at a time, shows its progress, and counts a repeated message once", async () => {
      await register();
      await notified(2);
      await given.events();
      const { replayId } = (await since(all)).body.data;
      expect(await since(all)).toMatchObject({ status: 409, body: { code: "REPLAY_IN_PROGRESS" } });
      const events = await given.events();
      await given.fan(events);
      const [end, ...others] = customer.queues.take("events").map(({ body }) => body);
      expect(others).toEqual([]);
      const begun = { status: "running", since: "2020-01-01T00:00:00.000Z", total: 2, sent: 0 };
      expect(await replays(replayId)).toMatchObject(begun);
      await given.fan([end]);
      expect(await replays(replayId)).toMatchObject({ status: "done", total: 2, sent: 2 });
      customer.queues.sent.splice(0);
      await given.fan([...events, end]);
      expect(customer.queues.take("events")).toEqual([]);
      expect(await replays(replayId)).toMatchObject({ status: "done", sent: 2 });
      expect((await since(all)).status).toBe(200);
    });

    it("locks its Program for one hour at most if it makes no progress", async () => {
      const { replayId } = (await since(all)).body.data;
      moveClock(3_600_000 + 1_000);
      expect(await replays(replayId)).toMatchObject({ status: "done", sent: 0 });
      expect((await since(all)).status).toBe(200);
    });
  });

  describe("POST /webhooks/events/{transIdSc}/duplicate (sandbox)", () => {
    it("sends the stored bytes again, and moves no money", async () => {
      await register();
      const [transIdSc = ""] = await notified(1);
      await given.fanOut();
      await given.deliver("slow");
      const path = { transIdSc };
      const answer = await given.call("POST /webhooks/events/{transIdSc}/duplicate", { path });
      expect(answer.body.data).toEqual({ transIdSc });
      await given.fanOut();
      await given.deliver("callbacks");
      const copies = customer.receiver.received.filter(({ headers }) => headers["webhook-id"] === transIdSc);
      expect(new Set(copies.map(({ body }) => body.toString())).size).toBe(1);
      expect(copies).toHaveLength(2);
      expect((await list()).total).toBe(1);
      const unknown = { transIdSc: newId("notification") };
      const missing = await given.call("POST /webhooks/events/{transIdSc}/duplicate", { path: unknown });
      expect(missing.status).toBe(404);
    });
  });
});

const day = 86_400_000;
const since = "2020-01-01T00:00:00.000Z";

describe("notifications that expire", () => {
  const customer = givenCustomer();
  let given: GivenWebhooks;

  beforeEach(async () => {
    given = await givenWebhooks(customer.queues);
  });

  const replayAll = async () =>
    (await given.call("POST /webhooks/events/redeliver", { body: { since } })).body.data;
  const fanRest = async () => {
    await given.fan(customer.queues.take("events").map(({ body }) => body));
    return customer.queues.take("slow").map(({ body }) => body.messageId);
  };

  it("make a running replay skip no other notification", async () => {
    await given.register({ url: `${customer.receiver.origin}/`, eventTypes: [1, 2, 3, 4] });
    await given.events();
    const made = await writeNotifications(given.programId, 150, Date.now() - 90 * day + 120_000);
    const { total, replayId } = await replayAll();
    expect(total).toBe(150);
    await given.fanOut();
    const sent = customer.queues.take("slow").map(({ body }) => body.messageId);
    moveClock(120_000);
    sent.push(...(await fanRest()));
    expect(sent.toSorted()).toEqual(made);
    await fanRest();
    const path = { replayId };
    const { body } = await given.call("GET /webhooks/replays/{replayId}", { path });
    expect(body.data).toMatchObject({ status: "done", total: 150, sent: 150 });
  });

  it("are neither listed nor redelivered after 90 days", async () => {
    const list = async (query: Record<string, string> = {}) =>
      (await given.call("GET /webhooks/events", { query })).body;
    await given.notify();
    moveClock(89 * day);
    await given.notify();
    expect((await list()).total).toBe(2);
    moveClock(2 * day);
    expect((await list()).total).toBe(1);
    expect((await list({ after: "1" })).total).toBe(1);
    expect(await replayAll()).toMatchObject({ since, total: 1 });
  });
});

describe("a stored notification", () => {
  const customer = givenCustomer();
  let given: GivenWebhooks;
  let notification: Notification;

  beforeEach(async () => {
    given = await givenWebhooks(customer.queues);
    const found = await readNotification(given.programId, await given.notify());
    if (!found) throw new Error("The notification is not stored.");
    notification = found;
  });

  const list = () => ({ programId: given.programId, kind: notificationList });
  const listed = async () =>
    (await given.call("GET /webhooks/events", {})).body.items.map(
      ({ transIdSc }: { transIdSc: string }) => transIdSc,
    );
  const differences = () => checkList(list(), () => programRecords(given.programId, notificationList));
  const items = async () => (await storedItems(given.programId)).filter(parseNotification);

  it("is listed, found and sent again, byte for byte", async () => {
    const { transIdSc, body } = notification;
    expect(await items()).toHaveLength(1);
    expect(await readNotification(given.programId, transIdSc)).toEqual(notification);
    expect(await listed()).toEqual([transIdSc]);
    expect(await differences()).toEqual([]);
    await given.register({ url: `${customer.receiver.origin}/`, eventTypes: [notification.eventType] });
    const before = customer.receiver.received.length;
    const path = { transIdSc };
    await given.call("POST /webhooks/events/{transIdSc}/redeliver", { path, body: {} });
    await given.fanOut();
    await given.deliver("slow");
    const received = customer.receiver.received.slice(before).map((one) => one.body.toString());
    expect(new Set(received)).toEqual(new Set([body]));
    expect((await given.call("GET /webhooks/events/{transIdSc}/attempts", { path })).body.total).toBe(
      received.length,
    );
  });

  it("that commits late is listed once, and keeps its body", async () => {
    const madeAt = Date.now() - 30_000;
    const transIdSc = `ntf_${ulid(madeAt)}`;
    const late = { ...notification, transIdSc, createdAt: new Date(madeAt).toISOString() };
    await compactPast(list(), earliestChangeId(new Date(madeAt + 10_000)));
    const write = notificationPut(late);
    await transact([write]);
    expect(await listed()).not.toContain(transIdSc);
    const change = { row: toRidingChange(list(), write.Put.Item), committedAt: Date.now() };
    await rewriteLateChanges(list(), [change]);
    await rewriteLateChanges(list(), [change]);
    expect(await listed()).toEqual([notification.transIdSc, transIdSc]);
    expect(await readNotification(given.programId, transIdSc)).toEqual(late);
    const rows = (await storedItems(given.programId)).filter(({ entries }) =>
      String(entries).includes(transIdSc),
    );
    const { expiresAtSeconds } = write.Put.Item;
    expect(expiresAtSeconds).toBeGreaterThanOrEqual(madeAt / 1000 + 100 * 86_400);
    // What is written again expires by its own time: it has to be compacted too.
    expect(rows.map((row) => Number(row.expiresAtSeconds) >= expiresAtSeconds)).toEqual([true, true]);
    expect(await differences()).toEqual([]);
  });

  it("is not any other change of its list", async () => {
    await transact([listInsert(notificationList, given.programId, newId("notification"), notification)]);
    const [other] = (await storedItems(given.programId)).filter(
      ({ listed: name, body }) => name === riding.listed && body === undefined,
    );
    expect(await readNotification(given.programId, `ntf_${other?.sk}`)).toBeUndefined();
  });
});
