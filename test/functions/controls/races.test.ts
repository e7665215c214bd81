import { beforeEach, describe, expect, it } from "vitest";
import { interrupt } from "../../harness/faults.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { type GivenControls, givenControls } from "./given-controls.ts";

describe("a change of a control", () => {
  skipLeaseWaits();
  let given: GivenControls;
  beforeEach(async () => {
    given = await givenControls();
  });
  const beforeCommit = (command: string) => command === "TransactWriteItems";

  it("is in force for an authorization that is decided again after it", async () => {
    const { cardId } = await given.givenCard();
    const sandbox = async (route: "deposits" | "authorizations", body: object) =>
      (await given.call(`POST /cards/{cardId}/${route}`, { path: { cardId }, body })).body.data;
    await sandbox("deposits", { amount: 1_000, pending: false });
    const velocity = { amount: 1_000, window: "day" };
    const [controlId = ""] = await given.createMany(1, { velocity });
    const authorize = (amount: number) => sandbox("authorizations", { amount, mcc: "5411" });
    const merchants = { mcc: { block: ["5411"] } };
    using _ = interrupt(beforeCommit, async () => {
      await authorize(1);
      await given.replace(controlId, { name: "No groceries", velocity, merchants });
    });
    expect(await authorize(100)).toMatchObject({ approved: false, controlId });
  });
});
