import { deepStrictEqual, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../harness/random.ts";
import type { PlatformProcess } from "../../system/platform-process.ts";
import { withClient } from "./cards.ts";
import type { Answer } from "./client.ts";

const callers = 3;
const fundingMinor = 10_000_000;

interface Given {
  /** The one that runs now. */
  readonly platform: () => PlatformProcess;
  readonly random: Random;
}

type Said = "completed" | "collected" | "rejected" | "returned";

/**
 * Payouts and pulls of a Wallet, micro-deposits of accounts, and what the bank says of them, twice
 * and in any order, while platform and store are killed. A request without a key is repeated too.
 */
export async function startBankMoney({ platform, random }: Given) {
  const once = (endpoint: string, body?: object, headers = {}) =>
    withClient(platform(), (client) => client.call(endpoint, body, headers));
  const { programId } = platform().connection();
  await once(`PUT /account/programs/${programId}/settings`, { pulls: { holdDays: 30 } });
  const walletId: string = (await once("POST /wallets", { name: "Bank money" })).body.data.walletId;
  await once(`POST /wallets/${walletId}/bank-deposit`, { amount: fundingMinor });
  const person = { holderName: "Ada Example", holderType: "person" };
  const own = { ...person, iban: "DE89370400440532013000" };
  const { externalAccountId } = (await once("POST /external-accounts", own)).body.data;
  const account = `/external-accounts/${externalAccountId}`;
  await once(`POST ${account}/verification`, { method: "micro_deposits" });
  const { amounts } = (await once(`GET /sandbox${account}/micro-deposits`)).body.data;
  await once(`POST ${account}/verification/confirm`, { amounts });
  const { mandateId } = (await once(`POST ${account}/mandates`, { signedAt: "2026-11-01" })).body.data;
  const ends = new Map<string, { readonly status: string }>();
  let isStopped = false;
  let [availableMinor, pendingMinor] = [fundingMinor, 0];

  async function untilAnswered(endpoint: string, body?: object, keyed = false): Promise<Answer> {
    const headers: Record<string, string> = keyed ? { "Idempotency-Key": randomUUID() } : {};
    for (;;) {
      try {
        return await once(endpoint, body, headers);
      } catch (error) {
        const isLate = endpoint.endsWith("/cancel") && String(error).includes(" answered 409");
        if (isLate) return { status: 409, headers: {}, body: {} };
        await delay(200);
      }
    }
  }

  /** In any order and number: a payout's return is money, whatever else is said. */
  async function tell(kind: "payouts" | "pulls", id: string): Promise<Said[]> {
    const all: Said[] = [kind === "payouts" ? "completed" : "collected", "rejected", "returned"];
    const said = random.shuffle(all.filter(() => random.chance(0.5)));
    for (const status of [...said, ...said.filter(() => random.chance(0.4))])
      await untilAnswered(`POST /sandbox/${kind}/${id}/outcome`, { status });
    return said;
  }

  function end(said: readonly Said[], moved: Said): string {
    if (said.includes("returned")) return "returned";
    if (said.includes(moved)) return moved;
    return said.includes("rejected") ? "rejected" : "pending";
  }

  async function pay(): Promise<void> {
    const amount = 1 + random.below(2_000);
    const body = { walletId, externalAccountId, amount };
    const { payoutId } = (await untilAnswered("POST /payouts", body, true)).body.data;
    const said = await tell("payouts", payoutId);
    const status = end(said, "completed");
    ends.set(payoutId, { status });
    if (status === "completed" || status === "pending") availableMinor -= amount;
  }

  async function pull(): Promise<void> {
    const amount = 1 + random.below(2_000);
    const body = { walletId, externalAccountId, mandateId, amount };
    const { pullId } = (await untilAnswered("POST /pulls", body, true)).body.data;
    const status = end(await tell("pulls", pullId), "collected");
    ends.set(pullId, { status });
    if (status === "collected") pendingMinor += amount;
  }

  async function cancel(): Promise<void> {
    const amount = 1 + random.below(2_000);
    const body = { walletId, externalAccountId, amount };
    const { payoutId } = (await untilAnswered("POST /payouts", body, true)).body.data;
    // A file that is made for another payment may have taken it.
    const isCancelled = await untilAnswered(`POST /payouts/${payoutId}/cancel`, undefined, true);
    ends.set(payoutId, { status: isCancelled.status === 200 ? "cancelled" : "pending" });
    if (isCancelled.status !== 200) availableMinor -= amount;
  }

  async function caller(): Promise<void> {
    while (!isStopped) {
      await random.pick([pay, pay, pull, pull, cancel])();
      await delay(random.below(200));
    }
  }

  const running = Promise.all(Array.from({ length: callers }, caller));
  // Awaited at the end.
  running.catch(() => undefined);

  /** A payment that nothing was said of may wait for a file, or have been sent by the hour's. */
  async function statusOf(id: string): Promise<string> {
    const path = id.startsWith("pul_") ? "pulls" : "payouts";
    const { status } = (await untilAnswered(`GET /${path}/${id}`)).body.data;
    return status === "sent" ? "pending" : status;
  }

  return {
    /** Waits until so many more have ended. */
    proceed: async (count: number) => {
      for (const aim = ends.size + count; ends.size < aim; ) await Promise.race([delay(50), running]);
    },
    stop: async () => {
      isStopped = true;
      await running;
      for (const [id, { status }] of ends) deepStrictEqual([id, await statusOf(id)], [id, status]);
      const wallet = (await untilAnswered(`GET /wallets/${walletId}`)).body.data;
      const { availableBalance, ledgerBalance } = wallet;
      const heldMinor = await sumPending();
      deepStrictEqual(
        { availableBalance, ledgerBalance },
        { availableBalance: availableMinor, ledgerBalance: availableMinor + heldMinor + pendingMinor },
      );
      const listed = ["payouts", "pulls"].map((kind) => untilAnswered(`GET /${kind}?limit=1`));
      const totals = (await Promise.all(listed)).map(({ body }) => body.total as number);
      deepStrictEqual(totals[0] ?? 0, [...ends.keys()].filter((id) => id.startsWith("pay_")).length);
      ok(ends.size > 0);
      return `${ends.size} payouts and pulls with what the bank says of them`;
    },
  };

  /** What is held for payouts of which nothing was said. */
  async function sumPending(): Promise<number> {
    let sum = 0;
    for (const [id, { status }] of ends)
      if (status === "pending" && id.startsWith("pay_"))
        sum += (await untilAnswered(`GET /payouts/${id}`)).body.data.amount;
    return sum;
  }
}
