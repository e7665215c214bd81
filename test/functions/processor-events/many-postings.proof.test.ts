import { describe, expect, it } from "vitest";
import { findFaults } from "../../harness/audit-books.ts";
import { givenNetwork, type Network } from "../../harness/given-network.ts";
import { illegal } from "./given-processor.ts";

const authorizationId = "a";
const reversal = { kind: "authorization_reversal", authorizationId, ofPosted: true } as const;

/** A purchase of 10 a posting: their hold names the last 50 only. */
async function givenPostings(network: Network, count: number): Promise<string[]> {
  await network.apply({ kind: "authorization", authorizationId, amount: count * 10 });
  const posted: string[] = [];
  for (let nth = 1; nth <= count; nth += 1) {
    const clearing = { kind: "clearing", authorizationId, amount: 10, final: nth === count } as const;
    posted.push((await network.apply(clearing)).transId ?? "");
  }
  return posted;
}

describe("a purchase with more postings than its hold names", () => {
  it("gives nothing back that is disputed, whichever posting that is of", async () => {
    const network = await givenNetwork();
    const { apply, send, balances } = network;
    const posted = await givenPostings(network, 56);
    for (const transId of posted.slice(0, 3)) await apply({ kind: "chargeback", transId });
    await apply({ kind: "chargeback", transId: posted.at(-1) ?? "" });
    expect(await balances()).toEqual([10_000 - 560 + 40, 0, 10_000 - 560 + 40]);
    expect(await send(reversal)).toEqual(illegal);
    expect(await send({ ...reversal, amount: 530 })).toEqual(illegal);
    await apply({ ...reversal, amount: 520 });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    expect(await send({ ...reversal, amount: 1 })).toEqual(illegal);
    expect(await findFaults()).toEqual([]);
  });

  it("is reversed whole; then none can be disputed until the reversal is reversed", async () => {
    const network = await givenNetwork();
    const { apply, send, balances } = network;
    const posted = await givenPostings(network, 55);
    const [oldest = "", another = ""] = posted;
    const { chargebackId = "" } = await apply({ kind: "chargeback", transId: oldest, amount: 4 });
    await apply({ kind: "chargeback_outcome", chargebackId, status: 3 });
    const { transId = "" } = await apply(reversal);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    for (const of of [oldest, another, posted.at(-1) ?? ""])
      expect(await send({ kind: "chargeback", transId: of, amount: 1 })).toEqual(illegal);
    await apply({ kind: "refund_reversal", transId });
    for (const of of [oldest, another]) await apply({ kind: "chargeback", transId: of });
    expect(await balances()).toEqual([10_000 - 550 + 20, 0, 10_000 - 550 + 20]);
    expect(await send(reversal)).toEqual(illegal);
    await apply({ ...reversal, amount: 530 });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    expect(await findFaults()).toEqual([]);
  });

  it("counts the refund of a posting, and the part of a reversal, that it names no more", async () => {
    const network = await givenNetwork();
    const { apply, send, balances } = network;
    const posted = await givenPostings(network, 50);
    const { transId: given = "" } = await apply({ ...reversal, amount: 500 });
    // Each of these is named no more: what was given back of it is there again with the refund.
    for (let nth = 0; nth < 2; nth += 1)
      posted.push((await apply({ kind: "clearing", authorizationId, amount: 10 })).transId ?? "");
    await apply({ kind: "refund_reversal", transId: given });
    const { transId = "" } = await apply({ kind: "refund", amount: 10, originalTransId: posted[0] ?? "" });
    expect(await send({ ...reversal, amount: 520 })).toEqual(illegal);
    await apply({ kind: "refund_reversal", transId });
    await apply({ ...reversal, amount: 520 });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    expect(await findFaults()).toEqual([]);
  });

  it("of which two events come at once gives each amount back once", async () => {
    const network = await givenNetwork();
    const { apply, send, balances } = network;
    const posted = await givenPostings(network, 52);
    await apply({ ...reversal, amount: 510 });
    const [first = "", second = ""] = posted;
    const events = [first, second].map((transId) => ({ kind: "chargeback", transId }) as const);
    const answers = await Promise.all([...events, { ...reversal, amount: 10 }].map((event) => send(event)));
    expect(answers.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    expect(await findFaults()).toEqual([]);
  });
});
