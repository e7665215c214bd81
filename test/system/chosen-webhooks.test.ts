import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ChosenEventType } from "../../shared/contract/chosen-notifications.ts";
import { givenCard, givenWallet } from "../harness/given-cards.ts";
import type { LiveProgram } from "../harness/given-live-program.ts";
import { givenTlsIdentity, type Receiver, startReceiver } from "../harness/receiver.ts";
import { chosenBody } from "../tools/openapi/chosen-examples.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

const soon = { timeout: 60_000, interval: 20 };

interface Body {
  readonly eventId: string;
  readonly eventType: ChosenEventType;
  readonly subjectId: string;
  readonly dateCreated: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Through API, table, stream, relay, queues, workers, and HTTPS. */
describe("webhooks by choice, of the running platform", () => {
  let given: GivenPlatform;
  let receiver: Receiver;
  let program: LiveProgram;

  beforeAll(async () => {
    receiver = await startReceiver(await givenTlsIdentity("127.0.0.1"));
    given = await givenPlatform({ receivers: [receiver.origin] });
    ({ program } = given);
  });
  afterAll(async () => {
    await receiver?.stop();
    await given?.stop();
  });

  const register = async (path: string, eventTypes: readonly number[]) => {
    const body = { url: receiver.origin + path, eventTypes };
    return (await program.call("POST /webhooks", { body })).body.data as {
      webhookId: string;
      secret: string;
    };
  };
  const received = (path: string) => receiver.received.filter((one) => one.path === path);
  /** Each once, in the order of their ids. */
  const bodiesAt = (path: string) => {
    const bodies = received(path).map(({ body }) => JSON.parse(body.toString()) as Body);
    return [...new Map(bodies.map((body) => [body.eventId, body])).values()].toSorted((left, right) =>
      left.eventId < right.eventId ? -1 : 1,
    );
  };
  const remove = ({ webhookId }: { webhookId: string }) =>
    program.call("DELETE /webhooks/{webhookId}", { path: { webhookId } });

  it("are signed, as declared, in the order of their subject's changes, and replayed with the same bytes", async () => {
    const endpoint = await register("/life", [10, 11, 20, 21, 90]);
    const since = new Date().toISOString();
    const { cardId } = await givenCard(program);
    const path = { cardId };
    await program.call("POST /cards/{cardId}/deposits", { path, body: { amount: 900, pending: false } });
    for (const status of [2, 1, 2])
      await program.call("PUT /cards/{cardId}/status", { path, body: { status } });
    const statuses = () =>
      bodiesAt("/life")
        .filter(({ eventType }) => eventType === 21)
        .map(({ data }) => data.issuerCardStatus);
    await vi.waitFor(() => expect(statuses()).toEqual([2, 1, 2]), soon);
    for (const { body, headers } of received("/life")) {
      const told = new Webhook(endpoint.secret).verify(body, headers) as Body;
      expect(headers["webhook-id"]).toBe(told.eventId);
      expect(chosenBody(told.eventType).strict().safeParse(told).error?.issues).toBeUndefined();
      expect(told.dateCreated >= since).toBe(true);
    }
    const first = bodiesAt("/life");
    expect(new Set(first.map(({ eventType }) => eventType))).toEqual(new Set([10, 11, 20, 21, 90]));
    const bytes = () =>
      received("/life")
        .map(({ body }) => body.toString())
        .toSorted();
    const before = bytes();
    await program.call("POST /webhooks/events/redeliver", { body: { since } });
    await vi.waitFor(() => expect(bytes()).toHaveLength(2 * before.length), soon);
    expect([...new Set(bytes())]).toEqual([...new Set(before)]);
    await remove(endpoint);
  }, 120_000);

  it("tell each balance of a Card and a Wallet once and in a chain, while many requests move them at once", async () => {
    const endpoint = await register("/balances", [90]);
    const walletId = await givenWallet(program, 1_000_000);
    const cards = [await givenCard(program), await givenCard(program)];
    const [card, other] = cards.map(({ cardId }) => cardId);
    const transfer = (destinationId: string | undefined, amount: number) =>
      program.call("POST /wallets/transfer", {
        body: { sourceWalletId: walletId, destinationType: 1, destinationId, amount },
      });
    await transfer(card, 50_000);
    const moves = Array.from({ length: 24 }, (_, index) => 100 + index);
    const answers = await Promise.all([
      ...moves.map((amount) => transfer(amount % 2 ? card : other, amount)),
      ...moves.slice(0, 12).map((amount) =>
        program.call("POST /cards/{cardId}/authorizations", {
          path: { cardId: String(card) },
          body: { amount },
        }),
      ),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const of = (subjectId: string | undefined) =>
      bodiesAt("/balances").filter((body) => body.subjectId === subjectId);
    const steps = (subjectId: string | undefined) =>
      of(subjectId).map(({ data }, index, all) => ({
        available: Number(data.availableBalance) - Number(all[index - 1]?.data.availableBalance ?? 0),
        ledger: Number(data.ledgerBalance) - Number(all[index - 1]?.data.ledgerBalance ?? 0),
      }));
    const sorted = (values: readonly number[]) => values.toSorted((left, right) => left - right);
    await vi.waitFor(() => {
      expect(of(walletId)).toHaveLength(moves.length + 2);
      expect(of(card)).toHaveLength(12 + 12 + 1);
      expect(of(other)).toHaveLength(12);
    }, soon);
    expect(sorted(steps(walletId).map(({ ledger }) => ledger))).toEqual(
      sorted([1_000_000, -50_000, ...moves.map((amount) => -amount)]),
    );
    expect(sorted(steps(card).map(({ available }) => available))).toEqual(
      sorted([
        50_000,
        ...moves.filter((amount) => amount % 2),
        ...moves.slice(0, 12).map((amount) => -amount),
      ]),
    );
    const balances = async (route: "GET /cards/{cardId}/balance", id: string | undefined) =>
      (await program.call(route, { path: { cardId: String(id) } })).body.data;
    expect(of(card).at(-1)?.data).toMatchObject(await balances("GET /cards/{cardId}/balance", card));
    const causes = new Set(of(card).map(({ data }) => data.cause));
    expect(causes).toEqual(new Set(["transfer", "hold_placed"]));
    await remove(endpoint);
  }, 180_000);

  it("begin with the endpoint that names them, and end with it", async () => {
    const { cardId } = await givenCard(program);
    const path = { cardId };
    const set = (status: number) => program.call("PUT /cards/{cardId}/status", { path, body: { status } });
    const listed = async () => {
      const { body } = await program.call("GET /webhooks/events", { query: { eventType: "21" } });
      return body.items.filter((item: Record<string, string>) => item.subjectId === cardId);
    };
    await set(2);
    const endpoint = await register("/begun", [21]);
    await set(1);
    await vi.waitFor(() => expect(bodiesAt("/begun")).not.toEqual([]), soon);
    await remove(endpoint);
    await set(2);
    await given.platform.settled();
    expect(bodiesAt("/begun").at(-1)?.data.issuerCardStatus).toBe(1);
    expect((await listed()).at(0)).toMatchObject({ cardId, subjectId: cardId, eventType: 21 });
    expect((await listed()).length).toBe(bodiesAt("/begun").length);
  }, 120_000);
});
