import { afterEach, describe, expect, it, vi } from "vitest";
import { givenNetwork } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";
import { illegal } from "./given-processor.ts";

const kind = "authorization";
const blocks = ["blockedAt", "cardholderBlockedAt"] as const;

describe.each(blocks)("a card with %s", (attribute) => {
  const blocked = { [attribute]: "2026-11-22T10:00:00.000Z" };

  it("declines authorizations, increments and withdrawals, whatever its status and money", async () => {
    const { apply, balances, setCard } = await givenNetwork();
    await apply({ kind, authorizationId: "A", amount: 100 });
    const declined = { approved: false, declineReason: "CARD_BLOCKED", amount: 0 };
    for (const issuerCardStatus of [1, 2, 4] as const) {
      await setCard({ ...blocked, issuerCardStatus });
      expect(await apply({ kind, authorizationId: `B${issuerCardStatus}`, amount: 1 })).toMatchObject(
        declined,
      );
      const increment = { kind: "authorization_incremental", authorizationId: "A", amount: 1 } as const;
      expect(await apply(increment)).toMatchObject(declined);
      expect(await apply({ kind: "atm_withdrawal", amount: 1 })).toMatchObject(declined);
    }
    expect(await balances()).toEqual([9_900, 100, 10_000]);
  });

  it("declines an authorization of which an advice came before, and keeps what the advice held", async () => {
    const { apply, balances, setCard, send } = await givenNetwork();
    await apply({ kind: "authorization_advice", authorizationId: "A", amount: 1 });
    await setCard(blocked);
    const authorization = { kind, authorizationId: "A", amount: 100 } as const;
    expect(await apply(authorization)).toMatchObject({ approved: false, declineReason: "CARD_BLOCKED" });
    expect(await send(authorization)).toEqual(illegal);
    expect(await balances()).toEqual([9_999, 1, 10_000]);
    await apply({ kind: "clearing", authorizationId: "A", amount: 1 });
    expect(await balances()).toEqual([9_999, 0, 9_999]);
  });

  it("declines in as many round trips as a card on hold", async () => {
    const { send, setCard, setStatus } = await givenNetwork();
    await setStatus(2);
    // The first one reads the Card, which this process does not know yet.
    await send({ kind, authorizationId: "first", amount: 1 });
    const onHold = await measure(() => send({ kind, authorizationId: "A", amount: 1 }));
    await setCard({ ...blocked, issuerCardStatus: 1 });
    const stopped = await measure(() => send({ kind, authorizationId: "B", amount: 1 }));
    expect(stopped.cost.calls).toEqual(["TransactWriteItems", "TransactWriteItems"]);
    expect(onHold.cost.calls).toEqual(stopped.cost.calls);
  });

  it("still takes what the network has decided", async () => {
    const { apply, balances, setCard } = await givenNetwork();
    await apply({ kind, authorizationId: "A", amount: 100 });
    await apply({ kind, authorizationId: "B", amount: 100 });
    await setCard(blocked);
    await apply({ kind: "authorization_advice", authorizationId: "C", amount: 10 });
    await apply({ kind: "clearing", authorizationId: "A", amount: 100 });
    await apply({ kind: "authorization_reversal", authorizationId: "B" });
    await apply({ kind: "clearing", amount: 20 });
    await apply({ kind: "refund", amount: 5 });
    expect(await balances()).toEqual([9_875, 10, 9_885]);
  });

  it("takes no 3-D Secure challenge", async () => {
    const { send, setCard, setProgram } = await givenNetwork();
    await setProgram({ threeDSecure: true });
    await setCard(blocked);
    expect(await send({ kind: "three_ds_challenge", expiresInSeconds: 60 } as never)).toEqual(illegal);
  });
});

describe("a card past its expiry date", () => {
  const december = { expiryMonth: 12, expiryYear: 2026 };
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ["2026-11-30T23:59:59.999Z", true],
    ["2026-12-31T23:59:59.999Z", true],
    ["2027-01-01T00:00:00.000Z", false],
    ["2027-12-01T00:00:00.000Z", false],
    ["2030-01-01T00:00:00.000Z", false],
  ])("is valid to the end of the month, in UTC: %s %s", async (time, approved) => {
    const { apply, balances, setCard } = await givenNetwork();
    await setCard(december);
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(time) });
    const result = await apply({ kind, authorizationId: "A", amount: 100 });
    expect(result).toMatchObject(approved ? { approved } : { approved, declineReason: "CARD_EXPIRED" });
    const advice = await apply({ kind: "authorization_advice", authorizationId: "B", amount: 1 });
    expect(advice).toMatchObject({ approved: true });
    expect(await balances()).toEqual(approved ? [9_899, 101, 10_000] : [9_999, 1, 10_000]);
  });

  it("is declined as closed, on hold or blocked before expired, and as expired before short of funds", async () => {
    const { apply, setCard } = await givenNetwork({ availableMinor: 10 });
    const reason = async (authorizationId: string) =>
      (await apply({ kind, authorizationId, amount: 100 })).declineReason;
    await setCard({ expiryMonth: 1, expiryYear: 2020 });
    expect(await reason("A")).toBe("CARD_EXPIRED");
    await setCard({ issuerCardStatus: 3 });
    expect(await reason("B")).toBe("CARD_CLOSED");
    await setCard({ blockedAt: "2026-11-22T10:00:00.000Z" });
    expect(await reason("C")).toBe("CARD_BLOCKED");
  });
});
