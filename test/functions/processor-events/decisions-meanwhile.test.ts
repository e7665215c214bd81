import { afterEach, describe, expect, it, vi } from "vitest";
import type { Told } from "../../harness/given-network.ts";
import { approve, decline, heldBack } from "../../harness/given-receiver.ts";
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

describe("an increment", () => {
  const increment = { kind: "authorization_incremental", authorizationId: A, amount: 500 } as const;

  /** Its authorization is approved, and the question about it is open. */
  async function givenIncrement() {
    const network = await given();
    await network.apply(authorization);
    const open = heldBack();
    network.receiver.answer(open.answer);
    const answered = network.send({ ...increment, eventId: "e2" });
    answered.catch(() => {});
    const question = await open.asked;
    return { ...network, ...open, answered, question };
  }

  const dueAs = async ({ everything }: Given) => (await everything()).find(({ sk }) => sk === "HOLD")?.kind;

  it("is reserved, asked about and approved", async () => {
    const network = await givenIncrement();
    const about = {
      kind: "increment",
      authorizationId: A,
      eventId: "e2",
      amount: 500,
      availableBalance: 7_000,
    };
    expect(network.question).toMatchObject(about);
    expect(await network.balances()).toEqual([6_500, 3_500, 10_000]);
    expect(await dueAs(network)).toBe("lapse_authorization");
    network.reply({ kind: "approve", amountMinor: 500 });
    const answer = await network.answered;
    expect(answer).toMatchObject({ approved: true, amount: 500, decidedBy: "receiver" });
    expect(await network.send({ ...increment, eventId: "e2" })).toEqual(answer);
    expect((await recorded(network)).map(({ transType }) => transType)).toEqual([1, 11]);
    expect(await network.balances()).toEqual([6_500, 3_500, 10_000]);
    expect(await dueAs(network)).toBe("expire_hold");
  });

  it.each(["declined", "lost"])("%s: its authorization stays as it was", async (end) => {
    const network = await givenIncrement();
    if (end === "lost") {
      network.kill();
      await expect(network.answered).rejects.toThrow();
      moveClock(lapsedMs);
      await sweepOnce();
    } else network.reply(decline);
    const declineReason = end === "lost" ? "STAND_IN_DECLINED" : "RECEIVER_DECLINED";
    expect(await network.send({ ...increment, eventId: "e2" })).toMatchObject({
      approved: false,
      declineReason,
    });
    expect(await network.balances()).toEqual([7_000, 3_000, 10_000]);
    expect(await dueAs(network)).toBe("expire_hold");
    await network.apply({ kind: "clearing", authorizationId: A, amount: 3_000 });
    expect(await network.balances()).toEqual([7_000, 0, 7_000]);
  });

  it("is asked about beside another one", async () => {
    const network = await givenIncrement();
    network.receiver.answer(() => decline);
    expect(await network.apply({ ...increment, amount: 200 })).toMatchObject({ approved: false });
    expect(await network.balances()).toEqual([6_500, 3_500, 10_000]);
    network.receiver.answer(approve);
    expect(await network.apply({ ...increment, amount: 300 })).toMatchObject({ approved: true });
    expect(await network.balances()).toEqual([6_200, 3_800, 10_000]);
    expect(await dueAs(network)).toBe("lapse_authorization");
    network.reply(decline);
    await network.answered;
    expect(await network.balances()).toEqual([6_700, 3_300, 10_000]);
    expect(await dueAs(network)).toBe("expire_hold");
  });

  it("holds nothing after a final clearing, also if it is approved then", async () => {
    const network = await givenIncrement();
    await network.apply({ kind: "clearing", authorizationId: A, amount: 3_500 });
    expect(await network.balances()).toEqual([6_500, 0, 6_500]);
    network.reply({ kind: "approve", amountMinor: 500 });
    expect(await network.answered).toMatchObject({ approved: true });
    expect(await network.balances()).toEqual([6_500, 0, 6_500]);
  });
});
