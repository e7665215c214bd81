import { afterEach, expect, it, vi } from "vitest";
import type { ControlRules } from "../../../shared/contract/controls.ts";
import { controlDelete, controls } from "../../../shared/controls/control.ts";
import { cardRulebooks, noCardControls } from "../../../shared/controls/rulebooks.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { approve, decline, givenReceiver, heldBack } from "../../harness/given-receiver.ts";
import { usageOf } from "./usage-of.ts";

afterEach(() => void vi.useRealTimers());

const kind = "authorization";
const shop = { merchantId: "M1", mcc: "5411" } as const;

async function given(rules: ControlRules) {
  const network = await givenNetwork();
  const [controlId = ""] = await givenActiveControls(network, [{ owner: "card", rules }]);
  const receiver = await givenReceiver(network.programId, approve);
  const purchase = (authorizationId: string, amount: number, more: object = {}) =>
    network.apply({ kind, authorizationId, amount, ...shop, ...more });
  const open = async (amount: number) => {
    const question = heldBack();
    receiver.answer(question.answer);
    const answered = purchase("A", amount, { eventId: "e1", partialApprovalSupported: true });
    answered.catch(() => {});
    await question.asked;
    receiver.answer(approve);
    return { ...question, answered };
  };
  return {
    ...network,
    receiver,
    controlId,
    purchase,
    open,
    usage: () => usageOf(network.programId, controlId),
  };
}

const daily: ControlRules = { velocity: { amount: 1_000, count: 2, window: "day" } };

it("a declined purchase leaves a single use unused", async () => {
  const network = await given({ singleUse: true });
  const question = await network.open(800);
  expect(await network.purchase("B", 100)).toMatchObject({ declineReason: "CONTROL_DECLINED" });
  question.reply(decline);
  await question.answered;
  expect(await network.purchase("C", 100)).toMatchObject({ approved: true });
  expect(await network.purchase("D", 100)).toMatchObject({ declineReason: "CONTROL_DECLINED" });
});

it("a declined purchase locks to no merchant, unless another was approved there", async () => {
  const network = await given({ merchantLock: true });
  const first = await network.open(800);
  const elsewhere = { merchantId: "M2" };
  expect(await network.purchase("B", 100, elsewhere)).toMatchObject({ declineReason: "CONTROL_DECLINED" });
  first.reply(decline);
  await first.answered;
  expect(await network.purchase("C", 100, elsewhere)).toMatchObject({ approved: true });
  network.receiver.answer(() => decline);
  expect(await network.purchase("D", 100, elsewhere)).toMatchObject({ declineReason: "RECEIVER_DECLINED" });
  network.receiver.answer(approve);
  expect(await network.purchase("E", 100)).toMatchObject({ declineReason: "CONTROL_DECLINED" });
  expect(await network.purchase("F", 100, elsewhere)).toMatchObject({ approved: true });
});

it("a control that is deleted while the question is open changes nothing about it", async () => {
  const network = await given(daily);
  const { programId, cardId, controlId } = network;
  const question = await network.open(800);
  const control = await controls.at(programId, controlId).require();
  await transact([
    controlDelete(programId, control),
    cardRulebooks.at(programId, cardId).put({ ...noCardControls, version: 2 }),
  ]);
  question.reply(decline);
  expect(await question.answered).toMatchObject({ declineReason: "RECEIVER_DECLINED" });
  expect(await network.balances()).toEqual([10_000, 0, 10_000]);
});
