import { afterEach, describe, expect, it, vi } from "vitest";
import type { AskedReceiver, Reply } from "../../../shared/authorizations/decisions/ask.ts";
import type { ProcessorResult } from "../../../shared/contract/processor.ts";
import type { AuthorizationEndpoint } from "../../../shared/controls/authorization-endpoint.ts";
import { firstCalls, injectFaults, type isWrite } from "../../harness/faults.ts";
import { approve, decline, heldBack } from "../../harness/given-receiver.ts";
import { measure } from "../../harness/measure.ts";
import {
  A,
  authorization,
  type Given,
  given,
  givenOpen,
  lapsedMs,
  moveClock,
  published,
  recorded,
  sweepOnce,
} from "./given-decisions.ts";
import { illegal } from "./given-processor.ts";

afterEach(() => void vi.useRealTimers());

describe("the receiver's answer", () => {
  it("approves", async () => {
    const network = await given();
    const answer = await network.apply(authorization);
    expect(answer).toMatchObject({
      approved: true,
      amount: 3_000,
      decidedBy: "receiver",
      authorizationId: A,
    });
    expect(await network.balances()).toEqual([7_000, 3_000, 10_000]);
    const record = { transType: 1, transStatus: 1, amountMinor: 3_000, decidedBy: "receiver" };
    expect(await network.record(answer.transId)).toMatchObject(record);
    expect(await published(network)).toEqual(["hold.placed"]);
  });

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

  it("declines, and all is released", async () => {
    const network = await given(() => decline);
    const answer = await network.apply(authorization);
    const declined = { approved: false, declineReason: "RECEIVER_DECLINED", decidedBy: "receiver" };
    expect(answer).toMatchObject({ ...declined, amount: 0 });
    expect(await network.balances()).toEqual([10_000, 0, 10_000]);
    const record = { transType: 77, transStatus: 4, amountMinor: 3_000, decidedBy: "receiver" };
    expect(await network.record(answer.transId)).toMatchObject({
      ...record,
      declineReason: "RECEIVER_DECLINED",
    });
    expect(await published(network)).toEqual(["authorization.declined"]);
  });

  it("is at most what the network asked for", async () => {
    const network = await given(() => ({ kind: "approve", amountMinor: 3_001 }));
    await expect(network.send({ ...authorization, eventId: "e1" })).rejects.toThrow("More is approved");
    moveClock(lapsedMs);
    await sweepOnce();
    expect(await network.balances()).toEqual([10_000, 0, 10_000]);
  });
});

describe("the stand-in", () => {
  type Policy = keyof AuthorizationEndpoint["standIn"];
  type Decision = AuthorizationEndpoint["standIn"][Policy];
  const noAnswer = { kind: "timeout", detail: "no answer" } as const;
  const decliningAll = { timeout: "decline", connectionError: "decline", badAnswer: "decline" } as const;

  it.each<[Policy, string, Reply | AskedReceiver, Decision, boolean]>([
    ["timeout", "timeout", noAnswer, "approve", true],
    ["timeout", "timeout", noAnswer, "decline", false],
    ["timeout", "timeout", noAnswer, { approveUpTo: 3_000 }, true],
    ["timeout", "timeout", noAnswer, { approveUpTo: 2_999 }, false],
    ["timeout", "timeout", { asked: false, why: "timeout", failure: "timeout" }, "approve", true],
    ["connectionError", "connection_error", { kind: "connection_error", detail: "refused" }, "approve", true],
    ["badAnswer", "bad_answer", { kind: "bad_answer", detail: "HTTP 500" }, "approve", true],
    ["timeout", "circuit_open", { asked: false, why: "circuit_open", failure: "timeout" }, "approve", true],
    [
      ...(["connectionError", "circuit_open"] as const),
      { asked: false, why: "circuit_open", failure: "connection_error" },
      ...(["approve", true] as const),
    ],
  ])("decides by the policy for %s: %s, %o, %o", async (policy, reason, reply, standIn, approved) => {
    const network = await given(() => reply, { standIn: { ...decliningAll, [policy]: standIn } });
    const answer = await network.apply({ ...authorization, eventId: "e1" });
    expect(answer).toMatchObject({ approved, decidedBy: "stand_in" });
    expect(answer.declineReason).toBe(approved ? undefined : "STAND_IN_DECLINED");
    expect(await network.record(answer.transId)).toMatchObject({ transType: approved ? 14 : 77 });
    expect(await network.balances()).toEqual(approved ? [7_000, 3_000, 10_000] : [10_000, 0, 10_000]);
    const record = (await network.everything()).find(({ sk }) => sk === "EVENT");
    expect(record).toMatchObject({ decision: { decidedBy: "stand_in", reason } });
  });
});

describe("an open question", () => {
  it("reserves the money, and publishes nothing", async () => {
    const network = await givenOpen();
    expect(await network.balances()).toEqual([7_000, 3_000, 10_000]);
    expect(await recorded(network)).toEqual([]);
    expect(await published(network)).toEqual([]);
    const rest = await network.apply({ ...authorization, authorizationId: "B", amount: 7_001 });
    expect(rest).toMatchObject({ approved: false, decidedBy: "platform" });
    network.reply({ kind: "approve", amountMinor: 3_000 });
    expect(await network.answered).toMatchObject({ approved: true });
    expect(await network.balances()).toEqual([7_000, 3_000, 10_000]);
  });

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

  it("is rejected under another event", async () => {
    const network = await givenOpen();
    const second = await network.send({ ...authorization, eventId: "e2" });
    expect(second).toEqual({ outcome: "refused", code: "ILLEGAL_TRANSITION" });
    network.reply(decline);
    expect(await network.answered).toMatchObject({ approved: false });
    expect(await network.send({ ...authorization, eventId: "e2" })).toEqual(second);
  });
});

it("asks about no more than the balance after a partial approval of the platform", async () => {
  const network = await given();
  await network.setProgram({ partialApproval: true });
  const answer = await network.apply({ ...authorization, amount: 12_000, partialApprovalSupported: true });
  expect(network.receiver.questions).toEqual([
    expect.objectContaining({ amount: 10_000, availableBalance: 10_000 }),
  ]);
  expect(answer).toMatchObject({ approved: true, amount: 10_000 });
  expect(await network.balances()).toEqual([0, 10_000, 10_000]);
});

it("takes few round trips, also when the endpoint is read anew", async () => {
  const network = await given();
  const authorize = (authorizationId: string) =>
    measure(() => network.apply({ ...authorization, amount: 100, authorizationId }));
  await authorize("first");
  for (const later of [0, 10_000]) {
    moveClock(later);
    const { cost } = await authorize(`after-${later}`);
    // The circuit is read beside the others, and may take longer.
    expect(cost.roundTrips).toBeLessThanOrEqual(5);
  }
});

it("an increment waits for the answer to its authorization", async () => {
  const network = await givenOpen();
  const increment = {
    kind: "authorization_incremental",
    authorizationId: A,
    amount: 100,
    eventId: "e2",
  } as const;
  const answer: ProcessorResult = await network.send(increment);
  expect(answer).toEqual({ outcome: "refused", code: "NOT_FOUND" });
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
    expect(await dueAs(network)).toBeUndefined();
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
    expect(await dueAs(network)).toBeUndefined();
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
  it("leaves a reservation that the sweep releases", async () => {
    const network = await givenOpen();
    network.kill();
    await expect(network.answered).rejects.toThrow("killed");
    expect(await network.balances()).toEqual([7_000, 3_000, 10_000]);
    await sweepOnce();
    expect(await network.balances()).toEqual([7_000, 3_000, 10_000]);
    moveClock(lapsedMs);
    await sweepOnce();
    expect(await network.balances()).toEqual([10_000, 0, 10_000]);
    const declined = { approved: false, declineReason: "STAND_IN_DECLINED", decidedBy: "stand_in" };
    expect(await network.send(network.told)).toMatchObject(declined);
    const record = (await network.everything()).find(({ sk }) => sk === "EVENT");
    expect(record?.decision).toMatchObject({ reason: "lost" });
  });

  it("gets one answer for the network's retries, without a sweep", async () => {
    const network = await givenOpen();
    network.kill();
    const retries = [network.send(network.told), network.send(network.told)];
    const [one, other] = await Promise.all(retries);
    expect(one).toMatchObject({ approved: false, declineReason: "STAND_IN_DECLINED" });
    expect(other).toEqual(one);
    expect(await network.send(network.told)).toEqual(one);
    expect(network.receiver.questions).toHaveLength(1);
    expect(await network.balances()).toEqual([10_000, 0, 10_000]);
  });

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
