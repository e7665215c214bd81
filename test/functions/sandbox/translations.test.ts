import { expect, it } from "vitest";
import { givenSandbox } from "./given-sandbox.ts";

it("a clearing needs no body", async () => {
  const { authorized, onHold, balances } = await givenSandbox();
  const { status, body } = await onHold(await authorized(1_000), "clear");
  expect([status, body.data]).toMatchObject([200, { availableBalance: 9_000, ledgerBalance: 9_000 }]);
  expect(await balances()).toEqual([9_000, 0, 9_000]);
});

it("events of the same moment are answered each with its own balances", async () => {
  const { onCard } = await givenSandbox();
  const crowd = Array.from({ length: 20 }, (_, index) => index);
  const deposit = (key: number) =>
    onCard("deposits", { amount: 1, pending: false }, { "Idempotency-Key": `${key}` });
  const answers = await Promise.all(crowd.map(deposit));
  const balances = answers.map(({ body }) => body.data.availableBalance);
  expect(balances.toSorted((one, other) => one - other)).toEqual(crowd.map((index) => 10_001 + index));
});
