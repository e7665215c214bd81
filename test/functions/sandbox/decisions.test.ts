import { afterEach, describe, expect, it, vi } from "vitest";
import { givenReceiver, heldBack } from "../../harness/given-receiver.ts";
import { givenSandbox } from "./given-sandbox.ts";

afterEach(() => void vi.useRealTimers());

const headers = { "Idempotency-Key": "7f6f0b1e-5a43-4f0c-9d56-1f4c2f0c8a11" };

describe("POST /cards/{cardId}/authorizations with an authorization endpoint", () => {
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
});
