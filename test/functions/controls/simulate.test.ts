import { beforeEach, describe, expect, it, vi } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { atOnce } from "../../../shared/simulations/simulate.ts";
import { simulateInSteps } from "../../../shared/simulations/simulate-in-steps.ts";
import { givenWallet } from "../../harness/given-cards.ts";
import { moveClock } from "../../harness/given-customer.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { type GivenControls, givenControls } from "./given-controls.ts";

skipLeaseWaits();

describe("a simulation that takes longer than a request", () => {
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
