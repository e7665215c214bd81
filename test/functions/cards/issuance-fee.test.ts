import { describe, expect, test } from "vitest";
import type { ProgramSettings } from "../../../shared/contract/account-programs.ts";
import { expectBooksInOrder } from "../../harness/books.ts";
import {
  type GivenProgram,
  givenCard,
  givenProgram,
  givenWallet,
  shippingAddress,
} from "../../harness/given-cards.ts";
import { storedEvents, storedItems } from "../../harness/stored.ts";

const charging = (settings: Partial<ProgramSettings> = {}) =>
  givenProgram({
    settings: {
      feeSchedule: [
        { feeType: 1, amount: 450, basisPoints: 0 },
        { feeType: 5, amount: 9_999, basisPoints: 0 },
      ],
      ...settings,
    },
  });

async function feesOf(program: GivenProgram, cardId: string) {
  return (await program.call("GET /cards/fees", { query: { cardId } })).body.items;
}
async function balanceOf(program: GivenProgram, cardId: string) {
  return (await program.call("GET /cards/{cardId}/balance", { path: { cardId } })).body.data;
}

const issuanceFee = {
  feeType: 1,
  transStatus: 3,
  amount: 450,
  currency: 0,
  description: "Card Issuance Fee",
};

describe("the issuance fee", () => {
  test("is charged with the approval at once: the card begins with a debt, its statement adds up", async () => {
    const program = await charging();
    const { cardId, cardholderId } = await givenCard(program);
    expect(await balanceOf(program, cardId)).toMatchObject({ availableBalance: -450, ledgerBalance: -450 });
    expect(await feesOf(program, cardId)).toMatchObject([{ ...issuanceFee, cardId, cardholderId }]);
    await expectBooksInOrder(program.programId);
    const proof = await program.call("GET /cards/{cardId}/balance/proof", { path: { cardId } });
    expect(proof.body.data).toMatchObject({ proven: true, settledDebits: 450 });
    const told = (await storedEvents(program.programId)).filter(({ kind }) => kind === "fee.posted");
    expect(told).toMatchObject([{ detail: { fee: { feeType: 1 }, notificationIds: [expect.any(String)] } }]);
  });

  test.each([0, 1])(
    "of a Card that spends from a Wallet is the Wallet's: approval %i",
    async (issuanceApproval) => {
      const program = await charging({ issuanceApproval: issuanceApproval as 0 | 1 });
      const fundingWalletId = await givenWallet(program, 1_000);
      const { cardId } = await givenCard(program, { fundingWalletId });
      if (issuanceApproval === 1)
        await program.call("POST /cards/{cardId}/approval", { path: { cardId }, body: { cardStatus: 1 } });
      const balances = { availableBalance: 550, ledgerBalance: 550, spendable: 550, fundingWalletId };
      expect(await balanceOf(program, cardId)).toMatchObject(balances);
      expect(await feesOf(program, cardId)).toMatchObject([{ ...issuanceFee, cardId }]);
      await expectBooksInOrder(program.programId);
    },
  );

  test("is charged with a manual approval, once, and not before", async () => {
    const program = await charging({ issuanceApproval: 1 });
    const { cardId } = await givenCard(program, { cardForm: 1, shippingAddress });
    expect(await feesOf(program, cardId)).toEqual([]);
    const approve = () =>
      program.call("POST /cards/{cardId}/approval", { path: { cardId }, body: { cardStatus: 1 } });
    const answers = await Promise.all([approve(), approve(), approve()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(await balanceOf(program, cardId)).toMatchObject({ availableBalance: -450, ledgerBalance: -450 });
    expect(await feesOf(program, cardId)).toMatchObject([issuanceFee]);
    await expectBooksInOrder(program.programId);
  });

  test("is not charged for an issuance that is declined, nor by a Program without it", async () => {
    const program = await charging({ issuanceApproval: 1 });
    const { cardId } = await givenCard(program);
    const body = { cardStatus: 2 };
    await program.call("POST /cards/{cardId}/approval", { path: { cardId }, body });
    expect(await feesOf(program, cardId)).toEqual([]);
    expect(await balanceOf(program, cardId)).toMatchObject({ ledgerBalance: 0 });
    const free = await givenProgram();
    const card = await givenCard(free);
    expect(await balanceOf(free, card.cardId)).toMatchObject({ ledgerBalance: 0 });
    const stored = await storedItems(free.programId);
    expect(stored.filter(({ sk }) => /^(FEE|ENTRY)#|^DEADLINE/.test(String(sk)))).toEqual([]);
  });

  test("is paid from the first money that comes on the card", async () => {
    const program = await charging();
    const { cardId } = await givenCard(program);
    await program.call("POST /cards/{cardId}/bank-deposit", { path: { cardId }, body: { amount: 1_000 } });
    expect(await balanceOf(program, cardId)).toMatchObject({ availableBalance: 550 });
  });
});
