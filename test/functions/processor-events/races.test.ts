import { describe, expect, it } from "vitest";
import { assignSuspense } from "../../../shared/deposits/settle-suspense.ts";
import { suspenseItems } from "../../../shared/deposits/suspense.ts";
import { commit } from "../../../shared/ledger/commit.ts";
import type { PlannedEvent } from "../../../shared/network-events/card-event.ts";
import { newId } from "../../../shared/platform/id.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { givenStoredCard, givenStoredWallet } from "../../harness/given-stored.ts";
import { planEvent } from "../../harness/plan-event.ts";

type Network = Awaited<ReturnType<typeof givenNetwork>>;
/** Two events that are planned from the same state. */
type Pair = (network: Network) => Promise<readonly [object, object]>;

const twice = (event: object) => [event, event] as const;

async function openChargeback({ apply }: Network) {
  const { transId = "" } = await apply({ kind: "clearing", amount: 100 });
  const { chargebackId = "" } = await apply({ kind: "chargeback", transId });
  return chargebackId;
}

async function deposit({ programId }: Network, kind: string, depositId = newId("deposit")) {
  const accountId = await givenStoredWallet(programId);
  return { kind, depositId, accountType: 0, accountId, amount: 100, channel: "bank" };
}

async function suspended({ programId }: Network, kind: string, depositId = newId("deposit")) {
  const accountId = await givenStoredCard(programId, 3);
  return { kind, depositId, accountType: 1, accountId, amount: 100, channel: "bank" };
}

const races: readonly (readonly [string, string, Pair])[] = [
  [
    "two reversals of a fee",
    "original",
    async ({ apply }) =>
      twice({
        kind: "fee_reversal",
        feeId: (await apply({ kind: "fee", feeType: 5, amount: 30 })).feeId,
      }),
  ],
  [
    "two reversals of a refund",
    "original",
    async ({ apply }) =>
      twice({ kind: "refund_reversal", transId: (await apply({ kind: "refund", amount: 30 })).transId }),
  ],
  [
    "two chargebacks with one id",
    "dispute",
    async ({ apply }) => {
      const chargebackId = newId("dispute");
      const { transId: first } = await apply({ kind: "clearing", amount: 10 });
      const { transId: second } = await apply({ kind: "clearing", amount: 10 });
      return [
        { kind: "chargeback", chargebackId, transId: first },
        { kind: "chargeback", chargebackId, transId: second },
      ];
    },
  ],
  [
    "two outcomes of a chargeback",
    "dispute",
    async (network) => {
      const chargebackId = await openChargeback(network);
      return [
        { kind: "chargeback_outcome", chargebackId, status: 3 },
        { kind: "chargeback_outcome", chargebackId, status: 2 },
      ];
    },
  ],
  [
    "two deposits with one id",
    "deposit",
    async (network) => {
      const depositId = newId("deposit");
      return [
        await deposit(network, "deposit_pending", depositId),
        await deposit(network, "deposit_cleared", depositId),
      ];
    },
  ],
  [
    "a clearing and a reversal of a deposit",
    "deposit",
    async (network) => {
      const depositId = newId("deposit");
      await network.send((await deposit(network, "deposit_pending", depositId)) as never);
      return [
        { kind: "deposit_cleared", depositId },
        { kind: "deposit_reversed", depositId },
      ];
    },
  ],
  [
    "two deposits with one id that go to suspense",
    "suspense",
    async (network) => twice(await suspended(network, "deposit_pending")),
  ],
  [
    "a deposit and one in suspense with its id",
    "deposit",
    async (network) => {
      const first = await deposit(network, "deposit_pending");
      return [first, await suspended(network, "deposit_pending", first.depositId)];
    },
  ],
  [
    "a deposit in suspense and one with its id",
    "suspense",
    async (network) => {
      const first = await suspended(network, "deposit_pending");
      return [first, await deposit(network, "deposit_pending", first.depositId)];
    },
  ],
  [
    "a clearing and a reversal in suspense",
    "suspense",
    async (network) => {
      const first = await suspended(network, "deposit_pending");
      await network.send(first as never);
      return [
        { kind: "deposit_cleared", depositId: first.depositId },
        { kind: "deposit_reversed", depositId: first.depositId },
      ];
    },
  ],
];

describe("of two events that are planned from the same state, one is committed", () => {
  it.each(races)("%s: the other fails the condition `%s`", async (_, condition, toPair) => {
    const network = await givenNetwork();
    const { programId, cardId } = network;
    const plan = (event: object) =>
      planEvent({ programId, cardId, eventId: newId("event"), ...event } as PlannedEvent);
    const [one, other] = await toPair(network);
    const plans = [await plan(one), await plan(other)] as const;
    expect(await commit(plans[0])).toEqual({ outcome: "committed" });
    const second = await commit(plans[1]);
    expect("failedConditions" in second && [...second.failedConditions.keys()]).toContain(condition);
    await network.balances();
  });

  it("an assignment out of suspense fails the condition `suspense` when the deposit cleared meanwhile", async () => {
    const network = await givenNetwork();
    const { programId } = network;
    const announced = await suspended(network, "deposit_pending");
    await network.send(announced as never);
    const item = await suspenseItems.at(programId, announced.depositId).get();
    if (!item) throw new Error("The deposit is not in suspense.");
    const account = { kind: "wallet", accountId: await givenStoredWallet(programId) } as const;
    const assignment = assignSuspense(item, { ...item, account, status: 0 }, new Date());
    await network.send({ kind: "deposit_cleared", depositId: item.depositId } as never);
    const outcome = await commit(assignment);
    expect("failedConditions" in outcome && [...outcome.failedConditions.keys()]).toEqual(["suspense"]);
    await network.balances();
  });
});
