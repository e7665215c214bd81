import { describe, expect, it } from "vitest";
import { givenNetwork } from "../../harness/given-network.ts";
import { A } from "./given-hold-events.ts";

const authorization = { kind: "authorization", authorizationId: A, amount: 1_000 } as const;
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
