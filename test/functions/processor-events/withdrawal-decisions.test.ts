import { afterEach, describe, expect, it, vi } from "vitest";
import { handler as controlsApi } from "../../../functions/controls/handler.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { givenNetwork, type Told } from "../../harness/given-network.ts";
import { approve, givenReceiver, heldBack } from "../../harness/given-receiver.ts";
import { replay } from "../../harness/replay.ts";
import { given, published, recorded } from "./given-decisions.ts";
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
    expect(answer.authorizationId).toBeUndefined();
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
