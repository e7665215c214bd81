import { describe, expect, it } from "vitest";
import { givenNetwork } from "../../harness/given-network.ts";
import { approve, givenReceiver, heldBack } from "../../harness/given-receiver.ts";
import { A } from "./given-hold-events.ts";

const authorization = { kind: "authorization", authorizationId: A, amount: 1_000 } as const;
const at = (second: number) => `2026-11-23T12:00:0${second}.000Z`;
const total = (amount: number, second: number) =>
  ({ authorizationId: A, amount, total: true, occurredAt: at(second) }) as const;
const advice = (amount: number, second: number) =>
  ({ kind: "authorization_advice", ...total(amount, second) }) as const;

describe("an increment before an older total", () => {
  const increment = (amount: number, second: number) =>
    ({
      kind: "authorization_incremental",
      authorizationId: A,
      amount,
      occurredAt: at(second),
      eventId: `increment-${second}`,
    }) as const;

  it.each([true, false])(
    "that is approved in part is held with that part (total meanwhile: %s)",
    async (isMeanwhile) => {
      const { apply, balances, programId } = await givenNetwork();
      const open = heldBack();
      const receiver = await givenReceiver(programId, approve);
      await apply(authorization);
      receiver.answer(open.answer);
      const answered = apply(increment(500, 3));
      await open.asked;
      if (isMeanwhile) await apply(advice(1_000, 2));
      open.reply({ kind: "approve", amountMinor: 200 });
      await answered;
      if (!isMeanwhile) await apply(advice(1_000, 2));
      expect(await balances()).toEqual([8_800, 1_200, 10_000]);
    },
  );

  it.each([1_000, 1_300])("that is asked about is released to a total from after it: %i", async (amount) => {
    const { apply, balances, programId } = await givenNetwork();
    const open = heldBack();
    const receiver = await givenReceiver(programId, approve);
    await apply(authorization);
    receiver.answer(open.answer);
    const answered = apply(increment(500, 3));
    await open.asked;
    await apply(advice(amount, 4));
    expect(await balances()).toEqual([10_000 - amount, amount, 10_000]);
    open.reply({ kind: "approve", amountMinor: 500 });
    await answered;
    expect(await balances()).toEqual([10_000 - amount, amount, 10_000]);
  });
});
