import { describe, expect, it } from "vitest";
import { givenSandbox } from "./given-sandbox.ts";

const transId = expect.stringMatching(/^txn_/);
const balances = (availableBalance: number, ledgerBalance: number) => ({ availableBalance, ledgerBalance });

describe("POST /authorizations/{authorizationId}/clear", () => {
  it("200: settles the whole hold without an amount", async () => {
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

  it("simultaneous partial reversals never release more than is held", async () => {
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
