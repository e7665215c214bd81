import { beforeEach, describe, expect, it, vi } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { atOnce } from "../../../shared/simulations/simulate.ts";
import { simulateInSteps } from "../../../shared/simulations/simulate-in-steps.ts";
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
