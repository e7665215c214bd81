import { describe, expect, it } from "vitest";
import { cardNetworkEvents } from "../../../shared/contract/card-network.ts";
import { newId } from "../../../shared/platform/id.ts";
import { firstCalls, injectFaults } from "../../harness/faults.ts";
import { givenNetwork, type Network, type Told } from "../../harness/given-network.ts";

/** An event of each kind and each branch, in an order in which all are applied. */
async function lifeOfACard({ apply, setStatus }: Network) {
  const told: { readonly event: Told; readonly result: unknown }[] = [];
  const tell = async (event: Told) => {
    const identified = { ...event, eventId: newId("event") };
    const result = await apply(identified);
    told.push({ event: identified, result });
    return result;
  };
  const authorizationOf = async (authorizationId: string, amount: number) =>
    tell({ kind: "authorization", authorizationId, amount });
  await authorizationOf("cleared", 1_000);
  await tell({ kind: "authorization_incremental", authorizationId: "cleared", amount: 200 });
  await tell({ kind: "authorization_advice", authorizationId: "cleared", amount: 50 });
  await tell({ kind: "authorization_reversal", authorizationId: "cleared", amount: 100 });
  await tell({ kind: "clearing", authorizationId: "cleared", amount: 500, final: false });
  await tell({ kind: "clearing", authorizationId: "cleared", amount: 700 });
  await authorizationOf("reversed", 300);
  await tell({ kind: "authorization_reversal", authorizationId: "reversed" });
  await authorizationOf("expired", 300);
  await tell({ kind: "authorization_expiry", authorizationId: "expired" });
  await authorizationOf("declined", 999_999);
  await tell({ kind: "authorization_incremental", authorizationId: "reversed", amount: 1 });
  await tell({ kind: "clearing", authorizationId: "early", amount: 40, final: false });
  await authorizationOf("early", 90);
  const { transId: purchase = "" } = await tell({ kind: "clearing", amount: 800 });
  const { transId: refund = "" } = await tell({ kind: "refund", amount: 300 });
  await tell({ kind: "refund_reversal", transId: refund });
  await tell({ kind: "atm_withdrawal", amount: 400, feeAmount: 20 });
  const { feeId = "" } = await tell({ kind: "fee", feeType: 2, amount: 30 });
  await tell({ kind: "fee_reversal", feeId });
  await tell({ kind: "balance_inquiry" });
  const { chargebackId = "" } = await tell({ kind: "chargeback", transId: purchase });
  await tell({ kind: "chargeback_outcome", chargebackId, status: 1 });
  await tell({ kind: "chargeback_outcome", chargebackId, status: 3 });
  await setStatus(2);
  await authorizationOf("on-hold", 1);
  return told;
}

describe("every kind of card event", () => {
  it("is in the life of a card below", async () => {
    const network = await givenNetwork();
    const told = await lifeOfACard(network);
    const kinds = new Set(told.map(({ event }) => event.kind));
    const declared = cardNetworkEvents.map((schema) => schema.shape.kind.value);
    expect([...kinds].toSorted()).toEqual(declared.toSorted());
  });

  it("is answered its first result and moves nothing when it is repeated at once", async () => {
    const network = await givenNetwork();
    const repeated = { ...network, apply: (event: Told) => twice(network, event) };
    expect((await lifeOfACard(repeated)).length).toBeGreaterThan(20);
  });

  it("is answered its first result and moves nothing when it is repeated after everything else", async () => {
    const network = await givenNetwork();
    const told = await lifeOfACard(network);
    const before = await books(network);
    for (const { event, result } of told.toReversed()) expect(await network.send(event)).toEqual(result);
    expect(await books(network)).toEqual(before);
    await network.balances();
  });

  it("is applied once when it arrives several times together, with answers lost", async () => {
    const network = await givenNetwork();
    const at = async (event: Told) => {
      using _ = injectFaults(firstCalls(1, "timeout-after-commit"));
      const results = await Promise.all([1, 2, 3].map(() => network.send(event)));
      expect(results[1]).toEqual(results[0]);
      expect(results[2]).toEqual(results[0]);
      return results[0] as Awaited<ReturnType<Network["apply"]>>;
    };
    await lifeOfACard({ ...network, apply: at });
    const alone = await givenNetwork();
    await lifeOfACard(alone);
    expect(await network.balances()).toEqual(await alone.balances());
    expect((await network.records()).length).toBe((await alone.records()).length);
  });
});

async function twice(network: Network, event: Told) {
  const first = await network.apply(event);
  const before = await books(network);
  expect(await network.send(event)).toEqual(first);
  expect(await books(network)).toEqual(before);
  return first;
}

/** All stored items except those to publish: a repetition resends notifications. */
async function books({ everything }: Network) {
  return (await everything()).filter(({ sk }) => sk !== "OUTBOX");
}
