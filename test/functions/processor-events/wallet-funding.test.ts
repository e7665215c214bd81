import { describe, expect, it } from "vitest";
import { splitWallet } from "../../../shared/ledger/hot/split-wallet.ts";
import { parseNotification } from "../../../shared/notifications/stored-notification.ts";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { approve, givenReceiver } from "../../harness/given-receiver.ts";
import { measure } from "../../harness/measure.ts";
import { givenFundedCards } from "./given-funded-cards.ts";

const A = "A";
const authorization = (amount: number, authorizationId = A) =>
  ({ kind: "authorization", authorizationId, amount }) as const;

describe("an authorization of a Card that spends from a Wallet", () => {
  it("takes one round trip once its Card is known", async () => {
    const { apply, send } = await givenFundedCards();
    await apply(authorization(1));
    const { cost } = await measure(() => send(authorization(1, "B")));
    expect(cost.roundTrips).toBe(1);
  });

  it("is declined if the whole Wallet lacks it, also where its shards have parts of it", async () => {
    const { programId, apply, balances, walletId } = await givenFundedCards(6_500);
    await splitWallet(programId, { kind: "wallet", accountId: walletId }, 0);
    expect(await apply(authorization(6_400))).toMatchObject({ approved: true });
    expect(await apply(authorization(101, "B"))).toMatchObject({
      approved: false,
      declineReason: "INSUFFICIENT_FUNDS",
    });
    expect(await apply(authorization(100, "C"))).toMatchObject({ approved: true });
    expect(await balances()).toEqual([0, 6_500, 6_500]);
  });

  it("is asked about with what the whole Wallet leaves the Card, never a debt", async () => {
    const { programId, apply, balances, walletId } = await givenFundedCards();
    await splitWallet(programId, { kind: "wallet", accountId: walletId }, 0);
    const { questions } = await givenReceiver(programId, approve);
    expect(await apply(authorization(3_000))).toMatchObject({ approved: true, decidedBy: "receiver" });
    // What is held already needs no money.
    await apply({ ...authorization(500, "B"), kind: "authorization_advice", total: true });
    await apply({ kind: "fee", feeType: 5, amount: 8_000 });
    expect(await apply(authorization(500, "B"))).toMatchObject({ approved: true, decidedBy: "receiver" });
    expect(questions.map(({ availableBalance }) => availableBalance)).toEqual([10_000, 0]);
    expect(await balances()).toEqual([-1_500, 3_500, 2_000]);
  });

  it.each([false, true])("is declined for the Wallet before controls, split: %s", async (isSplit) => {
    const { apply, programId, cardId, walletId } = await givenFundedCards(100);
    const rules = { velocity: { window: "authorization", amount: 60 } } as const;
    await givenActiveControls({ programId, cardId }, [{ owner: "program", rules }]);
    if (isSplit) await splitWallet(programId, { kind: "wallet", accountId: walletId }, 0);
    const cash = { kind: "atm_withdrawal", cash: true } as const;
    for (const [amount, declineReason] of [
      [101, "INSUFFICIENT_FUNDS"],
      [61, "CONTROL_DECLINED"],
    ] as const) {
      expect(await apply(authorization(amount, `first-${amount}`))).toMatchObject({ declineReason });
      expect(await apply({ ...cash, amount, feeAmount: 0 })).toMatchObject({ declineReason });
    }
    expect(await apply(authorization(60))).toMatchObject({ approved: true });
    const increment = { kind: "authorization_incremental", authorizationId: A } as const;
    expect(await apply({ ...increment, amount: 41 })).toMatchObject({ declineReason: "INSUFFICIENT_FUNDS" });
    expect(await apply({ ...increment, amount: 40 })).toMatchObject({ declineReason: "CONTROL_DECLINED" });
  });
});

it("tells receivers the ledger balance of the whole Wallet after each of its Cards' postings", async () => {
  const { apply, addCard, everything } = await givenFundedCards();
  await apply({ kind: "clearing", amount: 1_000, final: true });
  await apply({ kind: "clearing", amount: 500, final: true, cardId: await addCard() });
  await apply({ kind: "refund", amount: 200 });
  const told = (await everything()).flatMap((item) => parseNotification(item) ?? []);
  const balances = told.map(({ body }) => {
    const { OriginalDataFromSp } = JSON.parse(JSON.parse(body).SpData);
    return Number(JSON.parse(OriginalDataFromSp).payload.balance);
  });
  expect(balances.toSorted()).toEqual([85, 87, 90]);
});

describe("Cards that spend from one Wallet at once", () => {
  const atOnce = async (walletMinor: number) => {
    const { cardIds, apply, balances } = await givenFundedCards(walletMinor, 50);
    const answers = await Promise.all(
      cardIds.map((cardId, index) => apply({ ...authorization(100, `A${index}`), cardId })),
    );
    const count = (isApproved: boolean) => answers.filter(({ approved }) => approved === isApproved).length;
    const reasons = new Set(answers.flatMap(({ declineReason }) => declineReason ?? []));
    return { approved: count(true), declined: count(false), reasons: [...reasons], left: await balances() };
  };

  it("are approved as long as it has the money, and no longer", async () => {
    expect(await atOnce(2_000)).toEqual({
      approved: 20,
      declined: 30,
      reasons: ["INSUFFICIENT_FUNDS"],
      left: [0, 2_000, 2_000],
    });
  });

  it("are all approved if it has enough", async () => {
    const { approved, left } = await atOnce(1_000_000);
    expect([approved, left]).toEqual([50, [995_000, 5_000, 1_000_000]]);
  });
});
