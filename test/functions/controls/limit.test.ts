import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  cardholderRulebooks,
  cardRulebooks,
  programRulebooks,
  readProgramControls,
} from "../../../shared/controls/rulebooks.ts";
import { pause } from "../../../shared/platform/clock.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { type GivenControls, givenControls } from "./given-controls.ts";

describe("the limit of ten active controls for a Card", () => {
  const waits = skipLeaseWaits();
  let given: GivenControls;
  beforeEach(async () => {
    given = await givenControls();
  });

  const expectLimit = ({ status, body }: Awaited<ReturnType<GivenControls["create"]>>) =>
    expect([status, body.code, body.message]).toEqual([409, "LIMIT_REACHED", told]);
  const told = "At most 10 controls in force for a Card are allowed, and there are 10.";
  const program = () => programRulebooks.at(given.programId).get();

  it("counts the Card's, its Cardholder's and the Program's together", async () => {
    const { cardId, cardholderId } = await given.givenCard();
    await given.createMany(3, { cardId });
    await given.createMany(3, { cardholderId });
    await given.createMany(4);
    for (const body of [{ cardId }, { cardholderId }, {}]) expectLimit(await given.create(body));
    expect(await program()).toMatchObject({ hasNarrower: true, most: { 6: 1 } });
    // Another Card of the Cardholder has room for three more, another Cardholder's for six.
    const second = await given.givenCard({ cardholderId });
    await given.createMany(3, { cardId: second.cardId });
    expectLimit(await given.create({ cardId: second.cardId }));
    const other = await given.givenCard();
    await given.createMany(6, { cardId: other.cardId });
    expectLimit(await given.create({ cardId: other.cardId }));
    expect(await program()).toMatchObject({ most: { 6: 2 } });
  });

  it("does not count drafts, and rejects their activation", async () => {
    const [draft = ""] = await given.createMany(12, { state: "draft" });
    await given.createMany(10);
    expectLimit(await given.activate(draft));
    expect((await given.view(draft)).body.data.state).toBe("draft");
  });

  it("has room again after a deletion in any of the three", async () => {
    const { cardId, cardholderId } = await given.givenCard();
    const [ofCard = ""] = await given.createMany(3, { cardId });
    const [ofCardholder = ""] = await given.createMany(3, { cardholderId });
    const [ofProgram = ""] = await given.createMany(4);
    for (const controlId of [ofCard, ofCardholder, ofProgram]) {
      expect((await given.remove(controlId)).status).toBe(200);
      expect((await given.create()).status).toBe(200);
      expectLimit(await given.create());
    }
  });

  it("leaves no count behind when all are deleted", async () => {
    const { cardId, cardholderId } = await given.givenCard();
    const second = await given.givenCard({ cardholderId });
    const ids = [
      ...(await given.createMany(2, { cardId })),
      ...(await given.createMany(1, { cardId: second.cardId })),
      ...(await given.createMany(1, { cardholderId })),
      ...(await given.createMany(1)),
    ];
    const cardholder = () => cardholderRulebooks.at(given.programId, cardholderId).get();
    expect(await cardholder()).toMatchObject({ cards: { 1: 1, 2: 1 } });
    expect(await program()).toMatchObject({ most: { 3: 1 } });
    for (const controlId of ids) await given.remove(controlId);
    expect(await cardholder()).toMatchObject({ controls: [], cards: {} });
    expect(await program()).toMatchObject({ controls: [], most: {}, hasNarrower: true });
    expect(await cardRulebooks.at(given.programId, cardId).get()).toMatchObject({ controls: [] });
  });

  it("is exact if activations of all three arrive at once", async () => {
    const { cardId, cardholderId } = await given.givenCard();
    const bodies = [{ cardId }, { cardholderId }, {}];
    for (const body of bodies) await given.createMany(3, body);
    const drafts = await Promise.all(
      [...bodies, ...bodies].map((body) => given.create({ ...body, state: "draft" })),
    );
    const answers = await Promise.all(drafts.map(({ body }) => given.activate(body.data.controlId)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
    const active = (await given.list({ state: "active" })).items.map(
      ({ controlId }: { controlId: string }) => controlId,
    );
    const rulebooks = await Promise.all([
      program(),
      cardholderRulebooks.at(given.programId, cardholderId).get(),
      cardRulebooks.at(given.programId, cardId).get(),
    ]);
    const inForce = rulebooks.flatMap((rulebook) => rulebook?.controls ?? []);
    expect(inForce.map(({ controlId }) => controlId).toSorted()).toEqual(active.toSorted());
    expect(active).toHaveLength(10);
  });

  it("activates a draft once if two ask at once", async () => {
    const { cardId } = await given.givenCard();
    const [controlId = ""] = await given.createMany(1, { cardId, state: "draft" });
    const answers = await Promise.all([given.activate(controlId), given.activate(controlId)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await cardRulebooks.at(given.programId, cardId).get())?.controls).toHaveLength(1);
  });

  it("puts the rules of a replaced control in its place", async () => {
    const [first = "", second = ""] = await given.createMany(2);
    await given.replace(first, { name: "Once", singleUse: true });
    expect((await program())?.controls).toEqual([
      { controlId: first, countsFrom: expect.any(String), singleUse: true },
      { controlId: second, countsFrom: expect.any(String), cash: "block" },
    ]);
  });

  describe("an answer", () => {
    it("waits for the leases after each change of the Program's own controls", async () => {
      const [controlId = ""] = await given.createMany(1);
      expect(waits.count).toBe(1);
      await given.replace(controlId, { name: "Once", singleUse: true });
      expect(waits.count).toBe(2);
      await given.remove(controlId);
      expect(waits.count).toBe(3);
    });

    it("does not wait for a draft, a new name, or a rejection", async () => {
      const [draft = ""] = await given.createMany(1, { state: "draft" });
      await given.replace(draft, { name: "Once", singleUse: true });
      expect(waits.count).toBe(0);
      await given.createMany(10);
      moveOn();
      const before = waits.count;
      const [active] = (await given.list({ state: "active" })).items;
      await given.replace(active.controlId, { name: "Other", cash: "block" });
      await given.activate(draft);
      await given.remove(draft);
      expect(waits.count).toBe(before);
    });

    it("waits for a Card's or Cardholder's control only if it is the Program's first", async () => {
      const { cardId, cardholderId } = await given.givenCard();
      const [first = ""] = await given.createMany(1, { cardId });
      expect(waits.count).toBe(1);
      moveOn();
      await given.createMany(1, { cardholderId });
      await given.remove(first);
      await given.createMany(1, { cardId });
      expect(waits.count).toBe(1);
    });

    it("waits where another request's change may be unknown still, also if it changes nothing", async () => {
      const { cardId } = await given.givenCard();
      const [controlId = ""] = await given.createMany(1, { cardId });
      await given.createMany(1, { cardId });
      await given.replace(controlId, { name: "Fuel only", cash: "block" });
      expect(waits.count).toBe(3);
    });
  });
});

/** So far that no process can have a lease from before the last change. */
function moveOn() {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000, shouldAdvanceTime: true });
}

describe("an answered change of the Program's controls", () => {
  it("is in force in a process that read the rulebook until then", async () => {
    const given = await givenControls();
    const seen: number[] = [];
    let isAnswered = false;
    const reading = (async () => {
      while (!isAnswered) {
        seen.push((await readProgramControls(given.programId)).controls.length);
        await pause(5);
      }
    })();
    expect((await given.create()).status).toBe(200);
    const { controls } = await readProgramControls(given.programId);
    isAnswered = true;
    await reading;
    expect(controls).toHaveLength(1);
    // The lease from before was used for a while after the commit.
    expect(seen.filter((count) => count === 0).length).toBeGreaterThan(50);
  });
});
