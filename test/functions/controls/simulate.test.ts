import { beforeEach, describe, expect, it, vi } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { atOnce } from "../../../shared/simulations/simulate.ts";
import { simulateInSteps } from "../../../shared/simulations/simulate-in-steps.ts";
import { givenWallet } from "../../harness/given-cards.ts";
import { moveClock } from "../../harness/given-customer.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { type GivenControls, givenControls } from "./given-controls.ts";

skipLeaseWaits();

describe("POST /controls/{controlId}/simulate", () => {
  let program: GivenControls;

  beforeEach(async () => {
    program = await givenControls();
    return () => void vi.useRealTimers();
  });

  const givenFunded = async () => {
    const { cardId } = await program.givenCard();
    const path = { cardId };
    await program.call("POST /cards/{cardId}/deposits", { path, body: { amount: 10_000, pending: false } });
    return {
      cardId,
      authorize: async (body: object): Promise<{ transId: string; authorizationId: string }> =>
        (await program.call("POST /cards/{cardId}/authorizations", { path, body })).body.data,
    };
  };
  const draft = async (body: object): Promise<string> =>
    (await program.create({ cash: undefined, state: "draft", ...body })).body.data.controlId;
  const run = (controlId: string, body: object = { days: 1 }) =>
    program.call("POST /controls/{controlId}/simulate", { path: { controlId }, body });
  const view = (simulationId: string) =>
    program.call("GET /simulations/{simulationId}", { path: { simulationId } });

  it("answers what a draft would have declined, the newest first", async () => {
    const { cardId, authorize } = await givenFunded();
    const first = await authorize({ amount: 600 });
    const second = await authorize({ amount: 500 });
    const third = await authorize({ amount: 450 });
    const controlId = await draft({ cardId, velocity: { amount: 1_000, window: "day" } });
    const { status, body } = await run(controlId);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ controlId, status: "done", events: 3, progressPercent: 100 });
    expect(body.data).not.toHaveProperty("simulationId");
    expect(Date.parse(body.data.end) - Date.parse(body.data.start)).toBe(86_400_000);
    expect(body.data.declined).toEqual({ count: 2, amount: 950 });
    const dateCreated = expect.any(String);
    expect(body.data.items).toEqual([
      { transId: third.transId, amount: 450, dateCreated },
      { transId: second.transId, amount: 500, dateCreated },
    ]);
    expect(first.transId).not.toBe(second.transId);
  });

  it("lets money that it saves be spent: a decline for funds is then an approval that counts", async () => {
    const { cardId, authorize } = await givenFunded();
    await authorize({ amount: 9_000, mcc: "7995" });
    const declined = await authorize({ amount: 2_000 });
    await authorize({ amount: 1_000 });
    expect(declined).toMatchObject({ approved: false, declineReason: "INSUFFICIENT_FUNDS" });
    const rules = { merchants: { mcc: { block: ["7995"] } }, velocity: { count: 1, window: "day" } };
    const { data } = (await run(await draft({ cardId, ...rules }))).body;
    expect(data.declined).toEqual({ count: 2, amount: 10_000 });
  });

  /** Cards that spend from one Wallet of 10,000, and a Card of its own money beside them. */
  const givenOfWallet = async (details: object = {}) => {
    const fundingWalletId = await givenWallet(program, 10_000);
    const [{ cardId }, other] = [
      await program.givenCard({ fundingWalletId, ...details }),
      await program.givenCard({ fundingWalletId }),
    ];
    const spend = async (body: object, of = cardId) =>
      (await program.call("POST /cards/{cardId}/authorizations", { path: { cardId: of }, body })).body.data;
    return { fundingWalletId, cardId, otherId: other.cardId, spend };
  };
  const gambling = { merchants: { mcc: { block: ["7995"] } } };

  it("has the whole Wallet that a Card spends from, as it would have been, with what others spend of it", async () => {
    const { cardId, otherId, spend } = await givenOfWallet();
    await spend({ amount: 5_000, mcc: "7995" });
    await spend({ amount: 4_000, mcc: "7995" }, otherId);
    expect(await spend({ amount: 2_000 })).toMatchObject({ declineReason: "INSUFFICIENT_FUNDS" });
    await spend({ amount: 1_000 });
    // Of one Card: the other's purchase stays. 2,000 are approved then, and count.
    const rules = { ...gambling, velocity: { count: 1, window: "day" } };
    expect((await run(await draft({ cardId, ...rules }))).body.data).toMatchObject({
      events: 3,
      declined: { count: 2, amount: 6_000 },
    });
    // What the other Card would have spent is not there for 7,000, but is if it is declined too.
    expect(await spend({ amount: 6_000 })).toMatchObject({ declineReason: "INSUFFICIENT_FUNDS" });
    const inTwo = { ...gambling, velocity: { count: 3, window: "day" } };
    const one = (await run(await draft({ cardId, ...inTwo }))).body.data;
    expect(one.declined).toEqual({ count: 1, amount: 5_000 });
    const both = (await run(await draft({ ...gambling, velocity: { amount: 8_999, window: "day" } }))).body
      .data;
    expect([both.events, both.declined]).toEqual([5, { count: 3, amount: 15_000 }]);
  });

  it("holds a Card to its limit, and approves in part what the limit or the Wallet leaves", async () => {
    await program.call("PUT /account/programs/{programId}/settings", {
      path: { programId: program.programId },
      body: { partialApproval: true },
    });
    const { cardId, spend } = await givenOfWallet({ spendLimit: { amount: 1_000, window: "day" } });
    await spend({ amount: 900, mcc: "7995" });
    expect(await spend({ amount: 700 })).toMatchObject({ declineReason: "SPEND_LIMIT" });
    expect(await spend({ amount: 500, partialApprovalSupported: true })).toMatchObject({ amount: 100 });
    // 700 are approved then, and 300 of the 500: what is above 299 at a time shows it.
    const rules = { ...gambling, velocity: { amount: 299, window: "authorization" } };
    const { declined } = (await run(await draft({ cardId, ...rules }))).body.data;
    expect(declined).toEqual({ count: 3, amount: 2_100 });
    const wider = { ...gambling, velocity: { amount: 700, window: "day" } };
    expect((await run(await draft({ cardId, ...wider }))).body.data.declined).toEqual({
      count: 2,
      amount: 1_400,
    });
    const both = { ...gambling, velocity: { amount: 1_000, window: "day" } };
    expect((await run(await draft({ cardId, ...both }))).body.data.declined).toEqual({
      count: 1,
      amount: 900,
    });
  });

  it("counts in a limit what the Card had spent of it before", async () => {
    const { cardId, spend } = await givenOfWallet({ spendLimit: { amount: 1_000, window: "lifetime" } });
    await spend({ amount: 800 });
    moveClock(2 * 86_400_000);
    expect(await spend({ amount: 300 })).toMatchObject({ declineReason: "SPEND_LIMIT" });
    const rules = { cardId, velocity: { amount: 299, window: "authorization" } };
    expect((await run(await draft(rules))).body.data).toMatchObject({ events: 1, declined: { count: 0 } });
  });

  it("moves what follows on the Wallet that paid, and what was put there meanwhile", async () => {
    const { cardId, fundingWalletId, spend } = await givenOfWallet();
    const { authorizationId } = await spend({ amount: 6_000, mcc: "7995" });
    await program.call("POST /authorizations/{authorizationId}/clear", {
      path: { authorizationId },
      body: { amount: 6_000 },
    });
    await spend({ amount: 3_000 });
    await program.call("POST /wallets/{walletId}/deposits", {
      path: { walletId: fundingWalletId },
      body: { amount: 500, pending: false },
    });
    expect(await spend({ amount: 1_600 })).toMatchObject({ declineReason: "INSUFFICIENT_FUNDS" });
    expect(await spend({ amount: 1_500 })).toMatchObject({ approved: true });
    // The first is declined, and cleared all the same: 1,600 are still more than the Wallet has.
    const limited = async (amount: number) =>
      (await run(await draft({ cardId, ...gambling, velocity: { amount, window: "day" } }))).body.data
        .declined;
    expect(await limited(10_500)).toEqual({ count: 1, amount: 6_000 });
    expect(await limited(10_499)).toEqual({ count: 2, amount: 7_500 });
  });

  it("decides entry modes, and leaves out what is older than its start", async () => {
    const { cardId, authorize } = await givenFunded();
    await authorize({ amount: 100, entryMode: "keyed" });
    moveClock(2 * 86_400_000);
    await authorize({ amount: 200, entryMode: "keyed" });
    await authorize({ amount: 300, entryMode: "chip" });
    const controlId = await draft({ cardId, entryModes: { allow: ["chip"] } });
    expect((await run(controlId)).body.data).toMatchObject({
      events: 2,
      declined: { count: 1, amount: 200 },
    });
    expect((await run(controlId, { days: 3 })).body.data.declined).toEqual({ count: 2, amount: 300 });
  });

  it("decides what was verified", async () => {
    const { cardId, authorize } = await givenFunded();
    await authorize({ amount: 100, cvc: "match", entryCapability: "chip" });
    await authorize({ amount: 200, cvc: "not_checked" });
    const controlId = await draft({ cardId, verification: { cvc: { allow: ["match"] } } });
    expect((await run(controlId)).body.data).toMatchObject({ declined: { count: 1, amount: 200 } });
    const capable = await draft({ cardId, entryCapabilities: { allow: ["chip"] } });
    expect((await run(capable)).body.data).toMatchObject({ declined: { count: 1, amount: 200 } });
  });

  it.each([
    ["wallets that it blocks", { wallets: { block: ["none"] } }, 700],
    ["wallets that it allows", { wallets: { allow: ["google_pay"] } }, 1_500],
    ["a token's wallet", { wallets: { block: ["apple_pay"] } }, 800],
    ["kept cards that it blocks", { storedCredential: { block: ["recurring"] } }, 200],
    ["kept cards that it allows", { storedCredential: { allow: ["recurring"] } }, 1_300],
    ["terminals", { entryCapabilities: { block: ["chip"] } }, 100],
    ["a code", { verification: { cvc: { allow: ["match"] } } }, 500],
    ["3-D Secure", { verification: { threeDS: { block: ["not_present"] } } }, 1_500],
    ["what needs an authentication", { authentication: "required" }, 400],
  ])("decides %s", async (_, rules, amount) => {
    const { cardId, authorize } = await givenFunded();
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "approve" } });
    const asked = { path: { cardId }, body: { wallet: "apple_pay" } };
    const made = await program.call("POST /cards/{cardId}/token-requests", asked);
    expect(made.body).toMatchObject({ data: { outcome: "approved" } });
    const { tokenId } = made.body.data;
    await authorize({ amount: 100, entryMode: "chip", entryCapability: "chip" });
    await authorize({ amount: 200, entryMode: "ecommerce", storedCredential: "recurring", cvc: "match" });
    await authorize({
      amount: 400,
      entryMode: "ecommerce",
      cvc: "not_checked",
      entryCapability: "ecommerce",
    });
    await authorize({ amount: 800, entryMode: "ecommerce", cvc: "match", tokenId });
    const { data } = (await run(await draft({ cardId, ...rules }))).body;
    expect(data).toMatchObject({ events: 4, declined: { amount } });
  });

  it("leaves declined what a plastic or a token had declined", async () => {
    const { cardId, authorize } = await givenFunded();
    const path = { cardId };
    const { plasticId } = (await program.call("GET /cards/{cardId}", { path })).body.data;
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "approve" } });
    const asked = { path, body: { wallet: "apple_pay" } };
    const { tokenId } = (await program.call("POST /cards/{cardId}/token-requests", asked)).body.data;
    await program.call("POST /tokens/{tokenId}/suspend", { path: { tokenId }, body: {} });
    await program.call("POST /cards/{cardId}/replace", { path, body: { reason: "lost" } });
    const declined = [
      await authorize({ amount: 700, plasticId, mcc: "7995" }),
      await authorize({ amount: 700, tokenId, mcc: "7995" }),
    ];
    expect(declined).toMatchObject([
      { declineReason: "PLASTIC_STOPPED" },
      { declineReason: "TOKEN_NOT_ACTIVE" },
    ]);
    await authorize({ amount: 300, mcc: "7995" });
    const rules = { merchants: { mcc: { block: ["7995"] } } };
    const { data } = (await run(await draft({ cardId, ...rules }))).body;
    expect(data).toMatchObject({ events: 3, declined: { count: 1, amount: 300 } });
  });

  it("counts other controls as they had counted when it begins", async () => {
    const { cardId, authorize } = await givenFunded();
    await program.create({ cash: undefined, cardId, velocity: { amount: 1_000, window: "lifetime" } });
    await authorize({ amount: 700 });
    moveClock(2 * 86_400_000);
    await authorize({ amount: 400 });
    await authorize({ amount: 200 });
    const controlId = await draft({ cardId, velocity: { amount: 100, window: "authorization" } });
    // The first of the two is declined by the other control in either case, which leaves less.
    expect((await run(controlId)).body.data.declined).toEqual({ count: 2, amount: 600 });
  });

  it("simulates an active control from the start, and changes nothing", async () => {
    const { cardId, authorize } = await givenFunded();
    await authorize({ amount: 500 });
    const created = await program.create({ cash: undefined, cardId, singleUse: true });
    const { controlId } = created.body.data;
    await authorize({ amount: 300 });
    await authorize({ amount: 200 });
    const { data } = (await run(controlId)).body;
    expect(data).toMatchObject({ events: 3, declined: { count: 2, amount: 500 } });
    expect((await program.view(controlId)).body.data).toEqual(created.body.data);
  });

  it("expires the holds that only the simulation has", async () => {
    const { cardId, authorize } = await givenFunded();
    await authorize({ amount: 8_000, mcc: "7995" });
    await authorize({ amount: 5_000 });
    moveClock(8 * 86_400_000);
    await authorize({ amount: 9_000, mcc: "7995" });
    await authorize({ amount: 6_000 });
    const rules = {
      merchants: { mcc: { block: ["7995"] } },
      velocity: { amount: 5_500, window: "lifetime" },
    };
    // 5,000 are approved at first, and given back as they expire: 6,000 exceed the limit alone.
    const { data } = (await run(await draft({ cardId, ...rules }), { days: 10 })).body;
    expect(data.declined).toEqual({ count: 3, amount: 23_000 });
    const wider = { ...rules, velocity: { amount: 6_000, window: "lifetime" } };
    expect((await run(await draft({ cardId, ...wider }), { days: 10 })).body.data.declined).toEqual({
      count: 2,
      amount: 17_000,
    });
  });

  describe("that takes longer than a request", () => {
    const givenManyCards = async () => {
      const { cardId, authorize } = await givenFunded();
      for (let count = 0; count < atOnce.cards; count += 1) await program.givenCard();
      const others = [await authorize({ amount: 300 }), await authorize({ amount: 200 })];
      return { cardId, others, controlId: await draft({ velocity: { amount: 400, window: "P1D" } }) };
    };
    const begin = async (controlId: string): Promise<string> => (await run(controlId)).body.data.simulationId;
    const message = (simulationId: string) => ({
      eventId: newId("event"),
      kind: "control.simulated" as const,
      programId: program.programId,
      occurredAt: "",
      detail: { simulationId } as Record<string, unknown>,
    });
    type Message = ReturnType<typeof message>;
    const step = async (event: Message): Promise<Message | undefined> => {
      const detail = await simulateInSteps(event, 0);
      return detail && { ...event, detail };
    };

    it("goes on in the background, one for the Program, and shows its progress", async () => {
      const { controlId } = await givenManyCards();
      const simulationId = await begin(controlId);
      expect((await view(simulationId)).body.data).toMatchObject({ status: "running", progressPercent: 0 });
      expect(await run(controlId)).toMatchObject({ status: 409, body: { code: "SIMULATION_IN_PROGRESS" } });
      let event: Message | undefined = message(simulationId);
      const progress = new Set<number>();
      while (event) {
        event = await step(event);
        progress.add((await view(simulationId)).body.data.progressPercent);
      }
      expect(progress.size).toBeGreaterThan(2);
      expect((await view(simulationId)).body.data).toMatchObject({
        status: "done",
        events: 2,
        declined: { count: 1, amount: 200 },
      });
      expect(await begin(controlId)).not.toBe(simulationId);
    });

    it("goes on in the background also for one Card with many records", async () => {
      const { cardId, authorize } = await givenFunded();
      await authorize({ amount: 300 });
      await authorize({ amount: 200 });
      const controlId = await draft({ cardId, velocity: { amount: 400, window: "P1D" } });
      const { records } = atOnce;
      atOnce.records = 2;
      const simulationId = await begin(controlId).finally(() => Object.assign(atOnce, { records }));
      for (let event: Message | undefined = message(simulationId); event; ) event = await step(event);
      expect((await view(simulationId)).body.data.declined).toEqual({ count: 1, amount: 200 });
    });

    it("comes to the same in steps, of Cards that spend from a Wallet up to a limit", async () => {
      const { otherId, spend } = await givenOfWallet({ spendLimit: { amount: 6_000, window: "day" } });
      await spend({ amount: 5_000, mcc: "7995" });
      await spend({ amount: 4_000 }, otherId);
      await spend({ amount: 2_000 });
      await spend({ amount: 1_500 }, otherId);
      await spend({ amount: 800 });
      const controlId = await draft({ ...gambling, velocity: { amount: 7_500, window: "day" } });
      const found = (await run(controlId)).body.data;
      expect(found).toMatchObject({ events: 5, declined: { count: 2, amount: 5_800 } });
      const { records } = atOnce;
      atOnce.records = 2;
      const simulationId = await begin(controlId).finally(() => Object.assign(atOnce, { records }));
      for (let event: Message | undefined = message(simulationId); event; ) {
        await step(event);
        event = await step(event);
      }
      const { events, declined, items } = (await view(simulationId)).body.data;
      expect({ events, declined, items }).toEqual({
        events: 5,
        declined: found.declined,
        items: found.items,
      });
    });

    it("goes on after a kill: a repeated step ends in the same result", async () => {
      const { controlId } = await givenManyCards();
      const simulationId = await begin(controlId);
      let event: Message | undefined = message(simulationId);
      while (event) {
        await step(event);
        event = await step(event);
      }
      expect((await view(simulationId)).body.data.declined).toEqual({ count: 1, amount: 200 });
      expect(await step(message(simulationId))).toBeUndefined();
    });

    it("has failed after an hour without progress, and locks its Program no longer", async () => {
      const { controlId } = await givenManyCards();
      const simulationId = await begin(controlId);
      moveClock(3_600_000 + 1_000);
      expect((await view(simulationId)).body.data.status).toBe("failed");
      expect((await run(controlId)).status).toBe(200);
    });
  });
});
