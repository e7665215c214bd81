import { expect, it } from "vitest";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { givenNetwork, type Told } from "../../harness/given-network.ts";
import { givenFundedCards } from "./given-funded-cards.ts";

const authorizations = (count: number, amount: number, more: object = {}) =>
  Array.from(
    { length: count },
    (_, n) => ({ kind: "authorization", authorizationId: `A${n}`, amount, ...more }) as Told,
  );

it("a control's limit is exact among authorizations at once", async () => {
  const { programId, cardId, apply, cardBalances } = await givenNetwork({ availableMinor: 100_000 });
  const rules = { velocity: { amount: 5_000, window: "day" } } as const;
  await givenActiveControls({ programId, cardId }, [{ owner: "card", rules }]);
  const results = await Promise.all(authorizations(12, 1_000).map(apply));
  expect(results.filter(({ approved }) => approved)).toHaveLength(5);
  expect(await cardBalances()).toEqual([95_000, 5_000, 100_000]);
});

it("partial approvals never hold more than there is", async () => {
  const { apply, balances, setProgram } = await givenNetwork({ availableMinor: 1_000 });
  await setProgram({ partialApproval: true });
  const asked = authorizations(8, 300, { partialApprovalSupported: true });
  const approved = (await Promise.all(asked.map(apply))).map(({ amount = 0 }) => amount);
  expect(approved.reduce((sum, amount) => sum + amount)).toBe(1_000);
  expect(approved.filter((amount) => amount === 300)).toHaveLength(3);
  expect(await balances()).toEqual([0, 1_000, 1_000]);
});

it("balances in the answers are exact", async () => {
  const { apply, balances } = await givenNetwork();
  const answers = await Promise.all(authorizations(6, 100, { withBalances: true }).map(apply));
  const available = answers.map(({ availableBalance }) => availableBalance).toSorted();
  expect(available).toEqual([9_400, 9_500, 9_600, 9_700, 9_800, 9_900]);
  expect(await balances()).toEqual([9_400, 600, 10_000]);
});

it.each([
  [2_000, 20, ["INSUFFICIENT_FUNDS"], [0, 2_000, 2_000]],
  [1_000_000, 50, [], [995_000, 5_000, 1_000_000]],
])("Cards that spend from one Wallet with %i are approved as long as it has the money", async (...row) => {
  const [walletMinor, count, reasons, left] = row;
  const { cardIds, apply, balances } = await givenFundedCards(walletMinor, 50);
  const answers = await Promise.all(
    authorizations(50, 100).map((event, index) => apply({ ...event, cardId: cardIds[index] ?? "" })),
  );
  expect(answers.filter(({ approved }) => approved)).toHaveLength(count);
  expect([...new Set(answers.flatMap(({ declineReason }) => declineReason ?? []))]).toEqual(reasons);
  expect(await balances()).toEqual(left);
});
