import { describe, expect, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";
import { eventsIn } from "../../harness/stored.ts";
import { unknown } from "./given-processor.ts";

const kind = "authorization";

describe("an authorization", () => {
  it("that the card can pay is approved and held: available falls, ledger stays", async () => {
    const { apply, balances, record } = await givenNetwork();
    const result = await apply({ kind, authorizationId: "A", amount: 3_000, merchantName: "Shop" });
    expect(result).toEqual({
      outcome: "applied",
      approved: true,
      authorizationId: "A",
      amount: 3_000,
      transId: expect.stringMatching(/^txn_/),
    });
    expect(await balances()).toEqual([7_000, 3_000, 10_000]);
    const written = await record(result.transId);
    expect(written).toMatchObject({ transType: 1, transStatus: 1, type: "DR", amountMinor: 3_000 });
    expect(written).not.toHaveProperty("entityId");
    expect(written).not.toHaveProperty("postDate");
  });

  it("that is declined is recorded (77, status 4), holds nothing, and is published", async () => {
    const { apply, balances, record, everything } = await givenNetwork({ availableMinor: 100 });
    const result = await apply({ kind, authorizationId: "A", amount: 101 });
    expect(result).toEqual({
      outcome: "applied",
      approved: false,
      declineReason: "INSUFFICIENT_FUNDS",
      authorizationId: "A",
      amount: 0,
      transId: expect.any(String),
    });
    expect(await balances()).toEqual([100, 0, 100]);
    expect(await record(result.transId)).toMatchObject({
      transType: 77,
      transStatus: 4,
      amountMinor: 101,
      declineReason: "INSUFFICIENT_FUNDS",
      entityId: expect.stringContaining("txn_"),
    });
    const kinds = eventsIn(await everything()).map(({ kind }) => kind);
    expect(kinds).toContain("authorization.declined");
    expect(kinds).not.toContain("hold.placed");
  });

  it.each([
    [0, "CARD_PENDING"],
    [2, "CARD_ON_HOLD"],
    [3, "CARD_CLOSED"],
    [4, "CARD_NOT_ACTIVATED"],
  ] as const)("on a card with status %i is declined as %s, whatever is on it", async (status, reason) => {
    const { apply, balances, setStatus } = await givenNetwork();
    await setStatus(status);
    const result = await apply({ kind, authorizationId: "A", amount: 1 });
    expect(result).toMatchObject({ approved: false, declineReason: reason });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    expect(await apply({ kind: "authorization_advice", authorizationId: "B", amount: 1 })).toMatchObject({
      approved: true,
    });
  });

  it("of a card that does not exist is not found, and can come again", async () => {
    const { send, everything } = await givenNetwork();
    const before = await everything();
    const event = { kind, authorizationId: "A", amount: 1, cardId: newId("card"), eventId: "e" } as const;
    expect(await send(event)).toEqual(unknown);
    expect(await everything()).toEqual(before);
  });

  it("costs one transaction, with no read on a card that the worker has met", async () => {
    const { send } = await givenNetwork();
    const cold = await measure(() => send({ kind, authorizationId: "A", amount: 1 }));
    // The card, and beside it the Program's controls, which a worker keeps for two seconds.
    expect(cold.cost.calls).toEqual(["GetItem", "GetItem", "TransactWriteItems"]);
    expect(cold.cost.roundTrips).toBe(2);
    const warm = await measure(() => send({ kind, authorizationId: "B", amount: 1 }));
    expect(warm.cost.calls).toEqual(["TransactWriteItems"]);
  });

  it("has its deadline, seven days on, as long as something is held", async () => {
    const { apply, everything } = await givenNetwork();
    await apply({ kind, authorizationId: "A", amount: 50 });
    const deadlines = async () => (await everything()).flatMap(({ dueAt }) => dueAt ?? []);
    const [deadline] = await deadlines();
    const dueAt = new Date(String(deadline).split("#")[0] ?? "").getTime();
    expect(Math.abs(dueAt - Date.now() - 7 * 86_400_000)).toBeLessThan(60_000);
    await apply({ kind: "clearing", authorizationId: "A", amount: 20, final: false });
    expect(await deadlines()).toEqual([deadline]);
    await apply({ kind: "clearing", authorizationId: "A", amount: 30, final: false });
    expect(await deadlines()).toEqual([]);
  });
});

describe("a partial approval", () => {
  const supported = { partialApprovalSupported: true };

  it("is for what there is, where the Program allows it and the terminal supports it", async () => {
    const { apply, balances, record, setProgram } = await givenNetwork();
    const asked = { kind, amount: 10_500, ...supported } as const;
    expect(await apply({ ...asked, authorizationId: "not-allowed" })).toMatchObject({ approved: false });
    await setProgram({ partialApproval: true });
    for (const terminal of [{}, { partialApprovalSupported: false }]) {
      const declined = await apply({ kind, authorizationId: newId("hold"), amount: 10_500, ...terminal });
      expect(declined).toMatchObject({ approved: false, declineReason: "INSUFFICIENT_FUNDS" });
    }
    const result = await apply({ ...asked, authorizationId: "A" });
    expect(result).toMatchObject({ approved: true, amount: 10_000 });
    expect(await record(result.transId)).toMatchObject({ transType: 1, amountMinor: 10_000 });
    expect(await balances()).toEqual([0, 10_000, 10_000]);
  });

  it("never holds more than there is when many ask at once", async () => {
    const { send, balances, setProgram } = await givenNetwork({ availableMinor: 1_000 });
    await setProgram({ partialApproval: true });
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        send({ kind, authorizationId: `A${n}`, amount: 300, ...supported }),
      ),
    );
    const approved = results.map((result) => (result.outcome === "applied" ? (result.amount ?? 0) : 0));
    expect(approved.reduce((sum, amount) => sum + amount)).toBe(1_000);
    expect(approved.filter((amount) => amount === 300)).toHaveLength(3);
    expect(await balances()).toEqual([0, 1_000, 1_000]);
  });
});
