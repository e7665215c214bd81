import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { alertsOf, deliverAlerts, deliverWaiting } from "../../harness/given-alerts.ts";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { givenCustomer, moveClock } from "../../harness/given-customer.ts";
import { storedItems } from "../../harness/stored.ts";

const customer = givenCustomer();

/** A Program of which everything that is received is under a path of its own. */
async function given() {
  const program = await givenProgram({ settings: { threeDSecure: true } });
  const { cardId, cardholderId } = await givenCard(program);
  const path = `/otp/${program.programId}`;
  const subscribe = async (body: object, suffix = "") => {
    const webhookUrl = `${customer.receiver.origin}${path}${suffix}`;
    return (await program.call("POST /otp/listeners", { body: { ...body, webhookUrl } })).body.data as {
      token: string;
      secret: string;
    };
  };
  return {
    program,
    cardId,
    cardholderId,
    subscribe,
    alerts: () => alertsOf(program.programId),
    received: () => customer.receiver.received.filter((one) => one.path.startsWith(path)),
  };
}

const challenge = async (program: GivenProgram, cardId: string, body: object = {}) =>
  (await program.call("POST /cards/{cardId}/three-ds-challenges", { path: { cardId }, body })).body.data;
const otpOf = async (program: GivenProgram, token: string) =>
  (await program.call("GET /otp/{token}", { path: { token } })).body.data;

describe("the callback of a one-time passcode", () => {
  it("names only whose code to retrieve, and is signed with the subscription's secret", async () => {
    const { program, cardId, cardholderId, subscribe, alerts, received } = await given();
    const onCard = await subscribe({ cardId }, "/card");
    const legacy = await subscribe({ cardholderId }, "/legacy");
    await challenge(program, cardId);
    const { code } = await otpOf(program, onCard.token);
    expect(await deliverAlerts(await alerts())).toEqual({ batchItemFailures: [] });

    const bodies = new Map(received().map((one) => [one.path.split("/").at(-1), one]));
    expect(bodies.get("card")?.body.toString()).toBe(JSON.stringify({ cardId }));
    expect(bodies.get("legacy")?.body.toString()).toBe(JSON.stringify({ cardholderId }));
    for (const [name, { secret }] of [["card", onCard] as const, ["legacy", legacy] as const]) {
      const { body = "", headers = {} } = bodies.get(name) ?? {};
      expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
      expect(headers["content-type"]).toBe("application/json");
    }
    const wrongSecret = new Webhook(legacy.secret);
    const { body = "", headers = {} } = bodies.get("card") ?? {};
    expect(() => wrongSecret.verify(body, headers)).toThrow();
    expect(new Set(received().map((one) => one.headers["webhook-id"])).size).toBe(2);
    const all = JSON.stringify(received().map((one) => ({ ...one, body: one.body.toString() })));
    for (const secret of [code, onCard.token, legacy.token, onCard.secret]) expect(all).not.toContain(secret);
  });

  it("is sent once, even if the bus and the queue repeat it", async () => {
    const { program, cardId, subscribe, alerts, received } = await given();
    await subscribe({ cardId });
    await challenge(program, cardId);
    for (let time = 0; time < 3; time += 1) await deliverAlerts(await alerts());
    expect(received()).toHaveLength(1);
  });

  it("is retried after 5 s while it fails, until the code expires", async () => {
    const { program, cardId, subscribe, alerts, received } = await given();
    await subscribe({ cardId });
    await challenge(program, cardId, { expiresInSeconds: 60 });
    customer.answer(500);
    await deliverAlerts(await alerts());
    const waits: number[] = [];
    for (;;) {
      const [next] = customer.queues.sent.filter(({ queue }) => queue === "alerts");
      if (next?.delaySeconds === undefined) break;
      waits.push(next.delaySeconds);
      moveClock(next.delaySeconds * 1000);
      await deliverWaiting(customer.queues);
    }
    // The one after these would come at 60 s and more.
    expect(waits.map((wait) => Math.floor(wait / 5) * 5)).toEqual([5, 10, 15]);
    expect(received()).toHaveLength(4);
    expect(new Set(received().map((one) => one.headers["webhook-id"])).size).toBe(1);
    expect(new Set(received().map((one) => one.headers["webhook-timestamp"])).size).toBe(4);
    // A passcode that is no longer usable is not for the dead letters.
    expect(customer.queues.sent).toEqual([]);
    const attempts = (await storedItems(program.programId)).filter(({ sk }) =>
      String(sk).startsWith("ATTEMPT#"),
    );
    expect(
      attempts.map(({ attempt, responseStatus, delivered }) => [attempt, responseStatus, delivered]),
    ).toEqual([1, 2, 3, 4].map((one) => [one, 500, false]));
  });

  it("ends after a later attempt succeeds", async () => {
    const { program, cardId, subscribe, alerts, received } = await given();
    await subscribe({ cardId });
    await challenge(program, cardId);
    customer.answer(503);
    await deliverAlerts(await alerts());
    customer.answer(200);
    await deliverWaiting(customer.queues);
    expect(received()).toHaveLength(2);
    expect(customer.queues.sent).toEqual([]);
  });

  it.each([
    [
      "was used",
      async (program: GivenProgram, _: string, token: string, challengeId: string) => {
        const { code } = await otpOf(program, token);
        const route = "POST /three-ds-challenges/{challengeId}/complete";
        await program.call(route, { path: { challengeId }, body: { code } });
      },
    ],
    ["is over", async () => void moveClock(300_000)],
    [
      "has no subscription any more",
      async (program: GivenProgram, _: string, token: string) => {
        await program.call("DELETE /otp/{token}", { path: { token } });
      },
    ],
  ])("is not sent, or sent again, once the code %s", async (_, end) => {
    const { program, cardId, subscribe, alerts, received } = await given();
    const { token } = await subscribe({ cardId });
    const { challengeId } = await challenge(program, cardId);
    customer.answer(500);
    const [alert] = await alerts();
    await deliverAlerts([alert]);
    expect(received()).toHaveLength(1);
    await end(program, cardId, token, challengeId);
    await deliverWaiting(customer.queues);
    expect(received()).toHaveLength(1);
    expect(customer.queues.sent).toEqual([]);
  });

  it("is sent again while its code is open, although a newer one was used meanwhile", async () => {
    const { program, cardId, subscribe, alerts, received } = await given();
    const { token } = await subscribe({ cardId });
    await challenge(program, cardId);
    customer.answer(500);
    await deliverAlerts(await alerts());
    moveClock(1_000);
    const { challengeId } = await challenge(program, cardId);
    const { code } = await otpOf(program, token);
    const route = "POST /three-ds-challenges/{challengeId}/complete";
    expect((await program.call(route, { path: { challengeId }, body: { code } })).status).toBe(200);
    customer.answer(200);
    await deliverWaiting(customer.queues);
    expect(received().map(({ body }) => body.toString())).toEqual(Array(2).fill(JSON.stringify({ cardId })));
  });

  it("is not retried after a 410", async () => {
    const { program, cardId, subscribe, alerts, received } = await given();
    await subscribe({ cardId });
    await challenge(program, cardId);
    customer.answer(410);
    await deliverAlerts(await alerts());
    expect(received()).toHaveLength(1);
    expect(customer.queues.sent).toEqual([]);
  });

  it("is not sent if its host now resolves to a private address", async () => {
    const { program, cardId, alerts } = await given();
    Object.assign(process.env, { ALLOWED_RECEIVERS: "http://127.0.0.1:1" });
    const body = { cardId, webhookUrl: "http://127.0.0.1:1/" };
    expect((await program.call("POST /otp/listeners", { body })).status).toBe(200);
    Object.assign(process.env, { ALLOWED_RECEIVERS: customer.receiver.origin });
    await challenge(program, cardId);
    await deliverAlerts(await alerts());
    const [attempt] = (await storedItems(program.programId)).filter(({ sk }) =>
      String(sk).startsWith("ATTEMPT#"),
    );
    expect(attempt).toMatchObject({ delivered: false, error: "RECEIVER_REFUSED" });
  });
});
