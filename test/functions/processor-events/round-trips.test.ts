import { afterEach, expect, it, vi } from "vitest";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { givenNetwork, type Told } from "../../harness/given-network.ts";
import { approve } from "../../harness/given-receiver.ts";
import { measure } from "../../harness/measure.ts";
import { given, moveClock } from "./given-decisions.ts";
import { givenFundedCards } from "./given-funded-cards.ts";

afterEach(() => void vi.useRealTimers());

const authorization = (authorizationId: string, amount = 1, more: object = {}) =>
  ({ kind: "authorization", authorizationId, amount, ...more }) as const;
const oneWrite = ["TransactWriteItems"];

it("an authorization costs one transaction, with no read on a card that the worker has met", async () => {
  const { send } = await givenNetwork();
  const cold = await measure(() => send(authorization("A")));
  // The card, and beside it the Program's controls, which a worker keeps for two seconds.
  expect(cold.cost.calls).toEqual(["Query", "GetItem", "TransactWriteItems"]);
  expect([cold.cost.roundTrips, cold.cost.readUnits]).toEqual([2, 2]);
  const warm = await measure(() => send(authorization("B")));
  expect(warm.cost.calls).toEqual(oneWrite);
});

it.each(["blockedAt", "cardholderBlockedAt"])("one of a card with %s costs as one on hold", async (name) => {
  const { send, setCard, setStatus } = await givenNetwork();
  await setStatus(2);
  await send(authorization("first"));
  const onHold = await measure(() => send(authorization("A")));
  await setCard({ [name]: "2026-11-22T10:00:00.000Z", issuerCardStatus: 1 });
  const stopped = await measure(() => send(authorization("B")));
  expect([onHold, stopped].map(({ cost }) => cost.calls)).toEqual(Array(2).fill([...oneWrite, ...oneWrite]));
});

it("an address costs one read more, beside the others", async () => {
  const { send } = await givenNetwork();
  await send(authorization("B"));
  const billingAddress = { postalCode: "94107" };
  const without = await measure(() => send(authorization("A")));
  const { cost } = await measure(() => send(authorization("C", 1, { billingAddress })));
  expect([without.cost.roundTrips, cost.roundTrips]).toEqual([1, 2]);
  expect(cost.calls.length).toBe(without.cost.calls.length + 1);
});

it("one of a Card that spends from a Wallet takes one round trip once its Card is known", async () => {
  const { apply, send } = await givenFundedCards();
  await apply(authorization("A"));
  expect((await measure(() => send(authorization("B")))).cost.roundTrips).toBe(1);
});

it.each([
  ["approved", 10],
  ["declined", 10_001],
] as const)(
  "a withdrawal is %s in two round trips, of a card and a Program not met yet",
  async (_, amount) => {
    const { send } = await givenNetwork();
    const { cost } = await measure(() => send({ kind: "atm_withdrawal", amount }));
    // The card, the Program's settings, its controls.
    expect(cost.calls.toSorted()).toEqual(["GetItem", "GetItem", "Query", "TransactWriteItems"]);
    expect(cost.roundTrips).toBe(2);
  },
);

it("a balance inquiry takes one read and one write, a clearing one round of reads and one", async () => {
  const { send } = await givenNetwork();
  const inquiry = await measure(() => send({ kind: "balance_inquiry" }));
  expect(inquiry.cost.calls).toEqual(["Query", ...oneWrite]);
  await send(authorization("A", 1_000));
  const { cost } = await measure(() => send({ kind: "clearing", authorizationId: "A", amount: 10 } as Told));
  expect(cost.calls.filter((call) => call === "TransactWriteItems")).toHaveLength(1);
  expect(cost.roundTrips).toBe(2);
});

it("an authorization under ten controls takes two, also with the Program's read anew", async () => {
  const network = await givenNetwork();
  const owners = ["program", "cardholder", "card"] as const;
  const rules = (index: number) => ({ velocity: { amount: 2_000 + index, window: "day" as const } });
  const ten = Array.from({ length: 10 }, (_, n) => ({ owner: owners[n % 3] ?? "card", rules: rules(n) }));
  await givenActiveControls(network, ten);
  const authorize = (id: string, amount: number) => measure(() => network.apply(authorization(id, amount)));
  await authorize("first", 1);
  const [approved, declined] = [await authorize("approved", 1_000), await authorize("declined", 1_000)];
  moveClock(10_000);
  const later = await authorize("later", 100);
  expect([approved, declined, later].map(({ cost }) => cost.roundTrips)).toEqual([2, 2, 2]);
  expect([approved, declined, later].map(({ result }) => result.approved)).toEqual([true, false, true]);
});

it("one that the receiver is asked about takes few, also when the endpoint is read anew", async () => {
  const network = await given(approve);
  const authorize = (id: string) => measure(() => network.apply(authorization(id, 100)));
  await authorize("first");
  for (const later of [0, 10_000]) {
    moveClock(later);
    // The circuit is read beside the others, and may take longer.
    expect((await authorize(`after-${later}`)).cost.roundTrips).toBeLessThanOrEqual(5);
  }
});

const readsOf = ({ calls }: { readonly calls: readonly string[] }) =>
  calls.filter((call) => call === "GetItem").length;

it.each([
  ["another currency reads the Program's fees with what it reads anyway", "978", 1],
  ["the Card's own currency reads none", "840", 0],
  ["no currency reads none", undefined, 0],
])("a clearing that the merchant billed in %s", async (_, srcCurrency, reads) => {
  const { send, apply } = await givenNetwork();
  await apply(authorization("A", 1_000));
  const part = { kind: "clearing", authorizationId: "A", amount: 10, final: false } as const;
  await apply(part);
  const { cost: usual } = await measure(() => send(part));
  const { cost } = await measure(() => send({ ...part, srcCurrency, srcAmount: 9 }));
  expect([readsOf(cost) - readsOf(usual), cost.roundTrips]).toEqual([reads, 2]);
});

it("a withdrawal that tells its own fee reads none of the Program", async () => {
  const { send, apply } = await givenNetwork();
  await apply({ kind: "atm_withdrawal", amount: 10 });
  const { cost: usual } = await measure(() => send({ kind: "atm_withdrawal", amount: 10 }));
  const { cost } = await measure(() => send({ kind: "atm_withdrawal", amount: 10, feeAmount: 5 }));
  expect(readsOf(usual) - readsOf(cost)).toBe(1);
});
