import { describe, expect, it } from "vitest";
import { parseNotification } from "../../../shared/notifications/stored-notification.ts";
import { newId } from "../../../shared/platform/id.ts";
import { givenNetwork, type Told } from "../../harness/given-network.ts";
import { givenReceiver } from "../../harness/given-receiver.ts";
import { measure } from "../../harness/measure.ts";
import { eventsIn } from "../../harness/stored.ts";
import { unknown } from "./given-processor.ts";

const kind = "authorization";

describe.each([
  { kind, authorizationId: "A", amount: 101 },
  { kind: "atm_withdrawal", amount: 101, feeAmount: 0 },
] as const)("an event of the kind $kind", (event) => {
  it.each([
    [0, "CARD_PENDING"],
    [2, "CARD_ON_HOLD"],
    [3, "CARD_CLOSED"],
    [4, "CARD_NOT_ACTIVATED"],
  ] as const)(
    "on a card with status %i is declined as %s, recorded and published",
    async (status, reason) => {
      const { apply, balances, record, everything, setStatus } = await givenNetwork();
      await setStatus(status);
      const answer = await apply({ ...event, merchantName: "ATM 12" });
      const { transId } = answer;
      const declined = { approved: false, declineReason: reason, amount: 0, transId: expect.any(String) };
      const named = "authorizationId" in event && { authorizationId: "A" };
      expect(answer).toEqual({ outcome: "applied", ...declined, ...named });
      const kept = { amountMinor: 101, merchantName: "ATM 12", declineReason: reason, entityId: transId };
      expect(await record(transId)).toMatchObject({ transType: 77, transStatus: 4, ...kept });
      expect(await balances()).toEqual([10_000, 0, 10_000]);
      const items = await everything();
      expect(items.filter(parseNotification)).toEqual([]);
      const kinds = eventsIn(items).map((one) => one.kind);
      expect(kinds.filter((one) => one !== "deposit.cleared")).toEqual(["authorization.declined"]);
      const advice =
        event.kind === kind ? { ...event, kind: "authorization_advice" } : { ...event, advice: true };
      expect(await apply({ ...advice, authorizationId: "B" } as Told)).toMatchObject({ approved: true });
    },
  );

  it("of a card that does not exist is not found, and can come again", async () => {
    const { send, everything } = await givenNetwork();
    const before = await everything();
    expect(await send({ ...event, cardId: newId("card"), eventId: "e" })).toEqual(unknown);
    expect(await everything()).toEqual(before);
  });
});

describe("an authorization", () => {
  it("of nothing is approved if the Card is usable, whatever it has, and without a question", async () => {
    const { apply, record, setStatus, programId, balances } = await givenNetwork({ availableMinor: 0 });
    const { questions } = await givenReceiver(programId, () => ({ kind: "decline" }));
    const verify = (authorizationId: string) => apply({ kind, authorizationId, amount: 0 });
    const { transId, ...approved } = await verify("A");
    expect(approved).toMatchObject({ approved: true, amount: 0 });
    expect(await record(transId)).toMatchObject({ amountMinor: 0, description: "Authorization" });
    await setStatus(2);
    const { transId: ofDeclined, ...declined } = await verify("B");
    expect(declined).toMatchObject({ approved: false, declineReason: "CARD_ON_HOLD" });
    expect(await record(ofDeclined)).toMatchObject({ transType: 77, description: "Authorization" });
    expect(questions).toEqual([]);
    expect(await balances()).toEqual([0, 0, 0]);
  });

  it("costs one transaction, with no read on a card that the worker has met", async () => {
    const { send } = await givenNetwork();
    const cold = await measure(() => send({ kind, authorizationId: "A", amount: 1 }));
    // The card, and beside it the Program's controls, which a worker keeps for two seconds.
    expect(cold.cost.calls).toEqual(["Query", "GetItem", "TransactWriteItems"]);
    expect([cold.cost.roundTrips, cold.cost.readUnits]).toEqual([2, 2]);
    const warm = await measure(() => send({ kind, authorizationId: "B", amount: 1 }));
    expect(warm.cost.calls).toEqual(["TransactWriteItems"]);
  });
});

describe("a partial approval", () => {
  const supported = { partialApprovalSupported: true };

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
