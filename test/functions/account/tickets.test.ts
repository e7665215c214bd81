import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { executeDeadline, sweep } from "../../../functions/deadlines/sweep.ts";
import { deadlines } from "../../../shared/platform/deadlines.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { type TicketTrigger, ticketTransitions } from "../../../shared/tenancy/tickets/ticket.ts";
import { operate } from "../../harness/administration.ts";
import { expectRejected } from "../operator/expect-rejected.ts";
import { type GivenAccount, givenAccount, unchanged, verdict } from "./given-account.ts";

let account: GivenAccount;
beforeAll(async () => {
  account = await givenAccount();
});
afterEach(() => void vi.useRealTimers());

const hourMs = 3_600_000;
/** Moves the clock alone: what waits for a socket goes on as ever. */
function advance(ms: number) {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

const raise = async (body: object = {}) =>
  (await account.call("POST /account/tickets", { body: { subject: "Help", message: "It broke.", ...body } }))
    .body.data;
const view = async (ticketId: string) =>
  (await account.call("GET /account/tickets/{ticketId}", { path: { ticketId } })).body.data;
const comment = (ticketId: string, message = "More.") =>
  account.call("POST /account/tickets/{ticketId}/comments", { path: { ticketId }, body: { message } });
const reopen = (ticketId: string, body?: object) =>
  account.call("POST /account/tickets/{ticketId}/reopen", { path: { ticketId }, ...(body && { body }) });
const answer = (ticketId: string) =>
  operate("answer-ticket", { tenantId: account.tenantId, ticketId, message: "We look into it." });
const resolve = (ticketId: string) => operate("resolve-ticket", { tenantId: account.tenantId, ticketId });
const sweepNow = () => sweep(() => true);
const isQueued = async (ticketId: string) =>
  (await operate("list-tickets", { limit: 100 })).tickets.some((one) => one.ticketId === ticketId);

/** Brings a ticket about in each status, by legal steps alone. */
const reach = {
  open: async () => (await raise()).ticketId as string,
  pending: async () => {
    const { ticketId } = await raise();
    await answer(ticketId);
    return ticketId as string;
  },
  resolved: async () => {
    const { ticketId } = await raise();
    await resolve(ticketId);
    return ticketId as string;
  },
  closed: async () => {
    const { ticketId } = await raise();
    await resolve(ticketId);
    advance(72 * hourMs);
    await sweepNow();
    return ticketId as string;
  },
};
const nextActor = { open: "platform", pending: "tenant", resolved: "tenant", closed: null };
const statuses = ["open", "pending", "resolved", "closed"] as const;

describe("a support ticket", () => {
  test("is raised open, with priority 5 where none is said, and awaits the platform", async () => {
    const ticket = await raise();
    expect(ticket).toMatchObject({ status: "open", priority: 5, nextActor: "platform" });
    expect(ticket.comments).toMatchObject([{ author: "tenant", message: "It broke." }]);
    expect(await view(ticket.ticketId)).toEqual(ticket);
    expect(await isQueued(ticket.ticketId)).toBe(true);
  });

  for (const from of statuses) {
    for (const trigger of ["comment", "answer", "resolve", "reopen"] as const) {
      const step = ticketTransitions.find((one) => one.from === from && one.trigger === trigger);
      test(`${from}: ${trigger} ${step ? `leads to ${step.to}` : "is refused and changes nothing"}`, async () => {
        const ticketId = await reach[from]();
        if (step) {
          await steps[trigger](ticketId);
          expect(await view(ticketId)).toMatchObject({ status: step.to, nextActor: nextActor[step.to] });
          expect(await isQueued(ticketId)).toBe(step.to === "open");
        } else if (trigger === "answer" || trigger === "resolve") {
          const input = { tenantId: account.tenantId, ticketId, message: "x" };
          await expectRejected(`${trigger}-ticket`, input);
        } else {
          const illegal = trigger === "comment" ? comment : reopen;
          expect(await unchanged(() => illegal(ticketId))).toEqual([409, "ILLEGAL_TRANSITION", true]);
        }
      });
    }
  }
  const steps: Record<Exclude<TicketTrigger, "close">, (ticketId: string) => Promise<unknown>> = {
    comment,
    answer,
    resolve,
    reopen,
  };

  test("can be reopened for 72 hours, whether or not the sweep has run", async () => {
    for (const swept of [false, true]) {
      const [early, late] = [await reach.resolved(), await reach.resolved()];
      const { reopenableUntil } = await view(late);
      expect(Date.parse(reopenableUntil) - Date.now()).toBeGreaterThan(71 * hourMs);
      advance(72 * hourMs - 60_000);
      if (swept) await sweepNow();
      expect(await view(late)).toMatchObject({ status: "resolved" });
      expect(verdict(await reopen(early, { message: "Still broken." }))).toEqual([200, "OK"]);
      advance(60_000);
      if (swept) await sweepNow();
      expect(await view(late)).toMatchObject({ status: "closed", nextActor: null });
      expect(await unchanged(() => reopen(late))).toEqual([409, "ILLEGAL_TRANSITION", true]);
      expect(await view(early)).toMatchObject({ status: "open" });
      await sweepNow();
      const { body } = await account.call("GET /account/tickets", {
        query: { status: "closed", limit: "200" },
      });
      expect(body.items.map(({ ticketId }: { ticketId: string }) => ticketId)).toContain(late);
      vi.useRealTimers();
    }
  });

  test("is closed 72 hours after the last resolution, not the first", async () => {
    const ticketId = await reach.resolved();
    advance(50 * hourMs);
    await reopen(ticketId);
    await resolve(ticketId);
    advance(50 * hourMs);
    await sweepNow();
    expect(await view(ticketId)).toMatchObject({ status: "resolved" });
    advance(22 * hourMs);
    expect(await view(ticketId)).toMatchObject({ status: "closed" });
  });

  test("keeps its new deadline from a sweep that had found it before it was resolved again", async () => {
    const ticketId = await reach.resolved();
    const { reopenableUntil } = await view(ticketId);
    advance(50 * hourMs);
    await reopen(ticketId);
    await resolve(ticketId);
    const { tenantId: ownerId } = account;
    const dueAt = new Date(reopenableUntil);
    const deadline = { ownerId, deadlineId: ticketId, kind: "close_ticket", dueAt, failures: 0 } as const;
    expect(await executeDeadline(deadline)).toBe(true);
    const Key = deadlines.key(ownerId, ticketId);
    const { Item } = await table.send(new GetCommand({ TableName: environment.issuingTable, Key }));
    expect(Item?.kind).toBe("close_ticket");
  });

  test("keeps all that is said at the same time, in order", async () => {
    const { ticketId } = await raise();
    const messages = ["one", "two", "three", "four"];
    const answers = await Promise.all(messages.map((message) => comment(ticketId, message)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { comments } = await view(ticketId);
    expect(comments.map(({ message }: { message: string }) => message).toSorted()).toEqual(
      ["It broke.", ...messages].toSorted(),
    );
  });

  test("is queued by its priority", async () => {
    const [low, critical] = [await raise({ priority: 4 }), await raise({ priority: 1 })];
    const { tickets } = await operate("list-tickets", { limit: 100 });
    const place = (ticketId: string) => tickets.findIndex((one) => one.ticketId === ticketId);
    expect(place(critical.ticketId)).toBeLessThan(place(low.ticketId));
    expect(tickets.map(({ priority }) => priority)).toEqual(
      tickets.map(({ priority }) => priority).toSorted(),
    );
  });

  test("is listed by status and priority, and another Tenant's is not there", async () => {
    const other = await givenAccount();
    const { ticketId } = await raise({ priority: 3 });
    const query = { status: "open", priority: "3" };
    const { body } = await account.call("GET /account/tickets", { query });
    expect(body).toMatchObject({ total: 1, items: [{ ticketId }] });
    expect((await other.call("GET /account/tickets")).body.total).toBe(0);
    const strangers = { path: { ticketId } };
    expect(verdict(await other.call("GET /account/tickets/{ticketId}", strangers))).toEqual([
      404,
      "NOT_FOUND",
    ]);
    await expectRejected("answer-ticket", { tenantId: other.tenantId, ticketId, message: "x" });
  });
});
