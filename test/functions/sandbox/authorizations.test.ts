import { describe, expect, it } from "vitest";
import { newId } from "../../../shared/id.ts";
import { givenCard } from "../../harness/books.ts";
import { givenSandbox } from "./given-sandbox.ts";

const unknownHold = "hld_0000000000000000000000NB0D";
const transId = expect.stringMatching(/^txn_/);
const balances = (availableBalance: number, ledgerBalance: number) => ({ availableBalance, ledgerBalance });

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

  it("200: approves a part where the Program allows it", async () => {
    const sandbox = await givenSandbox();
    await sandbox.setProgram({ partialApproval: true });
    const { body } = await sandbox.onCard("authorizations", { amount: 10_001 });
    expect(body.data).toMatchObject({ approved: true, amount: 10_000 });
  });

  it("200: exactly as many of thirty at once as the card can pay are approved", async () => {
    const sandbox = await givenSandbox();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => sandbox.onCard("authorizations", { amount: 500 })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(answers.filter(({ body }) => body.data.approved)).toHaveLength(20);
    expect(await sandbox.balances()).toEqual([0, 10_000, 10_000]);
  });

  it("404: a card of nobody, or of another Program", async () => {
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
    const cardId = await givenCard(sandbox.programId);
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

  it("404: an authorization of nobody, or of another Program", async () => {
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

describe("POST /authorizations/{authorizationId}/clear", () => {
  it("200: settles what is held where no amount is given", async () => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(1_000);
    const { status, body } = await sandbox.onHold(authorizationId, "clear", {});
    expect(status).toBe(200);
    expect(body.data).toEqual({ transId, ...balances(9_000, 9_000) });
    expect(await sandbox.balances()).toEqual([9_000, 0, 9_000]);
  });

  it("200: an empty body will do", async () => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(1_000);
    expect((await sandbox.onHold(authorizationId, "clear")).body.data).toMatchObject(balances(9_000, 9_000));
  });

  it("200: with another amount, final or not", async () => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(1_000);
    const part = await sandbox.onHold(authorizationId, "clear", { amount: 300, final: false });
    expect(part.body.data).toMatchObject(balances(9_000, 9_700));
    const rest = await sandbox.onHold(authorizationId, "clear", { amount: 900 });
    expect(rest.body.data).toMatchObject(balances(8_800, 8_800));
    const late = await sandbox.onHold(authorizationId, "clear", { amount: 100 });
    expect(late.body.data).toMatchObject(balances(8_700, 8_700));
  });

  it("422: where nothing is held and no amount is given", async () => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(1_000);
    await sandbox.onHold(authorizationId, "expire");
    const { status, body } = await sandbox.onHold(authorizationId, "clear", {});
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ path: "body.amount", code: "required" }]);
    expect(await sandbox.balances()).toEqual([10_000, 0, 10_000]);
  });

  it("the same Idempotency-Key gets the first answer again, balances included, and moves money once", async () => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(1_000);
    const key = { "Idempotency-Key": "one" };
    const first = await sandbox.onHold(authorizationId, "clear", {}, key);
    await sandbox.onCard("force-post", { amount: 5 });
    const again = await sandbox.onHold(authorizationId, "clear", {}, key);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await sandbox.balances()).toEqual([8_995, 0, 8_995]);
  });
});

describe("POST /authorizations/{authorizationId}/reverse", () => {
  it("200: releases all, or a part", async () => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(1_000);
    const part = await sandbox.onHold(authorizationId, "reverse", { amount: 400 });
    expect(part.body.data).toEqual(balances(9_400, 10_000));
    const rest = await sandbox.onHold(authorizationId, "reverse", {});
    expect(rest.body.data).toEqual(balances(10_000, 10_000));
  });

  it("422: more than is held, and nothing changes", async () => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(1_000);
    await sandbox.onHold(authorizationId, "reverse", { amount: 400 });
    const { status, body } = await sandbox.onHold(authorizationId, "reverse", { amount: 601 });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ path: "body.amount", code: "too_big" }]);
    expect(await sandbox.balances()).toEqual([9_400, 600, 10_000]);
  });

  it.each([
    ["reversed", "reverse", {}],
    ["reversed by its exact amount", "reverse", { amount: 1_000 }],
    ["expired", "expire", undefined],
    ["cleared", "clear", {}],
    ["cleared in a part that was all", "clear", { final: false }],
  ] as const)("409: after it was %s", async (_, what, body) => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(1_000);
    await sandbox.onHold(authorizationId, what, body);
    const before = await sandbox.balances();
    const answer = await sandbox.onHold(authorizationId, "reverse", {});
    expect([answer.status, answer.body.code]).toEqual([409, "ILLEGAL_TRANSITION"]);
    expect(await sandbox.balances()).toEqual(before);
  });

  it("of parts that race: never more than is held is released, the others are told so", async () => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(100);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => sandbox.onHold(authorizationId, "reverse", { amount: 30 })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 422, 422, 422]);
    expect(await sandbox.balances()).toEqual([9_990, 10, 10_000]);
  });

  it("the same Idempotency-Key gets the first answer again although the authorization is finished", async () => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(1_000);
    const key = { "Idempotency-Key": "one" };
    const first = await sandbox.onHold(authorizationId, "reverse", {}, key);
    const again = await sandbox.onHold(authorizationId, "reverse", {}, key);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await sandbox.onHold(authorizationId, "reverse", { amount: 1 }, key)).body.code).toBe(
      "IDEMPOTENCY_MISMATCH",
    );
  });
});

describe("POST /authorizations/{authorizationId}/expire", () => {
  it("200: releases all; 409: a second time", async () => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(1_000);
    const first = await sandbox.onHold(authorizationId, "expire");
    expect([first.status, first.body.data]).toEqual([200, balances(10_000, 10_000)]);
    const again = await sandbox.onHold(authorizationId, "expire");
    expect([again.status, again.body.code]).toEqual([409, "ILLEGAL_TRANSITION"]);
    expect(await sandbox.balances()).toEqual([10_000, 0, 10_000]);
  });
});
