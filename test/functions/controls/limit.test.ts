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

  const program = () => programRulebooks.at(given.programId).get();

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
