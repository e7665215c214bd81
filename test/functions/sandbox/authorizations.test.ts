import { describe, expect, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import { givenSandbox } from "./given-sandbox.ts";

const unknownHold = "hld_0000000000000000000000NB0D";
const transId = expect.stringMatching(/^txn_/);

describe("POST /cards/{cardId}/authorizations", () => {
  it("200: approves and holds", async () => {
    const sandbox = await givenSandbox();
    const { status, body } = await sandbox.onCard("authorizations", {
      amount: 1_500,
      merchantName: "Corner Shop",
      mcc: "5411",
      merchantCountry: "GB",
      srcAmount: 1_200,
      srcCurrency: "826",
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      status: "success",
      data: {
        authorizationId: expect.stringMatching(/^hld_/),
        approved: true,
        amount: 1_500,
        transId,
      },
    });
    expect(await sandbox.balances()).toEqual([8_500, 1_500, 10_000]);
    expect(await sandbox.record(body.data.transId)).toMatchObject({
      merchantName: "Corner Shop",
      srcAmountMinor: 1_200,
      srcCurrency: "826",
    });
  });

  it.each(["authorizations", "atm-withdrawals"] as const)(
    "200: %s know the entry mode, 422: no other",
    async (operation) => {
      const sandbox = await givenSandbox();
      const known = await sandbox.onCard(operation, { amount: 100, entryMode: "contactless" });
      expect([known.status, known.body.data.approved]).toEqual([200, true]);
      const { status, body } = await sandbox.onCard(operation, { amount: 100, entryMode: "swipe" });
      expect([status, body.errors[0].path]).toEqual([422, "body.entryMode"]);
    },
  );

  it("200: declines with the reason, and holds nothing", async () => {
    const sandbox = await givenSandbox();
    const { status, body } = await sandbox.onCard("authorizations", { amount: 10_001 });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      authorizationId: expect.any(String),
      approved: false,
      declineReason: "INSUFFICIENT_FUNDS",
      amount: 0,
      transId,
    });
    expect(await sandbox.balances()).toEqual([10_000, 0, 10_000]);
  });

  it("200: approves a part where the Program allows it and the terminal supports it", async () => {
    const sandbox = await givenSandbox();
    await sandbox.setProgram({ partialApproval: true });
    const whole = await sandbox.onCard("authorizations", { amount: 10_001 });
    expect(whole.body.data).toMatchObject({ approved: false, amount: 0 });
    const asked = { amount: 10_001, partialApprovalSupported: true };
    const { body } = await sandbox.onCard("authorizations", asked);
    expect(body.data).toMatchObject({ approved: true, amount: 10_000 });
  });

  it("404: an unknown card, and one of another Program", async () => {
    const [ours, theirs] = [await givenSandbox(), await givenSandbox()];
    const before = await theirs.everything();
    for (const cardId of [newId("card"), theirs.cardId]) {
      const answer = await ours.post("/cards/{cardId}/authorizations", { cardId }, { amount: 1 });
      expect([answer.status, answer.body.code]).toEqual([404, "NOT_FOUND"]);
    }
    expect(await theirs.everything()).toEqual(before);
  });

  it("422: every wrong value is listed", async () => {
    const sandbox = await givenSandbox();
    const { status, body } = await sandbox.onCard("authorizations", {
      amount: 0,
      mcc: "54",
      srcCurrency: "EUR",
      merchantCountry: "XX",
    });
    expect(status).toBe(422);
    expect(body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      "body.amount",
      "body.mcc",
      "body.merchantCountry",
      "body.srcCurrency",
    ]);
  });

  it("the same Idempotency-Key gets the first answer again, and holds once", async () => {
    const sandbox = await givenSandbox();
    const key = { "Idempotency-Key": "one" };
    const first = await sandbox.onCard("authorizations", { amount: 100 }, key);
    const again = await sandbox.onCard("authorizations", { amount: 100 }, key);
    expect(again.body).toEqual(first.body);
    expect((await sandbox.onCard("authorizations", { amount: 101 }, key)).body.code).toBe(
      "IDEMPOTENCY_MISMATCH",
    );
    expect(await sandbox.balances()).toEqual([9_900, 100, 10_000]);
  });
});

describe("POST /cards/{cardId}/authorization-advices", () => {
  it("200: holds what the card cannot pay, and adds to an authorization that is named", async () => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(9_000);
    const { body } = await sandbox.onCard("authorization-advices", { amount: 2_000, authorizationId });
    expect(body.data).toEqual({ authorizationId, approved: true, amount: 2_000, transId });
    expect(await sandbox.balances()).toEqual([-1_000, 11_000, 10_000]);
    await sandbox.onHold(authorizationId, "reverse");
    expect(await sandbox.balances()).toEqual([10_000, 0, 10_000]);
  });

  it("409: an authorization of another card", async () => {
    const sandbox = await givenSandbox();
    const cardId = await givenStoredCard(sandbox.programId);
    const authorizationId = await sandbox.authorized(10);
    const answer = await sandbox.post(
      "/cards/{cardId}/authorization-advices",
      { cardId },
      { amount: 1, authorizationId },
    );
    expect([answer.status, answer.body.code]).toEqual([409, "ILLEGAL_TRANSITION"]);
  });
});

describe("POST /authorizations/{authorizationId}/increment", () => {
  it("200: holds more, or declines", async () => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(9_000);
    const more = await sandbox.onHold(authorizationId, "increment", { amount: 500 });
    expect(more.body.data).toEqual({ authorizationId, approved: true, amount: 500, transId });
    const tooMuch = await sandbox.onHold(authorizationId, "increment", { amount: 501 });
    expect(tooMuch.body.data).toMatchObject({
      approved: false,
      declineReason: "INSUFFICIENT_FUNDS",
      amount: 0,
    });
    await sandbox.onHold(authorizationId, "reverse");
    const late = await sandbox.onHold(authorizationId, "increment", { amount: 1 });
    expect(late.body.data).toMatchObject({ approved: false, declineReason: "AUTHORIZATION_FINISHED" });
    expect(await sandbox.balances()).toEqual([10_000, 0, 10_000]);
  });

  it("404: an unknown authorization, and one of another Program", async () => {
    const [ours, theirs] = [await givenSandbox(), await givenSandbox()];
    const authorizationId = await theirs.authorized(10);
    for (const id of [unknownHold, authorizationId]) {
      for (const [what, body] of [
        ["increment", { amount: 1 }],
        ["clear", {}],
        ["reverse", {}],
        ["expire"],
      ] as const) {
        expect((await ours.onHold(id, what, body)).status).toBe(404);
      }
    }
    expect(await theirs.balances()).toEqual([9_990, 10, 10_000]);
  });
});
