import { describe, expect, it } from "vitest";
import { limitFields, newLimit } from "../../../shared/cards/limit.ts";
import { CardStatus, ChargebackDecision } from "../../../shared/contract/enums.ts";
import { splitWallet } from "../../../shared/ledger/hot/split-wallet.ts";
import { parseNotification } from "../../../shared/notifications/stored-notification.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { storedEntries } from "../../harness/books.ts";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { approve, givenReceiver } from "../../harness/given-receiver.ts";
import { givenStoredWallet } from "../../harness/given-stored.ts";
import { measure } from "../../harness/measure.ts";
import { givenFundedCards } from "./given-funded-cards.ts";

const A = "A";
const authorization = (amount: number, authorizationId = A) =>
  ({ kind: "authorization", authorizationId, amount }) as const;

describe("an authorization of a Card that spends from a Wallet", () => {
  it("holds on the Wallet, and its Card's own account gets nothing", async () => {
    const { apply, balances, cardId, walletId, everything } = await givenFundedCards();
    expect(await apply(authorization(1_000))).toMatchObject({ approved: true, amount: 1_000 });
    expect(await balances()).toEqual([9_000, 1_000, 10_000]);
    expect(await balances(cardId)).toEqual([0, 0, 0]);
    const items = await everything();
    const [held] = storedEntries(items).filter(({ entry }) => entry.kind === "hold_placed");
    expect(held?.pk.endsWith(`#${walletId}`)).toBe(true);
    expect(held?.entry).toMatchObject({
      cardId,
      postings: [
        { account: `${walletId}:available`, amountMinor: -1_000 },
        { account: `${walletId}:held`, amountMinor: 1_000 },
      ],
    });
    expect(items.find(({ sk }) => sk === "CARD")).toMatchObject({ fundedHeldMinor: 1_000 });
    expect(items.find(({ sk }) => sk === "HOLD")).toMatchObject({ fundingWalletId: walletId });
    expect(items.find(({ sk }) => sk.startsWith("TRANSACTION#"))).toMatchObject({
      fundingWalletId: walletId,
    });
  });

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

  it("is declined for its Card's own status first", async () => {
    const { apply, setCard } = await givenFundedCards(100);
    await apply(authorization(1));
    await setCard({ issuerCardStatus: 2 });
    expect(await apply(authorization(1_000, "B"))).toMatchObject({ declineReason: "CARD_ON_HOLD" });
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

  it("is approved in part up to what the Wallet has", async () => {
    const { apply, balances, setProgram } = await givenFundedCards(700);
    await setProgram({ partialApproval: true });
    const partly = { ...authorization(1_000), partialApprovalSupported: true };
    expect(await apply(partly)).toMatchObject({ approved: true, amount: 700 });
    expect(await balances()).toEqual([0, 700, 700]);
  });

  it("follows a Card whose funding has changed since the process met it", async () => {
    const { apply, balances, setFunding, cardId } = await givenFundedCards();
    await apply(authorization(1_000));
    await setFunding(undefined);
    expect(await apply(authorization(1, "B"))).toMatchObject({ declineReason: "INSUFFICIENT_FUNDS" });
    await apply({ kind: "clearing", authorizationId: A, amount: 1_000, final: true });
    expect(await balances()).toEqual([9_000, 0, 9_000]);
    expect(await balances(cardId)).toEqual([0, 0, 0]);
  });

  it("charges a Card with its own money again, though the process knew a Wallet", async () => {
    const { apply, balances, setFunding, cardId } = await givenFundedCards();
    await apply({ kind: "clearing", amount: 5 });
    await setFunding(undefined);
    await apply({ kind: "fee", feeType: 5, amount: 9 });
    expect([await balances(), await balances(cardId)]).toEqual([
      [9_995, 0, 9_995],
      [-9, 0, -9],
    ]);
  });
});

describe("what follows an authorization on a Wallet", () => {
  it("is cash with its fee", async () => {
    const { apply, balances } = await givenFundedCards(1_000);
    const cash = { kind: "atm_withdrawal", amount: 700, feeAmount: 50 } as const;
    expect(await apply(cash)).toMatchObject({ approved: true });
    expect(await apply(cash)).toMatchObject({ approved: false, declineReason: "INSUFFICIENT_FUNDS" });
    expect(await balances()).toEqual([250, 0, 250]);
  });

  it("is a balance at a till: what the Card may spend, and what it holds", async () => {
    const { apply, addCard } = await givenFundedCards();
    await apply(authorization(1_000));
    await apply({ ...authorization(500, "B"), cardId: await addCard() });
    expect(await apply({ kind: "balance_inquiry" })).toMatchObject({
      availableBalance: 8_500,
      ledgerBalance: 9_500,
    });
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

describe("what comes to a Card later", () => {
  const closed = { issuerCardStatus: CardStatus.closed, closedAt: "2026-01-01T00:00:00.000Z" };

  it("is the Wallet's that paid, also once the Card is closed or spends from another", async () => {
    const { apply, balances, setCard, setFunding, programId, cardId } = await givenFundedCards();
    const bought = { kind: "clearing", amount: 1_000, final: true } as const;
    const { transId: originalTransId } = await apply(bought);
    const second = await givenStoredWallet(programId, 500);
    await setFunding(second);
    const { transId: ofSecond } = await apply({ ...bought, amount: 400 });
    await setCard(closed);
    await apply({ kind: "refund", amount: 600, originalTransId });
    await apply({ kind: "refund", amount: 150, originalTransId: ofSecond });
    // What names none goes to the one that pays now.
    const { transId } = await apply({ kind: "refund", amount: 50 });
    expect([await balances(), await balances(second), await balances(cardId)]).toEqual([
      [9_600, 0, 9_600],
      [300, 0, 300],
      [0, 0, 0],
    ]);
    await apply({ kind: "refund_reversal", transId: transId ?? "" });
    await apply({ kind: "fee", feeType: 5, amount: 7 });
    expect(await balances(second)).toEqual([243, 0, 243]);
  });

  it("is approved as an increment that adds nothing, whatever the Wallet has, and whether or not it is read", async () => {
    const { apply, balances } = await givenFundedCards(1_000);
    await apply(authorization(900));
    const total = { authorizationId: A, amount: 950, total: true, occurredAt: "2026-07-01T10:00:02.000Z" };
    await apply({ kind: "authorization_advice", ...total });
    await apply({ kind: "clearing", amount: 400, final: true });
    expect(await balances()).toEqual([-350, 950, 600]);
    const late = { kind: "authorization_incremental", authorizationId: A, amount: 50 } as const;
    const before = { ...late, occurredAt: "2026-07-01T10:00:01.000Z" };
    expect(await apply(before)).toMatchObject({ approved: true, amount: 50 });
    expect(await apply({ ...before, withBalances: true })).toMatchObject({
      ...{ approved: true, amount: 50, availableBalance: 0, ledgerBalance: 950 },
    });
    expect(await apply({ ...late, amount: 1 })).toMatchObject({ declineReason: "INSUFFICIENT_FUNDS" });
    expect(await balances()).toEqual([-350, 950, 600]);
  });

  it("counts for nothing more in a limit that is used up, if it adds nothing", async () => {
    const { apply, setCard } = await givenFundedCards(1_000);
    await setCard(limitFields(newLimit({ amount: 900, window: "lifetime" }, timestamp(), undefined)));
    await apply(authorization(900));
    const total = { authorizationId: A, amount: 900, total: true, occurredAt: "2026-07-01T10:00:02.000Z" };
    await apply({ kind: "authorization_advice", ...total });
    const late = { kind: "authorization_incremental", authorizationId: A, amount: 50 } as const;
    expect(await apply({ ...late, occurredAt: "2026-07-01T10:00:01.000Z" })).toMatchObject({
      approved: true,
    });
    expect(await apply(late)).toMatchObject({ declineReason: "SPEND_LIMIT" });
  });
});

describe("a dispute of what a Wallet paid", () => {
  const disputed = async (isPaidByWallet: boolean) => {
    const { apply, setFunding, walletId, balances, cardId } = await givenFundedCards();
    if (!isPaidByWallet) await setFunding(undefined);
    const { transId } = await apply({ kind: "clearing", amount: 1_000, final: true });
    // The Card pays otherwise from now on.
    await setFunding(isPaidByWallet ? undefined : walletId);
    const { chargebackId } = await apply({ kind: "chargeback", transId } as never);
    const shown = async () => [await balances(), await balances(cardId)];
    const lose = () =>
      apply({ kind: "chargeback_outcome", chargebackId, status: ChargebackDecision.lost } as never);
    return { lose, shown };
  };

  it("credits the Wallet that paid, also once the Card has money of its own, and takes it back there", async () => {
    const { lose, shown } = await disputed(true);
    expect(await shown()).toEqual([
      [10_000, 0, 10_000],
      [0, 0, 0],
    ]);
    await lose();
    expect(await shown()).toEqual([
      [9_000, 0, 9_000],
      [0, 0, 0],
    ]);
  });

  it("of the Card's own money goes on to the Wallet that pays now", async () => {
    const { lose, shown } = await disputed(false);
    expect(await shown()).toEqual([
      [11_000, 0, 11_000],
      [-1_000, 0, -1_000],
    ]);
    await lose();
    expect(await shown()).toEqual([
      [10_000, 0, 10_000],
      [-1_000, 0, -1_000],
    ]);
  });
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
