import type { SQSEvent } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/processor-events/handler.ts";
import type { KindWith } from "../../../shared/contract/card-network.ts";
import { kindFacts, settledKinds } from "../../../shared/network-events/card-event.ts";
import { firstCalls, injectFaults } from "../../harness/faults.ts";
import { givenNetwork, type Network, type Told } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";

const referenceCode = "74027005323000000000001";
const refused = { outcome: "refused", code: "REFERENCE_EXISTS" };

const settlements = settledKinds.map((kind) => ({ kind, amount: 1_000 }));

/** What the first settlement of 10.00 leaves of 100.00. */
const balancesAfter = (kind: KindWith<"settles">) => {
  const left = kindFacts[kind].settles === "CR" ? 11_000 : 9_000;
  return [left, 0, left];
};

const referencesOf = async (network: Network) =>
  (await network.everything()).filter(({ sk }) => sk === "REFERENCE");

const isUnposted = ({ pk }: { readonly pk: unknown }) => String(pk).includes("#UNPOSTED#");

function inQueue({ programId, cardId }: Network, event: object): SQSEvent {
  const body = JSON.stringify({ programId, cardId, ...event });
  const attributes = { ApproximateFirstReceiveTimestamp: String(Date.now()) };
  return { Records: [{ messageId: "message", body, attributes }] } as unknown as SQSEvent;
}

describe.each(settlements)("the reference code ($kind)", (settlement) => {
  const { kind } = settlement;

  it.each(settlements)("refuses a second settlement with it ($kind), and no repetition", async (second) => {
    const network = await givenNetwork();
    const first = await network.apply({ ...settlement, referenceCode, eventId: "first" });
    const before = await network.everything();
    for (const eventId of ["second", "second", "third"])
      expect(await network.send({ ...second, referenceCode, eventId })).toEqual(refused);
    const after = await network.everything();
    expect(after.filter((item) => !isUnposted(item))).toEqual(before);
    // For the day's settlement report, once each.
    expect(after.filter(isUnposted).map(({ eventId }) => eventId)).toEqual(["second", "third"]);
    expect(await network.apply({ ...settlement, referenceCode, eventId: "first" })).toEqual(first);
    expect(await network.balances()).toEqual(balancesAfter(kind));
  });

  it("is of one settlement if several race, with answers lost", async () => {
    const network = await givenNetwork();
    using _ = injectFaults(firstCalls(3, "timeout-after-commit"));
    const sent = ["a", "b", "c", "a", "b", "c"].map((eventId) =>
      network.send({ ...settlement, referenceCode, eventId }),
    );
    const results = await Promise.all(sent);
    expect(results.filter(({ outcome }) => outcome === "applied")).toHaveLength(2);
    expect(results.filter(({ outcome }) => outcome === "refused")).toEqual(Array(4).fill(refused));
    expect(await network.balances()).toEqual(balancesAfter(kind));
  });

  it("leaves a message with it to the dead letters, and takes a repetition away", async () => {
    const network = await givenNetwork();
    await network.apply({ ...settlement, referenceCode, eventId: "first" });
    const other = inQueue(network, { ...settlement, referenceCode, eventId: "second" });
    expect(await handler(other)).toEqual({ batchItemFailures: [{ itemIdentifier: "message" }] });
    const same = inQueue(network, { ...settlement, referenceCode, eventId: "first" });
    expect(await handler(same)).toEqual({ batchItemFailures: [] });
    expect(await network.balances()).toEqual(balancesAfter(kind));
  });

  it("is its own in each Program", async () => {
    const [one, other] = await Promise.all([givenNetwork(), givenNetwork()]);
    for (const network of [one, other]) {
      await network.apply({ ...settlement, referenceCode });
      expect(await network.balances()).toEqual(balancesAfter(kind));
    }
  });

  it("is the transaction's id by default, which no sender can take", async () => {
    const network = await givenNetwork();
    const { transId = "" } = await network.apply(settlement);
    expect(await network.record(transId)).toMatchObject({ referenceCode: transId });
    await expect(network.send({ ...settlement, referenceCode: transId })).rejects.toThrow("referenceCode");
    const message = inQueue(network, { ...settlement, referenceCode: transId, eventId: "second" });
    expect(await handler(message)).toEqual({ batchItemFailures: [{ itemIdentifier: "message" }] });
    expect(await referencesOf(network)).toEqual([]);
    expect(await network.balances()).toEqual(balancesAfter(kind));
  });

  it("costs two write units, and none if it is not sent", async () => {
    const network = await givenNetwork();
    const units = async (event: Told) => {
      await network.apply({ kind: "balance_inquiry" });
      return (await measure(() => network.apply(event))).cost.writeUnits;
    };
    const without = await units(settlement);
    expect(await units({ ...settlement, referenceCode })).toBe(without + 2);
  });
});
