import { beforeEach, describe, expect, it } from "vitest";
import { inForceMs } from "../../../shared/controls/commit-control.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { type GivenControls, givenControls } from "./given-controls.ts";

const allRules = {
  velocity: { amount: 10_000, count: 5, window: "PT10M" },
  merchants: {
    mcc: { allow: ["5541", "5500-5599"] },
    country: { block: ["US"] },
    merchantId: { allow: ["M-1"] },
  },
  entryModes: { allow: ["chip", "contactless"] },
  cash: "block",
  currencies: { allow: ["840", "978"] },
  singleUse: true,
  merchantLock: true,
};

describe("spend controls", () => {
  skipLeaseWaits();
  let given: GivenControls;
  beforeEach(async () => {
    given = await givenControls();
  });

  describe("POST /controls", () => {
    it("creates an active control of the whole Program", async () => {
      const { status, body } = await given.create({ name: "All", ...allRules });
      expect(status).toBe(200);
      expect(body.data).toEqual({
        controlId: expect.stringMatching(/^ctl_/),
        name: "All",
        state: "active",
        ...allRules,
        dateCreated: expect.any(String),
        dateActivated: expect.any(String),
      });
      // It counts from when every process knows it.
      const { dateCreated, dateActivated } = body.data;
      expect(Date.parse(dateActivated) - Date.parse(dateCreated)).toBeGreaterThanOrEqual(inForceMs);
      expect((await given.view(body.data.controlId)).body.data).toEqual(body.data);
    });

    it("creates one of a Card, and one of a Cardholder", async () => {
      const { cardId, cardholderId } = await given.givenCard();
      const ofCard = (await given.create({ cardId })).body.data;
      expect(ofCard).toMatchObject({ cardId, state: "active" });
      expect(ofCard).not.toHaveProperty("cardholderId");
      const ofCardholder = (await given.create({ cardholderId })).body.data;
      expect(ofCardholder).toMatchObject({ cardholderId, state: "active" });
      expect(ofCardholder).not.toHaveProperty("cardId");
    });

    it("creates a draft, which is not activated", async () => {
      const { data } = (await given.create({ state: "draft" })).body;
      expect(data).toMatchObject({ state: "draft" });
      expect(data).not.toHaveProperty("dateActivated");
    });

    it("refuses too many values with 422, at their place", async () => {
      const merchants = { merchantId: { block: Array(101).fill("M") } };
      const { status, body } = await given.create({ merchants });
      const place = expect.objectContaining({ path: "body.merchants.merchantId.block" });
      expect([status, body.errors]).toEqual([422, [place]]);
    });
  });

  describe("PUT /controls/{controlId}", () => {
    it.each(["active", "draft"])("replaces name and rules of an %s one, and nothing else", async (state) => {
      const { data } = (await given.create({ ...allRules, state })).body;
      const { status, body } = await given.replace(data.controlId, { name: "Less", singleUse: true });
      expect(status).toBe(200);
      const { controlId, dateCreated, dateActivated } = data;
      const expected = { controlId, name: "Less", state, singleUse: true, dateCreated };
      expect(body.data).toEqual(dateActivated ? { ...expected, dateActivated } : expected);
      expect((await given.view(controlId)).body.data).toEqual(body.data);
      expect((await given.list()).items).toEqual([body.data]);
    });
  });

  describe("POST /controls/{controlId}/activate", () => {
    it("activates a draft, once", async () => {
      const { data } = (await given.create({ state: "draft" })).body;
      const { status, body } = await given.activate(data.controlId);
      expect(status).toBe(200);
      expect(body.data).toEqual({ ...data, state: "active", dateActivated: expect.any(String) });
      expect((await given.list({ state: "active" })).items).toEqual([body.data]);
      const again = await given.activate(data.controlId);
      expect([again.status, again.body.code]).toEqual([409, "ILLEGAL_TRANSITION"]);
    });
  });

  describe("DELETE /controls/{controlId}", () => {
    it.each(["active", "draft"])("deletes an %s one, and its place in each list", async (state) => {
      const { cardId } = await given.givenCard();
      const [controlId = ""] = await given.createMany(1, { cardId, state });
      const { status, body } = await given.remove(controlId);
      expect([status, body.data]).toEqual([200, { controlId }]);
      expect((await given.view(controlId)).status).toBe(404);
      expect((await given.list()).total).toBe(0);
      expect((await given.list({ cardId })).total).toBe(0);
      expect((await given.remove(controlId)).status).toBe(404);
    });
  });

  it("are in the Tenant's audit log with each change", async () => {
    const [controlId = ""] = await given.createMany(1, { state: "draft" });
    await given.replace(controlId, { name: "Once", singleUse: true });
    await given.activate(controlId);
    await given.remove(controlId);
    const { items } = (await given.call("GET /account/audit-log", { query: { sort: "asc" } })).body;
    const names = items.map(({ action, before, after }: Record<string, Record<string, unknown> | null>) => [
      action,
      before && [before.name, before.state],
      after && [after.name, after.state],
    ]);
    expect(names).toEqual([
      ["control.create", null, ["Fuel only", "draft"]],
      ["control.update", ["Fuel only", "draft"], ["Once", "draft"]],
      ["control.activate", ["Once", "draft"], ["Once", "active"]],
      ["control.delete", ["Once", "active"], null],
    ]);
    const { programId, caller } = given;
    expect(items[0]).toMatchObject({ programId, subjectId: controlId, actor: caller.apiUserId });
  });
});
