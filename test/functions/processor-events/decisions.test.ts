import { afterEach, describe, expect, it, vi } from "vitest";
import { firstCalls, injectFaults, interrupt, type isWrite } from "../../harness/faults.ts";
import {
  authorization,
  type Given,
  given,
  givenOpen,
  lapsedMs,
  moveClock,
  recorded,
  sweepOnce,
} from "./given-decisions.ts";
import { illegal } from "./given-processor.ts";

afterEach(() => void vi.useRealTimers());

describe("the receiver's answer", () => {
  it("is of one request: another with its eventId is refused, while it is open and after it", async () => {
    const network = await given();
    const event = { ...authorization, eventId: "one", requestHash: "a" };
    const other = { ...event, amount: 9_000, requestHash: "b" };
    const [answer, meanwhile] = await Promise.all([network.send(event), network.send(other)]);
    const answers = [answer, meanwhile].map(({ outcome }) => outcome);
    expect(answers.toSorted()).toEqual(["applied", "refused"]);
    const [kept, refused] = answer.outcome === "applied" ? [event, other] : [other, event];
    expect(await network.send(refused)).toEqual(illegal);
    expect(await network.send(kept)).toMatchObject({ approved: true, amount: kept.amount });
    expect(await network.balances()).toEqual([10_000 - kept.amount, kept.amount, 10_000]);
  });
});

describe("an open question", () => {
  it("is asked once: repetitions wait, and get the same answer", async () => {
    const network = await givenOpen();
    const repeated = [network.send(network.told), network.send(network.told)];
    network.reply({ kind: "approve", amountMinor: 3_000 });
    const first = await network.answered;
    expect(await Promise.all(repeated)).toEqual([first, first]);
    expect(await network.send(network.told)).toEqual(first);
    expect(network.receiver.questions).toHaveLength(1);
    expect(await network.balances()).toEqual([7_000, 3_000, 10_000]);
  });
});

/** The receiver's approval is shown, although it decided nothing. */
function expectLateAnswer({ everything }: Given) {
  return vi.waitFor(async () => {
    const record = (await everything()).find(({ sk }) => sk === "EVENT");
    expect(record?.decision).toMatchObject({ decidedBy: "stand_in", reason: "lost" });
    expect(record?.lateAnswer).toMatchObject({ decision: "approve" });
  });
}

describe("a function killed in the midst of a question", () => {
  it("has decided nothing if its own answer comes too late", async () => {
    const network = await givenOpen();
    moveClock(lapsedMs);
    network.reply({ kind: "approve", amountMinor: 3_000 });
    expect(await network.answered).toMatchObject({ approved: false, declineReason: "STAND_IN_DECLINED" });
    expect(await network.balances()).toEqual([10_000, 0, 10_000]);
    await expectLateAnswer(network);
  });

  it("is answered what the sweep has recorded", async () => {
    const network = await givenOpen();
    moveClock(lapsedMs);
    await sweepOnce();
    vi.useRealTimers();
    network.reply({ kind: "approve", amountMinor: 3_000 });
    expect(await network.answered).toMatchObject({ approved: false, declineReason: "STAND_IN_DECLINED" });
    expect(await network.balances()).toEqual([10_000, 0, 10_000]);
    await expectLateAnswer(network);
  });
});

describe("a decision that races", () => {
  it("wins once", async () => {
    const network = await givenOpen();
    moveClock(lapsedMs - 50);
    const sweeps = [1, 2, 3].map(async (n) => {
      await new Promise((resolve) => setTimeout(resolve, 20 * n));
      await sweepOnce();
    });
    const retry = network.send(network.told);
    network.reply({ kind: "approve", amountMinor: 3_000 });
    const [first, repeated] = await Promise.all([network.answered, retry, ...sweeps]);
    expect(repeated).toEqual(first);
    const held = (first as { approved?: boolean }).approved ? 3_000 : 0;
    expect(await network.balances()).toEqual([10_000 - held, held, 10_000]);
    expect(await recorded(network)).toHaveLength(1);
  });
});

describe("a write that is lost", () => {
  it.each(["timeout-after-commit", "conflict", "throttle", "server-error"] as const)(
    "%s: is repeated",
    async (fault) => {
      for (const number of [1, 2]) {
        const network = await given();
        using _ = injectFaults(firstCalls(1, fault, nth(number)));
        const answer = await network.apply({ ...authorization, eventId: "e1" });
        expect(answer).toMatchObject({ approved: true, decidedBy: "receiver" });
        expect(await network.apply({ ...authorization, eventId: "e1" })).toEqual(answer);
        expect(await network.balances()).toEqual([7_000, 3_000, 10_000]);
        expect(network.receiver.questions).toHaveLength(1);
      }
    },
  );

  /** Only the nth transaction. */
  function nth(wanted: number) {
    let met = 0;
    return (call: Parameters<typeof isWrite>[0]) => call.command === "TransactWrite" && ++met === wanted;
  }
});

it("is told what there was as its amount was set aside, whatever came just before", async () => {
  const network = await given();
  using _ = interrupt(
    (command) => command === "TransactWriteItems",
    () => network.apply({ kind: "refund", amount: 5 }),
  );
  expect(await network.apply(authorization)).toMatchObject({ approved: true });
  expect(network.receiver.questions).toMatchObject([{ availableBalance: 10_005 }]);
});
