import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { executeDeadline } from "../../../functions/deadlines/sweep.ts";
import { deadlines } from "../../../shared/platform/deadlines.ts";
import { operate } from "../../harness/administration.ts";
import { type GivenAccount, givenAccount } from "./given-account.ts";

let account: GivenAccount;
beforeAll(async () => {
  account = await givenAccount();
});
afterEach(() => void vi.useRealTimers());

const raise = async (priority: number) =>
  (await account.call("POST /account/tickets", { body: { subject: "Help", message: "It broke.", priority } }))
    .body.data;
const resolve = async (ticketId: string) =>
  operate("resolve-ticket", { tenantId: account.tenantId, ticketId });

test("a ticket keeps its new deadline from a sweep that had found it before it was resolved again", async () => {
  const { ticketId } = await raise(5);
  const path = { ticketId };
  await resolve(ticketId);
  const { reopenableUntil } = (await account.call("GET /account/tickets/{ticketId}", { path })).body.data;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 50 * 3_600_000 });
  await account.call("POST /account/tickets/{ticketId}/reopen", { path });
  await resolve(ticketId);
  const { tenantId: ownerId } = account;
  const dueAt = new Date(reopenableUntil);
  vi.setSystemTime(dueAt);
  const deadline = { ownerId, deadlineId: ticketId, kind: "close_ticket", dueAt, failures: 0 } as const;
  expect(await executeDeadline(deadline)).toBe(true);
  expect(await deadlines.at(ownerId, ticketId).get()).toMatchObject({ kind: "close_ticket" });
});

test("tickets are queued by their priority", async () => {
  const [low, critical] = [await raise(4), await raise(1)];
  const { tickets } = await operate("list-tickets", { limit: 100 });
  const place = (ticketId: string) => tickets.findIndex((one) => one.ticketId === ticketId);
  expect(place(critical.ticketId)).toBeLessThan(place(low.ticketId));
  expect(tickets.map(({ priority }) => priority)).toEqual(tickets.map(({ priority }) => priority).toSorted());
});

test("a new Tenant is told what there is by its contact's email", async () => {
  const { body } = await account.call("GET /account/notification-settings");
  const contact = { channel: "email", email: "contact@customer.example", dateUpdated: expect.any(String) };
  expect(body.data).toEqual(contact);
});
