import { afterEach, describe, expect, it, vi } from "vitest";
import { approve, decline, givenReceiver, heldBack } from "../../harness/given-receiver.ts";
import { lapsedMs, moveClock } from "../processor-events/given-decisions.ts";
import { givenSandbox } from "./given-sandbox.ts";

afterEach(() => void vi.useRealTimers());

const headers = { "Idempotency-Key": "7f6f0b1e-5a43-4f0c-9d56-1f4c2f0c8a11" };

describe("POST /cards/{cardId}/authorizations with an authorization endpoint", () => {
  it("200: says who decided", async () => {
    const sandbox = await givenSandbox();
    const receiver = await givenReceiver(sandbox.programId, approve);
    const { status, body } = await sandbox.onCard("authorizations", { amount: 100 });
    expect([status, body.data]).toEqual([
      200,
      expect.objectContaining({ approved: true, decidedBy: "receiver" }),
    ]);
    receiver.answer(() => decline);
    const declined = await sandbox.onCard("authorizations", { amount: 100 });
    expect(declined.body.data).toMatchObject({ declineReason: "RECEIVER_DECLINED", decidedBy: "receiver" });
    expect(await sandbox.balances()).toEqual([9_900, 100, 10_000]);
  });

  it("a repetition with its key waits for the answer, and reserves nothing more", async () => {
    const sandbox = await givenSandbox();
    const question = heldBack();
    const receiver = await givenReceiver(sandbox.programId, question.answer);
    const first = sandbox.onCard("authorizations", { amount: 100 }, headers);
    await question.asked;
    const second = sandbox.onCard("authorizations", { amount: 100 }, headers);
    await vi.waitFor(async () => expect(await sandbox.cardBalances()).toEqual([9_900, 100, 10_000]));
    question.reply({ kind: "approve", amountMinor: 100 });
    const [one, other] = await Promise.all([first, second]);
    expect(one.body.data).toMatchObject({ approved: true, amount: 100 });
    expect(other.body).toEqual(one.body);
    const third = await sandbox.onCard("authorizations", { amount: 100 }, headers);
    expect(third.body).toEqual(one.body);
    expect(receiver.questions).toHaveLength(1);
    expect(await sandbox.balances()).toEqual([9_900, 100, 10_000]);
    const mismatch = await sandbox.onCard("authorizations", { amount: 200 }, headers);
    expect(mismatch.body).toMatchObject({ code: "IDEMPOTENCY_MISMATCH" });
  });

  it("a repetition after a kill gets the lapse, once", async () => {
    const sandbox = await givenSandbox();
    const question = heldBack();
    const receiver = await givenReceiver(sandbox.programId, question.answer);
    const first = sandbox.onCard("authorizations", { amount: 100 }, headers);
    await question.asked;
    question.kill();
    expect((await first).status).toBe(500);
    moveClock(lapsedMs);
    const again = await sandbox.onCard("authorizations", { amount: 100 }, headers);
    expect(again.body.data).toMatchObject({ approved: false, declineReason: "STAND_IN_DECLINED" });
    expect((await sandbox.onCard("authorizations", { amount: 100 }, headers)).body).toEqual(again.body);
    expect(receiver.questions).toHaveLength(1);
    expect(await sandbox.balances()).toEqual([10_000, 0, 10_000]);
  });
});
