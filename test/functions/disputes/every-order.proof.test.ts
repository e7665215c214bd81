import fc from "fast-check";
import { expect, test } from "vitest";
import { takeDisputeStep } from "../../../functions/deadlines/due-network-events.ts";
import { handler as disputes } from "../../../functions/disputes/handler.ts";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { readAccount } from "../../../shared/ledger/hot-wallets.ts";
import type { AppliedResult } from "../../../shared/network-events/plan.ts";
import { newId } from "../../../shared/platform/id.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { findFaults } from "../../harness/audit-books.ts";
import { setProgramSettings } from "../../harness/given-network.ts";
import { givenStoredCard, givenStoredProgram } from "../../harness/given-stored.ts";
import { replay } from "../../harness/replay.ts";

const openingMinor = 10_000;
const dayMs = 86_400_000;

type Answer = Partial<AppliedResult> & { readonly outcome: string };
const purchase = { clearings: [1_000, 2_000, 3_000], fee: 0 } as const;
const cash = { clearings: [3_000], fee: 50 } as const;

interface Ids {
  readonly programId: string;
  readonly cardId: string;
}
type Spent = typeof purchase | typeof cash;

/** One purchase or withdrawal, of which everything is tried to get back more than was spent. */
class Scene {
  readonly #ids: Ids;
  readonly #spent: Spent;
  readonly #posted: string[] = [];
  readonly #refunds: { readonly transId: string; readonly amount: number }[] = [];
  /** What the network has paid: by refunds and reversals. */
  #byNetwork = 0;
  #feeBack = 0;
  /** Unknown ones until there are disputes. */
  #disputeId = newId("dispute");
  #draftId = newId("dispute");
  readonly #made = new Set<string>();

  constructor(ids: Ids, spent: Spent) {
    this.#ids = ids;
    this.#spent = spent;
  }

  async begin(): Promise<void> {
    if (this.#spent === cash) {
      const paid = await this.#send({
        kind: "atm_withdrawal",
        authorizationId: this.#ids.cardId,
        amount: 3_000,
        feeAmount: 50,
      });
      this.#posted.push(paid.transId ?? "");
      return;
    }
    await this.#send({ kind: "authorization", authorizationId: this.#ids.cardId, amount: 6_000 });
    for (const [nth, amount] of this.#spent.clearings.entries()) {
      const clearing = { kind: "clearing", authorizationId: this.#ids.cardId, amount, final: nth === 2 };
      this.#posted.push((await this.#send(clearing)).transId ?? "");
    }
  }

  readonly steps = {
    draft: async () => {
      this.#draftId = await this.#dispute({});
    },
    "partial draft": async () => {
      this.#draftId = await this.#dispute({ amount: 1_200 });
    },
    "another part": async () => {
      this.#disputeId = await this.#dispute({ amount: 700 });
      await this.#call("POST /disputes/{disputeId}/submit", this.#disputeId);
    },
    submit: async () => {
      await this.#call("POST /disputes/{disputeId}/submit", this.#draftId);
      this.#disputeId = this.#draftId;
    },
    chargeback: async () => {
      const { chargebackId } = await this.#send({ kind: "chargeback", transId: this.#last });
      if (chargebackId !== undefined) this.#disputeId = this.#keep(chargebackId);
    },
    credit: async () => {
      const disputeId = this.#disputeId;
      if (!this.#made.has(disputeId)) return;
      const deadline = { ownerId: this.#ids.programId, deadlineId: `credit:${disputeId}`, disputeId };
      const dueAt = new Date(Date.now() + 20 * dayMs);
      await takeDisputeStep({ kind: "credit_dispute", ...deadline, dueAt }, disputeId, "credit");
    },
    won: () => this.#outcome("won"),
    lost: () => this.#outcome("lost"),
    "written off": () => this.#call("POST /disputes/{disputeId}/write-off", this.#disputeId),
    withdrawn: () => this.#call("POST /disputes/{disputeId}/withdraw", this.#disputeId),
    refund: () => this.#refund(3_000),
    "partial refund": () => this.#refund(1_100),
    "reversed refund": async () => {
      const refund = this.#refunds.pop();
      if (!refund) return;
      await this.#send({ kind: "refund_reversal", transId: refund.transId });
      this.#byNetwork -= refund.amount;
    },
    reversal: () => this.#reverse({}),
    "partial reversal": () => this.#reverse({ amount: 1_300 }),
    "fee reversal": async () => {
      if (this.#spent === cash) await this.#reverse({ withFee: true });
    },
  };

  /** Never more than was spent, or than the network has paid; never less than it has paid. */
  async check(): Promise<void> {
    const account = await readAccount(this.#ids.programId, { kind: "card", accountId: this.#ids.cardId });
    const { clearings, fee } = this.#spent;
    const spent = clearings.reduce((sum, amount) => sum + amount, 0);
    const back = (account?.ledgerMinor ?? 0) - (openingMinor - spent - fee) - this.#feeBack;
    expect(back).toBeGreaterThanOrEqual(this.#byNetwork);
    expect(back).toBeLessThanOrEqual(Math.max(spent, this.#byNetwork));
  }

  get #last(): string {
    return this.#posted.at(-1) ?? "";
  }

  async #send(event: object): Promise<Answer> {
    const sent = { eventId: newId("event"), final: false, ...this.#ids, ...event };
    return (await processor(sent as never)) as never;
  }

  async #call(route: string, disputeId?: string, body: object = {}) {
    const path = disputeId === undefined ? {} : { path: { disputeId } };
    const caller = { programId: this.#ids.programId };
    const answer = await replay(disputes, apiEvent({ route, ...path, body, caller } as never));
    expect([200, 404, 409]).toContain(answer.status);
    return answer;
  }

  async #dispute(body: object): Promise<string> {
    const asked = { referenceCode: this.#last, reason: "not_received", ...body };
    const { status, body: answer } = await this.#call("POST /disputes", undefined, asked);
    return status === 200 ? this.#keep(answer.data.disputeId) : newId("dispute");
  }

  #keep(disputeId: string): string {
    this.#made.add(disputeId);
    return disputeId;
  }

  #outcome(status: string) {
    return this.#send({ kind: "dispute_outcome", disputeId: this.#disputeId, status });
  }

  async #refund(amount: number) {
    const { transId = "" } = await this.#send({ kind: "refund", amount, originalTransId: this.#last });
    this.#refunds.push({ transId, amount });
    this.#byNetwork += amount;
  }

  async #reverse(more: object) {
    const reversal = { kind: "authorization_reversal", authorizationId: this.#ids.cardId, ofPosted: true };
    const { outcome, amount = 0, transId = "" } = await this.#send({ ...reversal, ...more });
    if (outcome !== "applied" || amount === 0) return;
    this.#byNetwork += amount;
    if (this.#spent === purchase) this.#refunds.push({ transId, amount });
    if ("withFee" in more) this.#feeBack = this.#spent.fee;
  }
}

type Step = keyof Scene["steps"];
const all = Object.keys(new Scene({ programId: "", cardId: "" }, purchase).steps) as readonly Step[];

/** Every order of two, before or after a dispute is opened, and then its best end. */
function orders(opened: "draft" | "chargeback"): Step[][] {
  const pairs = all.flatMap((one) => all.filter((other) => other !== one).map((other) => [one, other]));
  return pairs.map((pair): Step[] =>
    opened === "draft"
      ? ["draft", ...(pair as Step[]), "submit", "credit", "won"]
      : ["chargeback", ...(pair as Step[]), "written off"],
  );
}

async function run(programId: string, spent: Spent, steps: readonly Step[]) {
  const scene = new Scene({ programId, cardId: await givenStoredCard(programId, 1, openingMinor) }, spent);
  await scene.begin();
  for (const step of steps) {
    await scene.steps[step]();
    await scene.check().catch((error: Error) => {
      throw new Error(`After ${step} of ${steps.join(", ")}: ${error.message}`);
    });
  }
}

test.each([
  ["a purchase, by its Cardholder", purchase, "draft"],
  ["a purchase, by the network", purchase, "chargeback"],
  ["a withdrawal", cash, "chargeback"],
] as const)(
  "no more than was spent comes back of %s, in any order",
  async (_, spent, opened) => {
    const programId = await givenStoredProgram();
    const left = orders(opened);
    const lane = async () => {
      for (let steps = left.pop(); steps; steps = left.pop()) await run(programId, spent, steps);
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    expect(await findFaults()).toEqual([]);
  },
  600_000,
);

test("nor in long random orders", async () => {
  const programId = await givenStoredProgram();
  await setProgramSettings(programId, { provisionalCreditAtOnce: true });
  const steps = fc.array(fc.constantFrom(...all), { minLength: 6, maxLength: 16 });
  const one = fc.tuple(fc.constantFrom(purchase, cash), steps);
  const property = fc.asyncProperty(one, ([spent, order]) => run(programId, spent, order));
  await fc.assert(property, { numRuns: 60, seed: Date.now() % 1_000_000_000 });
  expect(await findFaults()).toEqual([]);
}, 300_000);
