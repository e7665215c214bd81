import { afterEach, describe, expect, it, vi } from "vitest";
import { handler as controlsApi } from "../../../functions/controls/handler.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { givenNetwork, type Told } from "../../harness/given-network.ts";
import { approve, givenReceiver, heldBack } from "../../harness/given-receiver.ts";
import { replay } from "../../harness/replay.ts";
import { given, lapsedMs, moveClock, published, recorded, sweepOnce } from "./given-decisions.ts";
import { usageOf } from "./usage-of.ts";

afterEach(() => void vi.useRealTimers());

const withdrawal = { kind: "atm_withdrawal", amount: 4_000, feeAmount: 250 } as const;
const declinedBy = (decidedBy: string, declineReason: string) => ({
  approved: false,
  declineReason,
  decidedBy,
});

/** A withdrawal whose question is open, under a control that counts it. */
async function givenOpen(event: Partial<Told> = {}) {
  const network = await givenNetwork();
  const velocity = { amount: 5_000, count: 2, window: "day" } as const;
  const [controlId = ""] = await givenActiveControls(network, [{ owner: "card", rules: { velocity } }]);
  const open = heldBack();
  const receiver = await givenReceiver(network.programId, open.answer);
  const told = { ...withdrawal, eventId: "e1", ...event } as Told;
  const answered = network.send(told);
  answered.catch(() => {});
  const question = await open.asked;
  receiver.answer(approve);
  const usage = () => usageOf(network.programId, controlId);
  return { ...network, ...open, receiver, told, answered, question, usage };
}

const counting = (amount: number, count: number) => ({ used: { amount, count }, sum: { amount, count } });

describe("an ATM withdrawal where the Program has an authorization endpoint", () => {
  it("is asked about as cash, with its fee beside the amount", async () => {
    const network = await given();
    await network.apply({ ...withdrawal, entryMode: "chip", mcc: "6011", merchantName: "ATM 12" });
    expect(network.receiver.questions).toEqual([
      expect.objectContaining({
        ...{ kind: "atm_withdrawal", amount: 4_000, feeAmount: 250, availableBalance: 10_000 },
        ...{ entryMode: "chip", partialApprovalSupported: false, merchantAmount: 4_000 },
        authorizationId: expect.stringMatching(/^hld_/),
        merchant: expect.objectContaining({ name: "ATM 12", mcc: "6011" }),
      }),
    ]);
  });

  it("is posted with its fee once it is approved", async () => {
    const network = await given();
    const answer = await network.apply(withdrawal);
    expect(answer).toMatchObject({ approved: true, amount: 4_000, decidedBy: "receiver" });
    expect(answer).not.toHaveProperty("authorizationId");
    expect(await network.balances()).toEqual([5_750, 0, 5_750]);
    const record = { transType: 36, transStatus: 3, amountMinor: 4_000, feeId: answer.feeId };
    expect(await network.record(answer.transId)).toMatchObject({ ...record, decidedBy: "receiver" });
    expect(await network.record(answer.feeId)).toMatchObject({
      amountMinor: 250,
      relatedTransId: answer.transId,
    });
    expect(await published(network)).toEqual(["transaction.posted"]);
  });

  it("reserves amount and fee while its question is open, and counts the amount", async () => {
    const network = await givenOpen();
    expect(await network.balances()).toEqual([5_750, 4_250, 10_000]);
    expect(await recorded(network as never)).toEqual([]);
    expect(await network.usage()).toEqual(counting(4_000, 1));
    const another = await network.apply({ ...withdrawal, amount: 1_001 });
    expect(another).toMatchObject(declinedBy("platform", "CONTROL_DECLINED"));
    network.reply({ kind: "approve", amountMinor: 4_000 });
    await network.answered;
    expect(await network.balances()).toEqual([5_750, 0, 5_750]);
    expect(await network.usage()).toEqual(counting(4_000, 1));
  });

  it("is charged the fee that was reserved, whatever the schedule says by then", async () => {
    const network = await givenOpen({ feeAmount: 300 });
    await network.setProgram({ feeSchedule: [{ feeType: 3, amount: 900, basisPoints: 0 }] });
    network.reply({ kind: "approve", amountMinor: 4_000 });
    await network.answered;
    expect(await network.balances()).toEqual([5_700, 0, 5_700]);
    const scheduled = await given();
    await scheduled.setProgram({ feeSchedule: [{ feeType: 3, amount: 900, basisPoints: 0 }] });
    await scheduled.apply({ kind: "atm_withdrawal", amount: 100 });
    expect(scheduled.receiver.questions).toEqual([expect.objectContaining({ amount: 100, feeAmount: 900 })]);
    expect(await scheduled.balances()).toEqual([9_000, 0, 9_000]);
  });

  it("is not asked about if card, balance or fee do not allow it", async () => {
    const network = await given();
    const answer = await network.apply({ ...withdrawal, amount: 9_751 });
    expect(answer).toMatchObject(declinedBy("platform", "INSUFFICIENT_FUNDS"));
    expect(network.receiver.questions).toEqual([]);
  });

  it("that the network approved is posted without a question", async () => {
    const network = await given();
    const answer = await network.apply({ ...withdrawal, advice: true });
    expect(answer).not.toHaveProperty("decidedBy");
    expect(network.receiver.questions).toEqual([]);
    expect(await network.balances()).toEqual([5_750, 0, 5_750]);
  });

  it.each([
    [4_000, true],
    [3_999, false],
  ])("is decided by the stand-in without its fee: up to %i", async (approveUpTo, isApproved) => {
    const timeout = { kind: "timeout", detail: "no answer" } as const;
    const standIn = { timeout: { approveUpTo }, connectionError: "decline", badAnswer: "decline" } as const;
    const network = await given(() => timeout, { standIn });
    const answer = await network.apply(withdrawal);
    expect(answer).toMatchObject({ approved: isApproved, decidedBy: "stand_in" });
    expect(await network.record(answer.transId)).toMatchObject({ transType: isApproved ? 36 : 77 });
    expect(await network.balances()).toEqual(isApproved ? [5_750, 0, 5_750] : [10_000, 0, 10_000]);
  });

  it("is asked about once: repetitions wait, and get the same answer", async () => {
    const network = await givenOpen();
    const repeated = [network.send(network.told), network.send(network.told)];
    network.reply({ kind: "approve", amountMinor: 4_000 });
    const first = await network.answered;
    expect(await Promise.all(repeated)).toEqual([first, first]);
    expect(await network.send(network.told)).toEqual(first);
    expect(network.receiver.questions).toHaveLength(1);
    expect(await network.balances()).toEqual([5_750, 0, 5_750]);
  });

  it("is declined when its question is lost: by the sweep, and for a repetition", async () => {
    const network = await givenOpen();
    network.kill();
    await expect(network.answered).rejects.toThrow();
    moveClock(lapsedMs);
    await sweepOnce();
    expect(await network.balances()).toEqual([10_000, 0, 10_000]);
    expect(await network.usage()).toEqual(counting(0, 0));
    expect(await network.send(network.told)).toMatchObject(declinedBy("stand_in", "STAND_IN_DECLINED"));
    expect(network.receiver.questions).toHaveLength(1);
  });

  it("is posted from what was reserved, also if the rest is gone and the card is closed", async () => {
    const network = await givenOpen();
    await network.apply({ kind: "fee", feeType: 5, amount: 5_800 });
    await network.setStatus(4);
    network.reply({ kind: "approve", amountMinor: 4_000 });
    expect(await network.answered).toMatchObject({ approved: true });
    expect(await network.balances()).toEqual([-50, 0, -50]);
  });

  it("under the network's reference can be reversed, and is asked about once", async () => {
    const network = await givenOpen({ authorizationId: "A" });
    expect(network.question.authorizationId).toBe("A");
    const other = { ...withdrawal, authorizationId: "A", eventId: "e2" };
    expect(await network.send(other)).toEqual({ outcome: "refused", code: "ILLEGAL_TRANSITION" });
    network.reply({ kind: "approve", amountMinor: 4_000 });
    expect(await network.answered).toMatchObject({ approved: true, authorizationId: "A" });
    await network.apply({ kind: "authorization_reversal", authorizationId: "A" });
    expect(await network.balances()).toEqual([9_750, 0, 9_750]);
    expect(await network.usage()).toEqual(counting(0, 0));
  });

  it("shows its decision under the id of the question", async () => {
    const network = await givenOpen();
    network.reply({ kind: "approve", amountMinor: 4_000 });
    await network.answered;
    const route = "GET /authorizations/{authorizationId}/decision";
    const { authorizationId } = network.question;
    const caller = { programId: network.programId };
    const { body } = await replay(controlsApi, apiEvent({ route, path: { authorizationId }, caller }));
    expect(body.data).toMatchObject({ decidedBy: "receiver", outcome: "approved", amount: 4_000 });
  });
});
