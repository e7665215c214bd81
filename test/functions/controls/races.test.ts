import { beforeEach, describe, expect, it } from "vitest";
import { readProgramControls } from "../../../shared/domain/controls/rulebooks.ts";
import { firstCalls, injectFaults, interrupt } from "../../harness/faults.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { type GivenControls, givenControls } from "./given-controls.ts";

describe("a change of a control", () => {
  skipLeaseWaits();
  let given: GivenControls;
  beforeEach(async () => {
    given = await givenControls();
  });
  const beforeCommit = (command: string) => command === "TransactWriteItems";

  it("is 404 after a deletion, and brings nothing back", async () => {
    const [controlId = ""] = await given.createMany(1, { state: "draft" });
    using _ = interrupt(beforeCommit, () => given.remove(controlId));
    expect((await given.replace(controlId, { name: "Once", singleUse: true })).status).toBe(404);
    expect((await given.view(controlId)).status).toBe(404);
  });

  it("has its rules in force if the control is activated meanwhile", async () => {
    const [controlId = ""] = await given.createMany(1, { state: "draft" });
    using _ = interrupt(beforeCommit, () => given.activate(controlId));
    const { body } = await given.replace(controlId, { name: "Once", singleUse: true });
    expect(body.data).toMatchObject({ state: "active", singleUse: true });
    const { controls } = await readProgramControls(given.programId);
    expect(controls).toEqual([{ controlId, countsFrom: body.data.dateActivated, singleUse: true }]);
  });

  it("is made once if its answer is lost", async () => {
    const { cardId } = await given.givenCard();
    using _ = injectFaults(firstCalls(1, "timeout-after-commit"));
    expect((await given.create({ cardId })).status).toBe(200);
    expect((await given.list({ cardId })).total).toBe(1);
  });
});
