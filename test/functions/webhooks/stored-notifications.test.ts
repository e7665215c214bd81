import { ulid } from "ulid";
import { beforeEach, describe, expect, it } from "vitest";
import { programRecords } from "../../../infra/commands/audit/list-records.ts";
import { compactPast } from "../../../shared/lists/compaction.ts";
import { type ChangeRow, listInsert } from "../../../shared/lists/entry.ts";
import { rewriteLateChanges } from "../../../shared/lists/late-changes.ts";
import { checkList } from "../../../shared/lists/rebuild.ts";
import {
  type Notification,
  notificationList,
  notificationPut,
  parseNotification,
  readNotification,
} from "../../../shared/notifications/notification.ts";
import { earliestChangeId, newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { givenCustomer } from "../../harness/given-customer.ts";
import { type GivenWebhooks, givenWebhooks } from "../../harness/given-webhooks.ts";
import { storedItems } from "../../harness/stored.ts";

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
    const change = { row: write.Put.Item as ChangeRow, committedAt: Date.now() };
    await rewriteLateChanges(list(), [change]);
    await rewriteLateChanges(list(), [change]);
    expect(await listed()).toEqual([notification.transIdSc, transIdSc]);
    expect(await readNotification(given.programId, transIdSc)).toEqual(late);
    const rows = (await storedItems(given.programId)).filter(({ entries }) =>
      String(entries).includes(transIdSc),
    );
    const { expiresAtSeconds } = write.Put.Item;
    expect(expiresAtSeconds).toBeGreaterThanOrEqual(madeAt / 1000 + 100 * 86_400);
    expect(rows.map((row) => row.expiresAtSeconds)).toEqual([expiresAtSeconds, expiresAtSeconds]);
    expect(await differences()).toEqual([]);
  });

  it("is not any other change of its list", async () => {
    await transact([listInsert(notificationList, given.programId, newId("notification"), notification)]);
    const [other] = (await storedItems(given.programId)).filter(
      ({ listed: name, body }) => name === notificationList.name && body === undefined,
    );
    expect(await readNotification(given.programId, `ntf_${other?.sk}`)).toBeUndefined();
  });
});
