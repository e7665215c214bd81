import { beforeEach, describe, expect, it } from "vitest";
import { inForceMs } from "../../../shared/controls/commit-control.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { type GivenControls, givenControls } from "./given-controls.ts";

/** What else becomes of them is in scenarios.txt. */
describe("a new spend control", () => {
  skipLeaseWaits();
  let given: GivenControls;
  beforeEach(async () => {
    given = await givenControls();
  });

  it("counts from when every process knows it", async () => {
    const { dateCreated, dateActivated } = (await given.create()).body.data;
    expect(Date.parse(dateActivated) - Date.parse(dateCreated)).toBeGreaterThanOrEqual(inForceMs);
  });

  it("with too many values is refused at their place", async () => {
    const merchants = { merchantId: { block: Array(101).fill("M") } };
    const { status, body } = await given.create({ merchants });
    const place = expect.objectContaining({ path: "body.merchants.merchantId.block" });
    expect([status, body.errors]).toEqual([422, [place]]);
  });
});
