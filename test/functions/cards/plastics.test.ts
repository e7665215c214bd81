import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { cacheCard, cards } from "../../../shared/cards/card.ts";
import { readNotifications } from "../../../shared/notifications/stored-notification.ts";
import type { EventOptions } from "../../harness/api-event.ts";
import { injectFaults, interrupt } from "../../harness/faults.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenProgram,
  givenWallet,
  shippingAddress,
} from "../../harness/given-cards.ts";
import { encryptForVault, givenDevice } from "../../harness/given-device.ts";
import { measure } from "../../harness/measure.ts";
import { storedEvents } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

type View = Record<string, unknown> & { plasticId: string; state: string; maskedCardNumber: string };

let program: GivenProgram;

beforeEach(async () => {
  program = await givenProgram();
});

async function givenActive(cardForm: 0 | 1 = 1, details: object = {}) {
  const cardholderId = await givenApprovedCardholder(program);
  const { cardId } = await givenCard(program, {
    cardholderId,
    cardForm,
    ...(cardForm === 1 && { shippingAddress }),
    ...details,
  });
  const of = cardOf(String(cardId));
  if (cardForm === 1) await of.activate(await of.view());
  await of.sandbox("refunds", { amount: 10_000 });
  return of;
}

function cardOf(cardId: string) {
  const path = { cardId };
  const view = async () => (await program.call("GET /cards/{cardId}", { path })).body.data;
  const sandbox = (what: string, body: object) =>
    program.call(`POST /cards/{cardId}/${what}` as never, { api: "sandbox", path, body } as never);
  return {
    cardId,
    view,
    sandbox,
    plastics: async (query: Record<string, string> = {}): Promise<View[]> =>
      (await program.call("GET /cards/{cardId}/plastics", { path, query })).body.items,
    replace: (body: object, headers = {}) =>
      program.call("POST /cards/{cardId}/replace", { path, body, headers }),
    renew: (body: object = {}) => program.call("POST /cards/{cardId}/renew", { path, body }),
    activate: ({ maskedCardNumber, expiryMonth, expiryYear }: Record<string, unknown>) =>
      program.call("POST /cards/{cardId}/activate", {
        path,
        body: { lastFour: String(maskedCardNumber).slice(-4), expiryMonth, expiryYear },
      }),
    authorize: async (body: object = {}) =>
      (await sandbox("authorizations", { amount: 100, ...body })).body.data,
    reveal: async (plasticId?: string) => {
      const device = await givenDevice();
      const body = { publicKey: device.publicKey, ...(plasticId && { plasticId }) };
      const answer = await program.call("POST /cards/{cardId}/reveal", { path, body });
      return answer.status === 200 ? (await device.open(answer.body.data.jwe)).content : answer.body.code;
    },
  };
}

const states = (items: readonly View[]) => items.map(({ state }) => state);

describe("the plastics of a Card", () => {
  test("damaged: the number stays with a later expiry and another code; the old one lives on", async () => {
    const of = await givenActive();
    const old = await of.view();
    const shown = await of.reveal();
    const { data: made } = (await of.replace({ reason: "damaged" })).body;
    expect(made).toMatchObject({ state: "pending", maskedCardNumber: old.maskedCardNumber });
    expect(await of.view()).toEqual({ ...old, pendingPlasticId: made.plasticId });
    expect(await of.authorize()).toMatchObject({ approved: true });
    expect(await of.authorize({ plasticId: made.plasticId })).toMatchObject({
      declineReason: "CARD_NOT_ACTIVATED",
    });
    const next = await of.reveal(made.plasticId);
    expect(next.cardNumber).toBe(shown.cardNumber);
    const month = (one: typeof shown) => one.expiryYear * 12 + one.expiryMonth;
    expect(month(next)).toBeGreaterThan(month(shown));
    expect(await of.reveal()).toEqual(shown);
    expect((await of.activate(made)).status).toBe(200);
    expect(states(await of.plastics())).toEqual(["replaced", "active"]);
    expect(await of.authorize({ plasticId: old.plasticId })).toMatchObject({
      declineReason: "PLASTIC_REPLACED",
    });
    expect(await of.authorize({ plasticId: old.plasticId, entryMode: "recurring" })).toMatchObject({
      approved: true,
    });
    expect(await of.reveal(String(old.plasticId))).toBe("ILLEGAL_TRANSITION");
    expect(await of.view()).toMatchObject({ plasticId: made.plasticId, expiryYear: made.expiryYear });
  });

  test("activation and replacement at once leave one live plastic", async () => {
    for (let round = 0; round < 5; round += 1) {
      const of = await givenActive();
      const { data: made } = (await of.replace({ reason: "damaged" })).body;
      await Promise.all([of.activate(made), of.replace({ reason: "stolen", plasticId: made.plasticId })]);
      const all = await of.plastics();
      expect(states(all)).toEqual(["stopped", "stopped", "pending"]);
    }
  });

  test("the old one ends with its own expiry, if that comes before; the new one waits until its own", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const year = new Date().getUTCFullYear() + 5;
    vi.setSystemTime(Date.UTC(year, 2, 1));
    const of = await givenActive(1, { expiryMonth: 3, expiryYear: year });
    const { data: made } = (await of.renew()).body;
    expect(made.activateBy).toBe(new Date(Date.UTC(year, 3, 1)).toISOString());
    vi.setSystemTime(Date.UTC(year, 3, 1) - 1);
    await sweepDeadlines();
    expect([states(await of.plastics()), (await of.authorize()).approved]).toEqual([
      ["active", "pending"],
      true,
    ]);
    vi.setSystemTime(Date.UTC(year, 3, 1));
    await sweepDeadlines();
    expect(states(await of.plastics())).toEqual(["replaced", "pending"]);
    expect(await of.authorize()).toMatchObject({ declineReason: "CARD_NOT_ACTIVATED" });
    const end = Date.UTC(made.expiryYear, made.expiryMonth, 1);
    vi.setSystemTime(end);
    expect((await of.activate(made)).body.code).toBe("ILLEGAL_TRANSITION");
    expect(states(await of.plastics())).toEqual(["replaced", "pending"]);
    vi.setSystemTime(end - 1);
    expect((await of.activate(made)).status).toBe(200);
    expect(await of.authorize()).toMatchObject({ approved: true });
  });

  test("reveal shows the active one, or else the pending one, and none that was stopped", async () => {
    const of = await givenActive();
    const { plasticId } = await of.view();
    const first = await of.reveal();
    const { data: damaged } = (await of.replace({ reason: "damaged" })).body;
    expect([await of.reveal(), (await of.reveal(damaged.plasticId)).expiryYear]).toEqual([
      first,
      damaged.expiryYear,
    ]);
    const { data: made } = (await of.replace({ reason: "lost" })).body;
    const shown = await of.reveal();
    expect([shown.cardNumber.slice(-4), shown.expiryYear]).toEqual([
      made.maskedCardNumber.slice(-4),
      made.expiryYear,
    ]);
    expect(shown).toEqual(await of.reveal(made.plasticId));
    for (const ended of [plasticId, damaged.plasticId])
      expect(await of.reveal(ended)).toBe("ILLEGAL_TRANSITION");
  });

  test("a token pays on while the new one is in the mail, after a loss too, whatever the old one is", async () => {
    const of = await givenActive();
    const { plasticId } = await of.view();
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "approve" } });
    const { tokenId } = (await of.sandbox("token-requests", { wallet: "apple_pay" })).body.data;
    const { result, cost } = await measure(() => of.authorize({ tokenId }));
    expect(result).toMatchObject({ approved: true });
    await of.replace({ reason: "stolen" });
    expect(await of.authorize()).toMatchObject({ declineReason: "CARD_NOT_ACTIVATED" });
    const mailed = await measure(() => of.authorize({ tokenId }));
    expect(mailed).toMatchObject({ result: { approved: true }, cost: { calls: cost.calls } });
    expect(await of.authorize({ tokenId, plasticId })).toMatchObject({ approved: true });
    const token = await program.call("GET /tokens/{tokenId}", { path: { tokenId } });
    expect(token.body.data.state).toBe("active");
    // An activation at the same time is not in its way.
    const pending = await of.view();
    using seen = injectFaults(() => undefined);
    const isCommit = (command: string) => command.startsWith("TransactWrite");
    using _ = interrupt(isCommit, () => of.activate(pending));
    expect(await of.authorize({ tokenId })).toMatchObject({ approved: true });
    expect(states(await of.plastics())).toEqual(["stopped", "active"]);
    const commits = seen.calls.filter(({ command }) => isCommit(command));
    expect(commits.filter(({ input }) => JSON.stringify(input).includes(tokenId))).toHaveLength(1);
  });

  test("a number that was kept keeps its PIN; a new one has none", async () => {
    const of = await givenActive();
    const jwe = await encryptForVault({ pin: "2580", nonce: crypto.randomUUID() });
    await program.call("PUT /cards/{cardId}/pin", { path: { cardId: of.cardId }, body: { jwe } });
    const { data: damaged } = (await of.replace({ reason: "damaged" })).body;
    expect(damaged.pinSet).toBe(true);
    const { data: lost } = (await of.replace({ reason: "lost" })).body;
    expect(lost.pinSet).toBe(false);
    expect((await of.plastics()).map(({ pinSet }) => pinSet)).toEqual([true, true, false]);
  });
});

describe("notifications of the types 1 to 6", () => {
  const toldOf = async (cardId: string) => {
    const events = await storedEvents(program.programId);
    const ids = events.flatMap(
      ({ detail }) => (detail as { notificationIds?: string[] }).notificationIds ?? [],
    );
    const all = await readNotifications(program.programId, [...new Set(ids)].toSorted());
    // All but the ids, and the digits of amounts and times.
    const toBytes = (body: string) => body.replace(/([a-z]{3}_)?[0-9A-Z]{26}/g, "id").replace(/\d/g, "0");
    return all.filter((one) => one.cardId === cardId).map((one) => `${one.eventType} ${toBytes(one.body)}`);
  };

  const live = async (of: ReturnType<typeof cardOf>, pays: object = {}) => {
    const call = (route: EventOptions["route"], path: Record<string, string>, body: object = {}) =>
      program.call(route, { path, body });
    const { authorizationId } = await of.authorize({ merchantName: "Shop", ...pays });
    await call("POST /authorizations/{authorizationId}/increment", { authorizationId }, { amount: 100 });
    const cleared = await call("POST /authorizations/{authorizationId}/clear", { authorizationId });
    await of.sandbox("atm-withdrawals", { amount: 100, ...pays });
    const { depositId } = (await of.sandbox("deposits", { amount: 500 })).body.data;
    await call("POST /deposits/{depositId}/clear", { depositId });
    await call("POST /deposits/{depositId}/return", { depositId });
    const { transId: referenceCode } = cleared.body.data;
    const { disputeId } = (await call("POST /disputes", {}, { referenceCode, reason: "duplicate" })).body
      .data;
    await call("POST /disputes/{disputeId}/submit", { disputeId });
    return toldOf(of.cardId);
  };

  test("are the same with a token and a second plastic, whose own life makes none", async () => {
    const url = "https://hooks.example.com/all";
    await program.call("POST /webhooks", { body: { url, eventTypes: [1, 2, 3, 4, 5, 6] } });
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "approve" } });
    const plain = await live(await givenActive(0));
    expect(new Set(plain.map((one) => one[0]))).toEqual(new Set("123456"));
    const of = await givenActive(0);
    const before = await toldOf(of.cardId);
    await of.replace({ reason: "lost" });
    const { tokenId } = (await of.sandbox("token-requests", { wallet: "apple_pay" })).body.data;
    await program.call("POST /tokens/{tokenId}/suspend", { path: { tokenId }, body: {} });
    await program.call("POST /tokens/{tokenId}/resume", { path: { tokenId }, body: {} });
    expect(await toldOf(of.cardId)).toEqual(before);
    expect(await live(of, { tokenId })).toEqual(plain);
  });
});

/** Masked numbers, of each notification that has one. */
async function numbersTold(): Promise<string[]> {
  const ids = (await storedEvents(program.programId)).flatMap(
    ({ detail }) => (detail as { notificationIds?: string[] }).notificationIds ?? [],
  );
  const bodies = (await readNotifications(program.programId, ids)).map((one) => one?.body ?? "");
  return bodies.flatMap((body) => body.match(/cardnum\W+[0-9]{6}\*{6}[0-9]{4}/g)?.slice(-1) ?? []);
}

describe("a process that remembers the Card from before", () => {
  test("tells receivers of the number that it has now, at no extra read", async () => {
    const of = await givenActive(0);
    const old = await cards.at(program.programId, of.cardId).require();
    expect((await of.replace({ reason: "lost" })).status).toBe(200);
    cacheCard(program.programId, old);
    expect(await of.authorize()).toMatchObject({ approved: true });
    expect((await of.sandbox("force-post", { amount: 50 })).status).toBe(200);
    const { maskedCardNumber } = await of.view();
    expect(maskedCardNumber.slice(-4)).not.toBe(old.lastFour);
    const lastFours = (await numbersTold()).map((one) => one.slice(-4)).toSorted();
    // The refund came before the replacement; the hold and the posting came after it.
    const last = maskedCardNumber.slice(-4);
    expect(lastFours).toEqual([old.lastFour, last, last].toSorted());
  });

  test("loads and unloads it in one round trip, and tells of the number that it has now", async () => {
    const of = await givenActive(0);
    const walletId = await givenWallet(program, 1_000);
    const load = () =>
      program.call("POST /wallets/transfer", {
        body: { sourceWalletId: walletId, destinationType: 1, destinationId: of.cardId, amount: 7 },
      });
    const unload = () =>
      program.call("POST /cards/{cardId}/unload", {
        path: { cardId: of.cardId },
        body: { walletId, amount: 7 },
      });
    await load();
    for (const move of [load, unload, load]) {
      const { cost, result } = await measure(move);
      expect(result.body.data.transStatus).toBe(1);
      expect([cost.roundTrips, cost.calls]).toEqual([1, ["TransactWriteItems"]]);
    }
    const old = await cards.at(program.programId, of.cardId).require();
    expect((await of.replace({ reason: "lost" })).status).toBe(200);
    for (const move of [load, unload]) {
      cacheCard(program.programId, old);
      expect((await move()).body.data.transStatus).toBe(1);
    }
    const { maskedCardNumber } = await of.view();
    expect(maskedCardNumber.slice(-4)).not.toBe(old.lastFour);
    const told = (await numbersTold()).map((one) => one.slice(-4));
    expect(told.filter((one) => one === maskedCardNumber.slice(-4))).toHaveLength(2);
  });
});
