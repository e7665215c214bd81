import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { handler as cards } from "../../../../functions/cards/handler.ts";
import { handler as wallets } from "../../../../functions/wallets/handler.ts";
import { toCreditorReference } from "../../../../shared/contract/creditor-reference.ts";
import { deposits } from "../../../../shared/deposits/deposit.ts";
import { apiEvent, type EventOptions } from "../../../harness/api-event.ts";
import { expectBooksInOrder } from "../../../harness/books.ts";
import { givenCard, givenProgram } from "../../../harness/given-cards.ts";
import { setAttributes } from "../../../harness/given-network.ts";
import { givenStoredWallet } from "../../../harness/given-stored.ts";
import { replay } from "../../../harness/replay.ts";
import { sweepDeadlines } from "../../../harness/sweep-deadlines.ts";
import { givenBank, statusOf } from "./given-bank.ts";

beforeEach(() => {
  vi.stubEnv("SIMULATED_BANK", "false");
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** A Wallet, and a Card that has money of its own until it is funded by the Wallet. */
async function given() {
  const program = await givenProgram();
  const { programId } = program;
  const bank = await givenBank(programId);
  const { wallet } = bank;
  const { cardId } = await givenCard(program);
  const call = (handler: typeof cards, options: EventOptions) =>
    replay(handler, apiEvent({ ...options, caller: { programId } }));
  const announceOn = async (accountId: string, more: object = {}) => {
    const body = { amount: 1250, ...more };
    const answer = accountId.startsWith("wlt_")
      ? call(wallets, { route: "POST /wallets/{walletId}/bank-deposit", path: { walletId: accountId }, body })
      : call(cards, { route: "POST /cards/{cardId}/bank-deposit", path: { cardId: accountId }, body });
    return (await answer).body.data.depositId as string;
  };
  return {
    ...bank,
    cardId,
    announceOn,
    fund: () => setAttributes(programId, cardId, { fundingWalletId: wallet }),
    putFunding: (body: object) =>
      call(cards, { route: "PUT /cards/{cardId}/funding", path: { cardId }, body }),
    close: () => call(cards, { route: "POST /cards/{cardId}/close", path: { cardId }, body: {} }),
    cancel: (depositId: string) =>
      call(wallets, { route: "POST /deposits/{depositId}/cancel", path: { depositId } }),
    view: async (depositId: string) =>
      (await call(wallets, { route: "GET /deposits/{depositId}", path: { depositId } })).body.data,
    statusOfDeposit: async (depositId: string) => (await deposits.at(programId, depositId).require()).status,
  };
}

describe("an announced deposit of a Card that spends from a Wallet", () => {
  it.each(["Card", "Wallet"])("is claimed by a report that names the %s", async (named) => {
    const { fund, announceOn, report, transfer, cardId, wallet, sums, view } = await given();
    await fund();
    const depositId = await announceOn(cardId);
    expect(await sums()).toEqual([0, 1250]);
    const remittance = [named === "Card" ? cardId : wallet];
    expect(statusOf(await report(transfer({ remittance })))).toBe("applied");
    expect(await sums()).toEqual([1250, 0]);
    expect(await view(depositId)).toMatchObject({ status: 1, cardId, walletId: wallet });
  });

  it("is cancelled when the Card is closed", async () => {
    const { fund, announceOn, cardId, close, sums, statusOfDeposit, report, transfer } = await given();
    await fund();
    const depositId = await announceOn(cardId);
    expect((await close()).status).toBe(200);
    expect(await statusOfDeposit(depositId)).toBe(2);
    expect(await sums()).toEqual([0, 0]);
    expect(statusOf(await report(transfer({ remittance: [depositId] })))).toBe("applied");
    expect(await sums()).toEqual([1250, 0]);
  });

  it.each([1250, 1000, 1300])("that was announced before goes on to the Wallet: %s come", async (amount) => {
    const { announceOn, putFunding, cardId, wallet, report, transfer, sums, view } = await given();
    const depositId = await announceOn(cardId);
    expect((await putFunding({ fundingWalletId: wallet })).body.code).toBe("CARD_NOT_EMPTY");
    expect((await putFunding({ fundingWalletId: wallet, moveBalance: true })).status).toBe(200);
    const event = transfer({ remittance: [depositId], amount });
    expect([statusOf(await report(event)), statusOf(await report(event))]).toEqual(["applied", "duplicate"]);
    expect([await sums(cardId), await sums()]).toEqual([
      [0, 0],
      [amount, 0],
    ]);
    expect(await view(depositId)).toMatchObject({ status: 1, amount });
  });
});

describe("a reference of an announced deposit", () => {
  it.each([
    ["id", (id: string) => id],
    ["creditor reference", (id: string) => toCreditorReference(id) ?? ""],
    ["payer's words", () => "INV-8871"],
  ])(
    "takes no money of a Wallet that a report names by its id: another Wallet's %s",
    async (_, toReference) => {
      const { programId, wallet, announceOn, report, transfer, sums } = await given();
      const other = await givenStoredWallet(programId);
      const reference = toReference(wallet);
      await announceOn(other, { reference });
      expect(statusOf(await report(transfer({ remittance: [wallet, reference] })))).toBe("applied");
      expect([await sums(), await sums(other)]).toEqual([
        [1250, 0],
        [0, 1250],
      ]);
    },
  );

  it("is found at the end of a long text", async () => {
    const { announceOn, wallet, report, transfer, sums } = await given();
    await announceOn(wallet, { reference: "INV-8871" });
    const words =
      "Payment from Lovelace Analytical Engines Limited London for services of consulting during the months of autumn as agreed";
    await report(transfer({ remittance: [`${words} INV-8871 thanks`], amount: 900 }));
    expect(await sums()).toEqual([900, 0]);
  });
});

describe("an announced deposit, and two who end it at once", () => {
  it("is claimed or expires: the money is booked once, and nothing stays pending", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 0, 1) });
    for (let round = 0; round < 5; round += 1) {
      const { wallet, announceOn, report, transfer, sums } = await given();
      const depositId = await announceOn(wallet, { expiresInDays: 1 });
      vi.setSystemTime(Date.now() + 86_400_000 - (round % 2));
      const event = transfer({ remittance: [depositId] });
      await Promise.all([sweepDeadlines(), report(event), report(event)]);
      vi.setSystemTime(Date.now() + 10);
      await sweepDeadlines();
      expect(await sums()).toEqual([1250, 0]);
    }
  });

  it("is claimed, or its Card is closed: no money is lost, and none stays pending", async () => {
    for (let round = 0; round < 6; round += 1) {
      const { cardId, announceOn, report, transfer, sums, close, programId, statusOfDeposit } = await given();
      const depositId = await announceOn(cardId);
      const event = transfer({ remittance: [cardId, depositId] });
      const [closed] = await Promise.all([close(), report(event), report(event)]);
      const status = await statusOfDeposit(depositId);
      const items = await expectBooksInOrder(programId);
      const suspended = items.filter(({ sk }) => sk === "SUSPENSE").length;
      const [available] = await sums(cardId);
      expect([closed.status, status, available, suspended], `round ${round}`).toEqual(
        closed.status === 200 ? [200, 2, 0, 1] : [409, expect.any(Number), 1250, 0],
      );
    }
  });
});

describe("an announced deposit that a simulated bank has cleared", () => {
  it("is the same money also after its time, if the report names it", async () => {
    vi.stubEnv("SIMULATED_BANK", "true");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 0, 1) });
    const { wallet, announceOn, report, transfer, sums } = await given();
    const depositId = await announceOn(wallet, { expiresInDays: 1 });
    expect(await sums()).toEqual([1250, 0]);
    vi.setSystemTime(Date.now() + 3 * 86_400_000);
    await sweepDeadlines();
    await report(transfer({ remittance: [depositId] }));
    expect(await sums()).toEqual([1250, 0]);
    await report(transfer({ remittance: [depositId] }));
    expect(await sums()).toEqual([2500, 0]);
  });
});
