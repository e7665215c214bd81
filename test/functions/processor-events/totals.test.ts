import { describe, expect, it } from "vitest";
import { givenNetwork } from "../../harness/given-network.ts";
import { A } from "./given-hold-events.ts";

const authorization = { kind: "authorization", authorizationId: A, amount: 1_000 } as const;
const advice = (amount: number, occurredAt?: string) =>
  ({
    kind: "authorization_advice",
    authorizationId: A,
    amount,
    total: true,
    ...(occurredAt && { occurredAt }),
  }) as const;
const downTo = (amount: number, occurredAt?: string) =>
  ({
    kind: "authorization_reversal",
    authorizationId: A,
    amount,
    total: true,
    ...(occurredAt && { occurredAt }),
  }) as const;
const at = (second: number) => `2026-11-23T12:00:0${second}.000Z`;

describe("an advice of a total", () => {
  it("replaces what is held: more, the same, or less", async () => {
    const { apply, balances, record } = await givenNetwork();
    await apply(authorization);
    const more = await apply(advice(1_500));
    expect(more).toMatchObject({ approved: true, amount: 1_500 });
    expect(await record(more.transId)).toMatchObject({ transType: 2, amountMinor: 500 });
    expect(await balances()).toEqual([8_500, 1_500, 10_000]);
    await apply(advice(1_500));
    expect(await balances()).toEqual([8_500, 1_500, 10_000]);
    const less = await apply(advice(400));
    expect(await record(less.transId)).toMatchObject({ transType: 12, releasedMinor: 1_100 });
    expect(await balances()).toEqual([9_600, 400, 10_000]);
  });

  it("comes before its authorization, which then adds nothing", async () => {
    const { apply, balances } = await givenNetwork();
    await apply(advice(700));
    expect(await apply(authorization)).toMatchObject({ approved: true, amount: 1_000 });
    expect(await balances()).toEqual([9_300, 700, 10_000]);
  });

  it("has what was cleared in it", async () => {
    const { apply, balances } = await givenNetwork();
    await apply(authorization);
    await apply({ kind: "clearing", authorizationId: A, amount: 300, final: false });
    await apply(advice(1_200));
    expect(await balances()).toEqual([8_800, 900, 9_700]);
  });

  it("that occurred earlier changes nothing", async () => {
    const { apply, balances } = await givenNetwork();
    await apply(authorization);
    await apply(advice(1_500, at(5)));
    await apply(advice(400, at(4)));
    expect(await balances()).toEqual([8_500, 1_500, 10_000]);
    await apply(downTo(600, at(3)));
    expect(await balances()).toEqual([8_500, 1_500, 10_000]);
  });
});

describe("a reversal down to a total", () => {
  it("releases the rest, and never adds", async () => {
    const { apply, balances, record } = await givenNetwork();
    await apply(authorization);
    const { transId, amount } = await apply(downTo(400));
    expect(amount).toBe(600);
    expect(await record(transId)).toMatchObject({ transType: 12, releasedMinor: 600 });
    expect(await balances()).toEqual([9_600, 400, 10_000]);
    await apply(downTo(800));
    expect(await balances()).toEqual([9_600, 400, 10_000]);
  });

  it("comes before its authorization, and limits it", async () => {
    const { apply, balances } = await givenNetwork({ availableMinor: 500 });
    await apply(downTo(400));
    expect(await apply(authorization)).toMatchObject({ approved: true, amount: 1_000 });
    expect(await balances()).toEqual([100, 400, 500]);
  });
});

describe("balances in the answer", () => {
  it("are those after an approval, and the same for a repetition", async () => {
    const { apply } = await givenNetwork();
    const event = { ...authorization, eventId: "one", withBalances: true };
    const answer = await apply(event);
    expect(answer).toMatchObject({ availableBalance: 9_000, ledgerBalance: 10_000, currency: 0 });
    await apply({ ...authorization, authorizationId: "B", amount: 50 });
    expect(await apply(event)).toEqual(answer);
    const cash = { kind: "atm_withdrawal", amount: 1_000, feeAmount: 10, withBalances: true } as const;
    expect(await apply(cash)).toMatchObject({ availableBalance: 7_940, ledgerBalance: 8_990 });
  });

  it("are exact where authorizations race", async () => {
    const { apply, balances } = await givenNetwork();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        apply({ ...authorization, authorizationId: `R${n}`, amount: 100, withBalances: true }),
      ),
    );
    const available = answers.map(({ availableBalance }) => availableBalance).toSorted();
    expect(available).toEqual([9_400, 9_500, 9_600, 9_700, 9_800, 9_900]);
    expect(await balances()).toEqual([9_400, 600, 10_000]);
  });

  it("are not in a decline", async () => {
    const { apply } = await givenNetwork({ availableMinor: 10 });
    expect(await apply({ ...authorization, withBalances: true })).not.toHaveProperty("availableBalance");
  });
});

describe("a failed check", () => {
  it.each([
    { ...authorization, failedCheck: "PIN_WRONG" },
    { kind: "atm_withdrawal", amount: 100, feeAmount: 0, failedCheck: "PIN_BLOCKED" },
    { kind: "balance_inquiry", failedCheck: "CVV_WRONG" },
  ] as const)("declines $kind, once, and moves nothing", async (event) => {
    const { apply, balances, record } = await givenNetwork();
    const answer = await apply({ ...event, eventId: "one" });
    expect(answer).toMatchObject({ approved: false, declineReason: event.failedCheck, amount: 0 });
    expect(await record(answer.transId)).toMatchObject({ transType: 77, declineReason: event.failedCheck });
    expect(await apply({ ...event, eventId: "one", failedCheck: undefined })).toEqual(answer);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });
});
