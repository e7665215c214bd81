import { afterEach, describe, expect, it, vi } from "vitest";
import type { Told } from "../../harness/given-network.ts";
import { decline } from "../../harness/given-receiver.ts";
import {
  A,
  authorization,
  type Given,
  given,
  givenOpen,
  lapsedMs,
  moveClock,
  recorded,
  sweepOnce,
} from "./given-decisions.ts";

afterEach(() => void vi.useRealTimers());

/** What may happen to the authorization while its question is open, and what it comes out as. */
const meanwhile: readonly {
  name: string;
  event: Told;
  /** While the question is open, after an approval, after a decline: available, held, ledger. */
  open: number[];
  approved: number[];
  declined: number[];
}[] = [
  {
    name: "a reversal",
    event: { kind: "authorization_reversal", authorizationId: A },
    open: [10_000, 0, 10_000],
    approved: [10_000, 0, 10_000],
    declined: [10_000, 0, 10_000],
  },
  {
    name: "a partial reversal",
    event: { kind: "authorization_reversal", authorizationId: A, amount: 1_000 },
    open: [8_000, 2_000, 10_000],
    approved: [8_000, 2_000, 10_000],
    declined: [10_000, 0, 10_000],
  },
  {
    name: "a clearing",
    event: { kind: "clearing", authorizationId: A, amount: 2_500 },
    open: [7_500, 0, 7_500],
    approved: [7_500, 0, 7_500],
    declined: [7_500, 0, 7_500],
  },
  {
    name: "a clearing of a part",
    event: { kind: "clearing", authorizationId: A, amount: 1_000, final: false },
    open: [7_000, 2_000, 9_000],
    approved: [7_000, 2_000, 9_000],
    declined: [9_000, 0, 9_000],
  },
  {
    name: "an advice",
    event: { kind: "authorization_advice", authorizationId: A, amount: 500 },
    open: [6_500, 3_500, 10_000],
    approved: [6_500, 3_500, 10_000],
    declined: [9_500, 500, 10_000],
  },
  {
    name: "an expiry",
    event: { kind: "authorization_expiry", authorizationId: A },
    open: [10_000, 0, 10_000],
    approved: [10_000, 0, 10_000],
    declined: [10_000, 0, 10_000],
  },
];

describe.each(meanwhile)("$name while the question is open", ({ event, open, approved, declined }) => {
  it.each([
    ["approved", approved],
    ["declined", declined],
    ["lost", declined],
  ] as const)("comes out as if it had come first: %s", async (decision, expected) => {
    const network = await givenOpen();
    await network.apply({ ...event, eventId: "e2" });
    expect(await network.balances()).toEqual(open);
    if (decision === "lost") {
      network.kill();
      await expect(network.answered).rejects.toThrow();
      moveClock(lapsedMs);
      await sweepOnce();
    } else {
      network.reply(decision === "approved" ? { kind: "approve", amountMinor: 3_000 } : decline);
      await network.answered;
    }
    expect(await network.balances()).toEqual(expected);
    const inOrder = await given(() =>
      decision === "approved" ? { kind: "approve", amountMinor: 3_000 } : decline,
    );
    await inOrder.apply(event);
    const again = await inOrder.apply(authorization);
    expect(await inOrder.balances()).toEqual(expected);
    expect(again).toMatchObject({ approved: decision === "approved" });
    const shown = async (one: Given) =>
      (await recorded(one))
        .map(({ transType, amountMinor, releasedMinor }) => `${transType} ${amountMinor} ${releasedMinor}`)
        .toSorted();
    expect(await shown(network)).toEqual(await shown(inOrder));
  });
});

describe("a card that changes while the question is open", () => {
  it.each([
    ["is blocked", { blockedAt: "2026-01-01T00:00:00.000Z" }],
    ["is on hold", { issuerCardStatus: 2 }],
  ] as const)("%s: what was reserved is approved", async (_, attributes) => {
    const network = await givenOpen();
    await network.setCard(attributes as never);
    network.reply({ kind: "approve", amountMinor: 3_000 });
    expect(await network.answered).toMatchObject({ approved: true });
    expect(await network.balances()).toEqual([7_000, 3_000, 10_000]);
  });
});
