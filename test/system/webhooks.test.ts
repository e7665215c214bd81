import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Platform } from "../../infra/development/platform.ts";
import { givenCard } from "../harness/given-cards.ts";
import { givenLiveProgram, type LiveProgram } from "../harness/given-live-program.ts";
import { givenTlsIdentity, type Receiver, startReceiver } from "../harness/receiver.ts";
import { advanceClock } from "../harness/recordings.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

const soon = { timeout: 60_000, interval: 20 };

/** Through API, table, stream, bus, rules, queues, workers, and HTTPS. */
describe("transaction webhooks of the running platform", () => {
  let given: GivenPlatform;
  let receiver: Receiver;
  let dead: Receiver;
  let platform: Platform;
  let program: LiveProgram;
  let cardId: string;

  beforeAll(async () => {
    receiver = await startReceiver(await givenTlsIdentity("127.0.0.1"));
    dead = await startReceiver();
    dead.behave(() => undefined);
    given = await givenPlatform({ receivers: [receiver.origin, dead.origin] });
    ({ platform, program } = given);
    cardId = await cardOf(program);
  });
  afterAll(async () => {
    await receiver?.stop();
    await dead?.stop();
    await given?.stop();
  });

  const cardOf = async (of: LiveProgram) => {
    const card = await givenCard(of);
    const body = { amount: 1_000_000, pending: false };
    await of.call("POST /cards/{cardId}/deposits", { path: { cardId: card.cardId }, body });
    return card.cardId;
  };
  const register = async (of: LiveProgram, url: string, eventTypes = [1, 2, 3, 4]) => {
    const { body } = await of.call("POST /webhooks", { body: { url, eventTypes } });
    return body.data as { webhookId: string; secret: string };
  };
  const remove = (of: LiveProgram, { webhookId }: { webhookId: string }) =>
    of.call("DELETE /webhooks/{webhookId}", { path: { webhookId } });
  const authorize = (of = program, id = cardId) =>
    of.call("POST /cards/{cardId}/authorizations", { path: { cardId: id }, body: { amount: 100 } });
  const at = (where: string) => receiver.received.filter((one) => one.path === where);
  /** Smallest first, on the story's card. The earlier deposit may be among them. */
  const amountsAt = (where: string) =>
    at(where)
      .map(({ body }) => JSON.parse(body.toString()).TransAmount as number)
      .filter((amount) => amount !== 1_000_000)
      .toSorted((left, right) => left - right);
  const listedIds = async (eventType: string) => {
    const query = { eventType, limit: "200" };
    const { body } = await program.call("GET /webhooks/events", { query });
    return new Set<string>(body.items.map(({ transIdSc }: { transIdSc: string }) => transIdSc));
  };

  it("sends signed notifications of a hold, its settlement, a withdrawal with its fee, and a deposit", async () => {
    const endpoint = await register(program, `${receiver.origin}/story`);
    const held = await program.call("POST /cards/{cardId}/authorizations", {
      path: { cardId },
      body: { amount: 2_500, merchantName: "Coffee" },
    });
    const { authorizationId } = held.body.data;
    await program.call("POST /authorizations/{authorizationId}/clear", {
      path: { authorizationId },
      body: {},
    });
    await program.call("POST /cards/{cardId}/atm-withdrawals", {
      path: { cardId },
      body: { amount: 4_000, feeAmount: 250 },
    });
    const deposited = await program.call("POST /cards/{cardId}/deposits", {
      path: { cardId },
      body: { amount: 700 },
    });
    const { depositId } = deposited.body.data;
    await program.call("POST /deposits/{depositId}/clear", { path: { depositId } });
    await vi.waitFor(() => expect(amountsAt("/story")).toEqual([250, 700, 700, 2_500, 2_500, 4_000]), soon);

    const told = at("/story").map(({ body, headers }) => {
      const envelope = new Webhook(endpoint.secret).verify(body, headers) as Record<string, unknown>;
      const data = JSON.parse(String(envelope.SpData));
      return { envelope, ...JSON.parse(data.OriginalDataFromSp) };
    });
    const of = (event: string, group?: string) =>
      told.find(({ cdcEvent, payload }) => cdcEvent === event && (!group || payload.txnGroup === group));
    expect(of("HOLD").envelope).toMatchObject({ TransResult: 1, TransAmount: 2_500, CardId: cardId });
    expect(of("ACTTXN", "PURCHASE")).toMatchObject({
      envelope: { TransResult: 3, TransMerchantName: "Coffee", OriginalTransId_SC: "0" },
      payload: { amount: 25, type: "DR", merchantName: "Coffee" },
    });
    const [withdrawal, fee] = [of("ACTTXN", "CASHADVANCE"), of("ACTTXN", "FEES")];
    expect(withdrawal.envelope.OriginalTransId_SC).toBe(fee.envelope.TransId_SC);
    const pending = of("DEPOSIT_PENDING");
    const cleared = told.findLast(
      ({ cdcEvent, envelope }) => cdcEvent === "DEPOSIT_CLEARED" && envelope.TransAmount === 700,
    );
    expect(cleared.envelope.OriginalTransId_SC).toBe(pending.envelope.TransId_SC);
    const { body } = await program.call("GET /cards/{cardId}/balance", { path: { cardId } });
    expect(cleared.envelope.TransResult).toBe(12);
    expect(fee.payload.balance).toBe((body.data.ledgerBalance - 700) / 100);
    await remove(program, endpoint);
  });

  it("are not held up by five receivers that never answer", async () => {
    const endpoint = await register(program, `${receiver.origin}/quick`, [1]);
    const delays = async (events: number) => {
      const taken: number[] = [];
      for (let sent = 0; sent < events; sent += 1) {
        const count = at("/quick").length;
        const from = performance.now();
        await Promise.all([authorize(), authorize(other, otherCard)]);
        await vi.waitFor(() => expect(at("/quick").length).toBeGreaterThan(count), { ...soon, interval: 5 });
        taken.push(performance.now() - from);
      }
      return taken.toSorted((left, right) => left - right)[Math.floor(events / 2)] ?? 0;
    };
    const other = await givenLiveProgram(platform.connection);
    const otherCard = await cardOf(other);
    await delays(5);
    const alone = await delays(20);
    const deadOnes = await Promise.all(
      [1, 2, 3, 4, 5].map((count) => register(other, `${dead.origin}/${count}`, [1])),
    );
    await delays(1);
    // Until it is known that they are dead.
    await vi.waitFor(() => expect(dead.received.length).toBeGreaterThanOrEqual(5), soon);
    await delays(5);
    const beside = await delays(20);
    expect(dead.received.length).toBeGreaterThan(0);
    // What a busy machine adds is less than a second; who waits for a dead receiver waits ten.
    expect(beside).toBeLessThan(alone * 1.5 + 1_000);
    for (const webhook of deadOnes) await remove(other, webhook);
    await other.close();
    await remove(program, endpoint);
  }, 300_000);

  /** The ids of the notifications that were made since. */
  async function waitForEvents(count: number, before: ReadonlySet<string>): Promise<Set<string>> {
    let fresh = new Set<string>();
    await vi.waitFor(async () => {
      fresh = new Set([...(await listedIds("1"))].filter((id) => !before.has(id)));
      expect(fresh.size).toBe(count);
    }, soon);
    return fresh;
  }

  it("that were given up are put back into their queue by the redrive command, and sent once more", async () => {
    const endpoint = await register(program, `${receiver.origin}/redriven`, [1]);
    receiver.behave((_, response) => response.writeHead(503).end());
    const before = await listedIds("1");
    await authorize();
    const [transIdSc = ""] = await waitForEvents(1, before);
    const attempts = async () => {
      const { body } = await program.call("GET /webhooks/events/{transIdSc}/attempts", {
        path: { transIdSc },
        query: { sort: "asc", webhookId: endpoint.webhookId },
      });
      return body.items as { attempt: number; delivered: boolean; nextAttemptAt?: string }[];
    };
    await vi.waitFor(async () => expect(await attempts()).toHaveLength(1), soon);
    for (const advance of ["6s", "6m", "35m", "3h", "6h", "12h", "16h", "23h", "27h"]) {
      await advanceClock(platform.connection, advance);
      await platform.settled();
    }
    await vi.waitFor(async () => expect(await attempts()).toHaveLength(10), soon);
    receiver.behave((_, response) => response.writeHead(204).end());
    const { stdout } = await given.run("operator", "dead-letters", "redrive", "callback-delivery");
    expect(stdout).toBe('{"putBack":1}\n');
    await vi.waitFor(
      async () => expect((await attempts()).at(-1)).toMatchObject({ attempt: 11, delivered: true }),
      soon,
    );
    await remove(program, endpoint);
  }, 300_000);
});
