import { afterEach, describe, expect, it, vi } from "vitest";
import { givenNetwork, type Told } from "../../harness/given-network.ts";
import { approve, givenReceiver, heldBack } from "../../harness/given-receiver.ts";
import { A } from "./given-hold-events.ts";
import { illegal } from "./given-processor.ts";

type Network = Awaited<ReturnType<typeof givenNetwork>>;

afterEach(() => void vi.useRealTimers());

const authorization = { kind: "authorization", authorizationId: A, amount: 1_000 } as const;
const increment = { kind: "authorization_incremental", authorizationId: A, amount: 500 } as const;
const total = (amount: number) =>
  ({ kind: "authorization_advice", authorizationId: A, amount, total: true }) as const;
const clearing = (amount: number, final: boolean) =>
  ({ kind: "clearing", authorizationId: A, amount, final }) as const;
const cash = { kind: "atm_withdrawal", authorizationId: A, amount: 1_000, feeAmount: 50 } as const;

/** The receiver has approved the earlier events, is asked about this one, and has not answered. */
async function givenQuestionOn(event: Partial<Told>, ...earlier: Parameters<Network["apply"]>[0][]) {
  const network = await givenNetwork();
  const open = heldBack();
  const receiver = await givenReceiver(network.programId, approve);
  for (const one of earlier) await network.apply(one);
  receiver.answer(open.answer);
  const answered = network.send({ ...event, eventId: "asked" } as Told);
  answered.catch(() => {});
  await open.asked;
  receiver.answer(approve);
  return { ...network, reply: open.reply, answered };
}

describe("a total that comes while a question is open", () => {
  it("releases what the authorization's reservation has above it", async () => {
    const { reply, answered, apply, balances } = await givenQuestionOn(authorization);
    await apply(total(600));
    expect(await balances()).toEqual([9_400, 600, 10_000]);
    reply({ kind: "approve", amountMinor: 1_000 });
    await answered;
    expect(await balances()).toEqual([9_400, 600, 10_000]);
    await apply(clearing(600, true));
    expect(await balances()).toEqual([9_400, 0, 9_400]);
  });

  it.each([1_000, 1_300])("releases what an increment's reservation has above it: %i", async (amount) => {
    const network = await givenQuestionOn(increment, authorization);
    const { reply, answered } = network;
    expect(await network.balances()).toEqual([8_500, 1_500, 10_000]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_000 });
    await network.apply({ ...total(amount), occurredAt: new Date().toISOString() });
    expect(await network.balances()).toEqual([10_000 - amount, amount, 10_000]);
    reply({ kind: "approve", amountMinor: 500 });
    await answered;
    expect(await network.balances()).toEqual([10_000 - amount, amount, 10_000]);
  });
});

describe("a clearing that comes before the report of its stand-in", () => {
  it("pays cash once after a decline: the report charges its fee", async () => {
    const network = await givenNetwork({ availableMinor: 100 });
    expect(await network.apply(cash)).toMatchObject({ approved: false });
    await network.apply(clearing(1_000, true));
    expect(await network.balances()).toEqual([-900, 0, -900]);
    await network.apply({ ...cash, advice: true });
    expect(await network.balances()).toEqual([-950, 0, -950]);
  });

  it.each([true, false])("pays cash once, also if it is partial: advice %s", async (advice) => {
    const network = await givenNetwork({ availableMinor: 1_000 });
    await network.apply(clearing(1_000, false));
    const late = await network.apply({ ...cash, advice });
    expect(late).toMatchObject({ approved: true, amount: 1_000 });
    expect(await network.record(late.transId)).toMatchObject({ transType: 36, amountMinor: 0 });
    expect(await network.send({ ...cash, advice })).toEqual(illegal);
    expect(await network.balances()).toEqual([-50, 0, -50]);
  });

  it("pays cash once if it comes while the receiver is asked", async () => {
    const network = await givenQuestionOn(cash);
    const { reply, answered } = network;
    await network.apply(clearing(1_000, false));
    reply({ kind: "approve", amountMinor: 1_000 });
    expect(await answered).toMatchObject({ approved: false });
    expect(await network.balances()).toEqual([9_000, 0, 9_000]);
  });

  it("leaves nothing to hold of a declined purchase", async () => {
    const network = await givenNetwork({ availableMinor: 100 });
    await network.apply(authorization);
    await network.apply(clearing(800, true));
    await network.apply({ ...total(1_000), standIn: true });
    expect(await network.balances()).toEqual([-700, 0, -700]);
  });
});
