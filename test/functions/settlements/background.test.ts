import { expect, it } from "vitest";
import { settlementOf } from "../../../functions/settlements/view-settlement.ts";
import type { OutboxEvent } from "../../../shared/contract/outbox.ts";
import { compareWebhooks } from "../../../shared/notifications/delivery/compare-webhooks.ts";
import { reportSettlement } from "../../../shared/settlements/report-settlement.ts";
import { nextMessage } from "../../harness/given-jobs.ts";
import { inSlowRequest } from "../../harness/slow-request.ts";
import { eventsIn, storedItems } from "../../harness/stored.ts";
import { givenDay } from "./given-day.ts";

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
  expect(await settlementOf(asked, 0)).toEqual(done);
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
  const views = await Promise.all([1, 2, 3].map(() => settlementOf(asked, 0)));
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
