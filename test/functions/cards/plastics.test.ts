import { beforeEach, describe, expect, test } from "vitest";
import { cacheCard, cards } from "../../../shared/cards/card.ts";
import { readNotifications } from "../../../shared/notifications/stored-notification.ts";
import type { EventOptions } from "../../harness/api-event.ts";
import { injectFaults, interrupt } from "../../harness/faults.ts";
import { type GivenProgram, givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { measure } from "../../harness/measure.ts";
import { storedEvents } from "../../harness/stored.ts";
import { givenActive } from "./given-held.ts";

let program: GivenProgram;

beforeEach(async () => {
  program = await givenProgram();
});

const states = (items: readonly { readonly state: string }[]) => items.map(({ state }) => state);

describe("the plastics of a Card", () => {
  test("activation and replacement at once leave one live plastic", async () => {
    for (let round = 0; round < 5; round += 1) {
      const of = await givenActive(program);
      const { data: made } = (await of.replace("damaged")).body;
      await Promise.all([of.activate(made), of.replace("stolen", undefined, { plasticId: made.plasticId })]);
      const all = await of.plastics();
      expect(states(all)).toEqual(["stopped", "stopped", "pending"]);
    }
  });

  test("a token pays on while the new one is in the mail, after a loss too, whatever the old one is", async () => {
    const of = await givenActive(program);
    const { plasticId } = await of.view();
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "approve" } });
    const { tokenId } = (await of.sandbox("token-requests", { wallet: "apple_pay" })).body.data;
    const { result, cost } = await measure(() => of.buy({ tokenId }));
    expect(result).toMatchObject({ approved: true });
    await of.replace("stolen");
    expect(await of.buy()).toMatchObject({ declineReason: "CARD_NOT_ACTIVATED" });
    const mailed = await measure(() => of.buy({ tokenId }));
    expect(mailed).toMatchObject({ result: { approved: true }, cost: { calls: cost.calls } });
    expect(await of.buy({ tokenId, plasticId })).toMatchObject({ approved: true });
    const token = await program.call("GET /tokens/{tokenId}", { path: { tokenId } });
    expect(token.body.data.state).toBe("active");
    // An activation at the same time is not in its way.
    const pending = await of.view();
    using seen = injectFaults(() => undefined);
    const isCommit = (command: string) => command.startsWith("TransactWrite");
    using _ = interrupt(isCommit, () => of.activate(pending));
    expect(await of.buy({ tokenId })).toMatchObject({ approved: true });
    expect(states(await of.plastics())).toEqual(["stopped", "active"]);
    const commits = seen.calls.filter(({ command }) => isCommit(command));
    expect(commits.filter(({ input }) => JSON.stringify(input).includes(tokenId))).toHaveLength(1);
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

  const live = async (of: Awaited<ReturnType<typeof givenActive>>, pays: object = {}) => {
    const call = (route: EventOptions["route"], path: Record<string, string>, body: object = {}) =>
      program.call(route, { path, body });
    const { authorizationId } = await of.buy({ merchantName: "Shop", ...pays });
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
    return toldOf(of.path.cardId);
  };

  test("are the same with a token and a second plastic, whose own life makes none", async () => {
    const url = "https://hooks.example.com/all";
    await program.call("POST /webhooks", { body: { url, eventTypes: [1, 2, 3, 4, 5, 6] } });
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "approve" } });
    const plain = await live(await givenActive(program, 0));
    expect(new Set(plain.map((one) => one[0]))).toEqual(new Set("123456"));
    const of = await givenActive(program, 0);
    const before = await toldOf(of.path.cardId);
    await of.replace("lost");
    const { tokenId } = (await of.sandbox("token-requests", { wallet: "apple_pay" })).body.data;
    await program.call("POST /tokens/{tokenId}/suspend", { path: { tokenId }, body: {} });
    await program.call("POST /tokens/{tokenId}/resume", { path: { tokenId }, body: {} });
    expect(await toldOf(of.path.cardId)).toEqual(before);
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
    const of = await givenActive(program, 0);
    const old = await cards.at(program.programId, of.path.cardId).require();
    expect((await of.replace("lost")).status).toBe(200);
    cacheCard(program.programId, old);
    expect(await of.buy()).toMatchObject({ approved: true });
    expect((await of.sandbox("force-post", { amount: 50 })).status).toBe(200);
    const { maskedCardNumber } = await of.view();
    expect(maskedCardNumber.slice(-4)).not.toBe(old.lastFour);
    const lastFours = (await numbersTold()).map((one) => one.slice(-4)).toSorted();
    // The refund came before the replacement; the hold and the posting came after it.
    const last = maskedCardNumber.slice(-4);
    expect(lastFours).toEqual([old.lastFour, last, last].toSorted());
  });

  test("loads and unloads it in one round trip, and tells of the number that it has now", async () => {
    const of = await givenActive(program, 0);
    const walletId = await givenWallet(program, 1_000);
    const load = () =>
      program.call("POST /wallets/transfer", {
        body: { sourceWalletId: walletId, destinationType: 1, destinationId: of.path.cardId, amount: 7 },
      });
    const unload = () =>
      program.call("POST /cards/{cardId}/unload", {
        path: { cardId: of.path.cardId },
        body: { walletId, amount: 7 },
      });
    await load();
    for (const move of [load, unload, load]) {
      const { cost, result } = await measure(move);
      expect(result.body.data.transStatus).toBe(1);
      expect([cost.roundTrips, cost.calls]).toEqual([1, ["TransactWriteItems"]]);
    }
    const old = await cards.at(program.programId, of.path.cardId).require();
    expect((await of.replace("lost")).status).toBe(200);
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
