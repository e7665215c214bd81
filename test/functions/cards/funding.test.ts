import { describe, expect, it } from "vitest";
import { handler as statements } from "../../../functions/statements/handler.ts";
import { handler as walletHandler } from "../../../functions/wallets/handler.ts";
import { now } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { topUpInSteps } from "../../../shared/top-ups/top-up-card.ts";
import { apiEvent, type EventOptions } from "../../harness/api-event.ts";
import { givenStoredWallet } from "../../harness/given-stored.ts";
import { replay } from "../../harness/replay.ts";
import { givenFundedCards } from "../processor-events/given-funded-cards.ts";

const A = "A";
const authorization = (amount: number, authorizationId = A) =>
  ({ kind: "authorization", authorizationId, amount }) as const;

async function givenFunding(walletMinor = 10_000) {
  const given = await givenFundedCards(walletMinor);
  const { programId, walletId, cardId, call } = given;
  const wallets = (route: EventOptions["route"], options: Partial<EventOptions> = {}) =>
    replay(walletHandler, apiEvent({ path: { walletId }, ...options, route, caller: { programId } }));
  const put = (body: object) => call("PUT /cards/{cardId}/funding", { body });
  /** The amounts of the Card's own statement of this month, which end at nothing. */
  const statement = async () => {
    const path = { cardId, period: now().toISOString().slice(0, 7) };
    const route = "GET /cards/{cardId}/statements/{period}";
    const { data } = (await replay(statements, apiEvent({ path, route, caller: { programId } }))).body;
    expect(data.closingBalance).toBe(0);
    return data.lines.map(({ amount }: { amount: number }) => amount);
  };
  return { ...given, wallets, put, statement };
}

describe("the balance of a Card that spends from a Wallet", () => {
  it("is the Wallet's two, with what the Card may spend and holds", async () => {
    const { apply, addCard, call, walletId } = await givenFunding();
    await apply(authorization(1_000));
    await apply({ ...authorization(500, "B"), cardId: await addCard() });
    const { data } = (await call("GET /cards/{cardId}/balance")).body;
    expect(data).toMatchObject({
      availableBalance: 8_500,
      ledgerBalance: 10_000,
      fundingWalletId: walletId,
      spendable: 8_500,
      held: 1_000,
    });
    expect((await call("GET /cards/{cardId}/funding")).body.data).toEqual({
      fundingWalletId: walletId,
      spendable: 8_500,
      held: 1_000,
    });
  });

  it("changes nothing where it is set once more", async () => {
    const { put, walletId, everything } = await givenFunding();
    const before = await everything();
    expect((await put({ fundingWalletId: walletId })).status).toBe(200);
    expect(await everything()).toEqual(before);
  });

  it("is never shown below zero as what it may spend", async () => {
    const { apply, call } = await givenFunding(0);
    await apply({ kind: "clearing", amount: 300, final: true });
    expect((await call("GET /cards/{cardId}/balance")).body.data).toMatchObject({
      availableBalance: -300,
      spendable: 0,
    });
  });

  it("has its own holds in the aggregate line, and its records name the Wallet", async () => {
    const { apply, addCard, call, cardId, walletId } = await givenFunding();
    await apply(authorization(1_000));
    await apply({ ...authorization(500, "B"), cardId: await addCard() });
    await apply({ kind: "clearing", amount: 300, final: true });
    const { items } = (await call("GET /cards/transactions", { path: {}, query: { cardId } })).body;
    expect(items).toMatchObject([
      { transId: "pending", amount: 1_000 },
      { amount: 300, fundingWalletId: walletId },
    ]);
  });
});

describe("what moves money to or from a Card that spends from a Wallet", () => {
  it("is declined as a load, and refused as an unload", async () => {
    const { wallets, call, balances, programId, cardId, walletId } = await givenFunding();
    const body = {
      sourceWalletId: await givenStoredWallet(programId, 500),
      destinationType: 1,
      destinationId: cardId,
      amount: 100,
    };
    expect((await wallets("POST /wallets/transfer", { body, path: {} })).body.data).toMatchObject({
      transStatus: 2,
      declineReason: "CARD_FUNDED_BY_WALLET",
    });
    const unload = await call("POST /cards/{cardId}/unload", { body: { walletId, amount: 1 } });
    expect(unload).toMatchObject({ status: 409, body: { code: "CARD_FUNDED_BY_WALLET" } });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("is a deposit that goes to the Wallet", async () => {
    const { send, balances, cardId, walletId, everything } = await givenFunding();
    const deposit = {
      kind: "deposit_cleared",
      accountType: 1,
      accountId: cardId,
      amount: 700,
      channel: "bank",
    };
    expect(await send(deposit as never)).toMatchObject({ outcome: "applied" });
    expect(await balances()).toEqual([10_700, 0, 10_700]);
    expect(await balances(cardId)).toEqual([0, 0, 0]);
    expect(
      (await everything()).find(({ sk, amountMinor }) => sk === "DEPOSIT" && amountMinor === 700),
    ).toMatchObject({
      cardId,
      account: { kind: "wallet", accountId: walletId },
    });
  });
});

describe("PUT /cards/{cardId}/funding", () => {
  it("needs an empty Card, or moves what is on it", async () => {
    const { put, apply, balances, cardId, walletId } = await givenFunding();
    expect((await put({ fundingWalletId: null })).body.data).toEqual({
      fundingWalletId: null,
      spendable: 0,
      held: 0,
    });
    await apply({ kind: "refund", amount: 400 });
    const refused = await put({ fundingWalletId: walletId });
    expect(refused).toMatchObject({ status: 409, body: { code: "CARD_NOT_EMPTY" } });
    const moved = await put({ fundingWalletId: walletId, moveBalance: true });
    expect(moved.body.data).toEqual({ fundingWalletId: walletId, spendable: 10_400, held: 0 });
    expect(await balances(cardId)).toEqual([0, 0, 0]);
    expect(await balances()).toEqual([10_400, 0, 10_400]);
  });

  it("moves a debt, if the Wallet has it", async () => {
    const { put, apply, balances, cardId, walletId, setFunding } = await givenFunding(500);
    await setFunding(undefined);
    await apply({ kind: "clearing", amount: 501, final: true });
    expect((await put({ fundingWalletId: walletId })).body.code).toBe("CARD_NOT_EMPTY");
    const refused = await put({ fundingWalletId: walletId, moveBalance: true });
    expect(refused).toMatchObject({ status: 409, body: { code: "CARD_NOT_EMPTY" } });
    await apply({ kind: "refund", amount: 1 });
    const moved = await put({ fundingWalletId: walletId, moveBalance: true });
    expect(moved.body.data).toEqual({ fundingWalletId: walletId, spendable: 0, held: 0 });
    expect([await balances(cardId), await balances()]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it.each([
    ["clears", { kind: "deposit_cleared" }, [10_700, 0, 10_700]],
    ["is reversed", { kind: "deposit_reversed" }, [10_000, 0, 10_000]],
    ["is returned early", { kind: "deposit_returned" }, [10_000, 0, 10_000]],
  ])("leaves a pending deposit, which goes on to the Wallet where it %s", async (_, event, left) => {
    const { put, send, balances, cardId, walletId, setFunding, statement } = await givenFunding();
    const depositId = newId("deposit");
    await setFunding(undefined);
    const deposit = { accountType: 1, accountId: cardId, amount: 700, channel: "bank", depositId };
    await send({ kind: "deposit_pending", ...deposit } as never);
    expect((await put({ fundingWalletId: walletId })).body.code).toBe("CARD_NOT_EMPTY");
    expect((await put({ fundingWalletId: walletId, moveBalance: true })).status).toBe(200);
    expect(await send({ ...event, depositId } as never)).toMatchObject({ outcome: "applied" });
    expect([await balances(cardId), await balances()]).toEqual([[0, 0, 0], left]);
    expect(await statement()).toEqual(event.kind === "deposit_cleared" ? [700, -700] : []);
  });

  it.each([undefined, 300])(
    "takes back from the Wallet what was deposited on the Card: %s",
    async (amount) => {
      const { put, send, balances, cardId, walletId, setFunding, statement } = await givenFunding(0);
      const depositId = newId("deposit");
      await setFunding(undefined);
      const deposit = { accountType: 1, accountId: cardId, amount: 700, channel: "bank", depositId };
      await send({ kind: "deposit_cleared", ...deposit } as never);
      await put({ fundingWalletId: walletId, moveBalance: true });
      const event = { kind: "deposit_returned", depositId, amount, eventId: "evt_1" };
      expect(await send(event as never)).toMatchObject({ outcome: "applied" });
      expect(await send(event as never)).toMatchObject({ outcome: "applied" });
      const left = amount === undefined ? 0 : 400;
      expect([await balances(cardId), await balances()]).toEqual([
        [0, 0, 0],
        [left, 0, left],
      ]);
      expect(await statement()).toEqual([700, -700, -(amount ?? 700), amount ?? 700]);
    },
  );

  it("leaves open holds where they were placed, and the next authorization asks the new Wallet", async () => {
    const { put, apply, balances, programId } = await givenFunding(1_000);
    const other = await givenStoredWallet(programId, 300);
    await apply(authorization(1_000));
    expect((await put({ fundingWalletId: other })).body.data).toMatchObject({ spendable: 300, held: 1_000 });
    expect(await apply(authorization(301, "B"))).toMatchObject({ declineReason: "INSUFFICIENT_FUNDS" });
    expect(await apply(authorization(300, "C"))).toMatchObject({ approved: true });
    const { transId: originalTransId } = await apply({
      kind: "clearing",
      authorizationId: A,
      amount: 900,
      final: true,
    });
    expect(await balances()).toEqual([100, 0, 100]);
    await apply({ kind: "refund", amount: 900, originalTransId });
    expect(await balances()).toEqual([1_000, 0, 1_000]);
    expect(await balances(other)).toEqual([0, 300, 300]);
  });

  it("moves all of the Card's money once, whatever else happens to it at once", async () => {
    const { put, send, balances, cardId, walletId, setFunding } = await givenFunding(0);
    await setFunding(undefined);
    await send({ kind: "refund", amount: 1_000 });
    const body = { fundingWalletId: walletId, moveBalance: true };
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => put(body)),
      ...Array.from({ length: 6 }, (_, index) => send(authorization(300, `race-${index}`))),
      ...Array.from({ length: 4 }, () => send({ kind: "refund", amount: 10 })),
    ]);
    expect(answers.slice(0, 4).map((answer) => (answer as { status: number }).status)).toEqual([
      200, 200, 200, 200,
    ]);
    const held = answers.filter((answer) => (answer as { approved?: boolean }).approved).length * 300;
    const [own = [], shared = []] = [await balances(cardId), await balances()];
    // What was held before stays on the Card. Nothing else does, and nothing is lost.
    expect(held).toBeGreaterThanOrEqual(300);
    expect([own[0], (own[1] ?? 0) + (shared[1] ?? 0)]).toEqual([0, held]);
    expect((own[2] ?? 0) + (shared[2] ?? 0)).toBe(1_040);
    const released = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        send({ kind: "authorization_reversal", authorizationId: `race-${index}` }),
      ),
    );
    expect(released).toHaveLength(6);
    expect([await balances(cardId), await balances()]).toEqual([
      [0, 0, 0],
      [1_040, 0, 1_040],
    ]);
  });

  it("ends a top-up's work: a Card that spends from a Wallet gets no money of its own", async () => {
    const { put, call, send, balances, cardId, walletId, programId, setFunding } = await givenFunding();
    await setFunding(undefined);
    const rule = { walletId, threshold: 1_000, amount: 500, active: true };
    expect((await call("PUT /cards/{cardId}/top-up", { body: rule })).status).toBe(200);
    await put({ fundingWalletId: walletId });
    await send(authorization(100));
    expect(await call("PUT /cards/{cardId}/top-up", { body: rule })).toMatchObject({
      ...{ status: 409, body: { code: "CARD_FUNDED_BY_WALLET" } },
    });
    await topUpInSteps({ programId, detail: { cardId } } as never);
    expect([await balances(cardId), await balances()]).toEqual([
      [0, 0, 0],
      [9_900, 100, 10_000],
    ]);
  });

  it("refuses a Wallet of no Program, and a Closed Card", async () => {
    const { put, setCard, walletId } = await givenFunding();
    expect((await put({ fundingWalletId: "wlt_01J9ZC3P2V8Q4N6T0B5W7XKD1M" })).status).toBe(404);
    await setCard({ issuerCardStatus: 3 });
    expect(await put({ fundingWalletId: null })).toMatchObject({ status: 409 });
    expect((await put({ fundingWalletId: walletId })).status).toBe(409);
  });

  it("keeps the Card open while it holds, also on a Wallet", async () => {
    const { call, apply } = await givenFunding();
    await apply(authorization(1_000));
    const close = () => call("POST /cards/{cardId}/close", { body: {} });
    expect(await close()).toMatchObject({ status: 409, body: { code: "CARD_NOT_EMPTY" } });
  });
});

describe("the Wallet's transactions", () => {
  it("name the Card, and add up to its ledger balance", async () => {
    const { apply, wallets, cardId } = await givenFunding();
    const { transId: originalTransId } = await apply({ kind: "clearing", amount: 300, final: true });
    await apply({ kind: "refund", amount: 100, originalTransId });
    await apply({ kind: "fee", feeType: 5, amount: 50 });
    await apply({ kind: "atm_withdrawal", amount: 200, feeAmount: 10 });
    const { items } = (await wallets("GET /wallets/{walletId}/transactions")).body;
    const own = items.filter((one: { cardId?: string }) => one.cardId === cardId);
    const shown = own.map(({ type, amount }: { type: string; amount: number }) => [type, amount]);
    expect(shown).toEqual(
      expect.arrayContaining([
        ["purchase", -300],
        ["refund", 100],
        ["fee", -50],
        ["cash", -210],
      ]),
    );
    const sum = items.reduce((total: number, { amount }: { amount: number }) => total + amount, 0);
    expect(sum).toBe(9_540);
  });
});
