import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { handler as wallets } from "../../../functions/wallets/handler.ts";
import { newId } from "../../../shared/platform/id.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { applyEvent } from "../../harness/apply-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { replay } from "../../harness/replay.ts";

interface Balances {
  available: number;
  pending: number;
}

/** The specified balances. Accounts 0 and 1 are wallets, 2 and 3 cards, the last closed. */
class Model {
  readonly accounts: Balances[] = Array.from({ length: 4 }, () => ({ available: 0, pending: 0 }));
  readonly deposits: {
    id: string;
    account: number;
    amount: number;
    status: "pending" | "cleared" | "gone";
  }[] = [];

  at(account: number): Balances {
    const balances = this.accounts[account];
    if (!balances) throw new Error(`There is no account ${account}.`);
    return balances;
  }
}

interface Real {
  readonly programId: string;
  readonly ids: readonly string[];
}

interface Step {
  run(model: Model, real: Real): Promise<void>;
}

const closed = 3;

const event = (real: Real, changes: object) =>
  applyEvent({ programId: real.programId, eventId: newId("event"), ...changes } as Parameters<
    typeof applyEvent
  >[0]);

const accountFields = (real: Real, account: number) => ({
  accountType: account < 2 ? 0 : 1,
  accountId: real.ids[account],
});

function transfer(from: 0 | 1, to: number, amount: number, allowPartial: boolean): Step {
  return {
    run: async (model, real) => {
      const body = {
        sourceWalletId: real.ids[from],
        destinationType: to < 2 ? 0 : 1,
        destinationId: real.ids[to],
        amount,
        allowPartial,
      };
      const answer = await replay(
        wallets,
        apiEvent({ route: "POST /wallets/transfer", caller: { programId: real.programId }, body }),
      );
      if (from === to) return expect(answer.status).toBe(422) as never;
      const { available } = model.at(from);
      const moved =
        to === closed ? 0 : available >= amount ? amount : allowPartial ? Math.max(0, available) : 0;
      expect(answer.body.data).toMatchObject({
        transStatus: moved === amount ? 1 : moved > 0 ? 3 : 2,
        transferredAmount: moved,
      });
      model.at(from).available -= moved;
      model.at(to).available += moved;
    },
  };
}

function deposit(account: number, amount: number, pending: boolean): Step {
  return {
    run: async (model, real) => {
      const result = await event(real, {
        kind: pending ? "deposit_pending" : "deposit_cleared",
        ...accountFields(real, account),
        amount,
        channel: amount % 2 ? "bank" : "crypto",
      });
      if (account === closed)
        return expect(result).toMatchObject({ outcome: "applied", suspenseId: expect.any(String) });
      if (result.outcome !== "applied" || !result.depositId) throw new Error("The deposit was not applied.");
      model.at(account)[pending ? "pending" : "available"] += amount;
      model.deposits.push({ id: result.depositId, account, amount, status: pending ? "pending" : "cleared" });
    },
  };
}

/** The bank clears, reverses or returns a deposit; the return of a pending one reverses it. */
function settle(which: number, trigger: "cleared" | "reversed" | "returned"): Step {
  return {
    run: async (model, real) => {
      const chosen = model.deposits[which % Math.max(model.deposits.length, 1)];
      const depositId = chosen?.id ?? newId("deposit");
      const result = await event(real, { kind: `deposit_${trigger}`, depositId });
      if (!chosen) return expect(result).toEqual({ outcome: "refused", code: "NOT_FOUND" });
      const { account, amount, status } = chosen;
      const isPossible = status === "pending" || (status === "cleared" && trigger === "returned");
      if (!isPossible) return expect(result).toEqual({ outcome: "refused", code: "ILLEGAL_TRANSITION" });
      expect(result.outcome).toBe("applied");
      chosen.status = trigger === "cleared" ? "cleared" : "gone";
      model.at(account)[status === "pending" ? "pending" : "available"] -= amount;
      if (trigger === "cleared") model.at(account).available += amount;
    },
  };
}

const amount = fc.integer({ min: 1, max: 100 });
const account = fc.nat(3);
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.tuple(account, amount, fc.boolean()).map((args) => deposit(...args)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.nat(20), fc.constantFrom("cleared", "reversed", "returned"))
        .map((args) => settle(...args)),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom<0 | 1>(0, 1), account, amount, fc.boolean())
        .map((args) => transfer(...args)),
    },
  ),
  { minLength: 5, maxLength: 25 },
);

describe("the ledger, through any sequence of deposits, clearings, reversals, returns and transfers", () => {
  it("keeps every identity after each step, and does what the specification says it does", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const programId = await givenStoredProgram();
        const ids = [
          await givenStoredWallet(programId),
          await givenStoredWallet(programId),
          await givenStoredCard(programId, 2),
          await givenStoredCard(programId, closed),
        ];
        const model = new Model();
        let writes = 0;
        using _ = injectFaults(({ command }) => {
          if (command !== "TransactWriteItems") return undefined;
          writes += 1;
          return writes % 15 === 0 ? "timeout-after-commit" : undefined;
        });
        for (const step of sequence) {
          await step.run(model, { programId, ids });
          const items = await expectBooksInOrder(programId);
          for (const [index, { available, pending }] of model.accounts.entries()) {
            expect(balancesIn(items, ids[index] ?? "")).toEqual({
              availableMinor: available,
              heldMinor: 0,
              pendingDepositMinor: pending,
              ledgerMinor: available + pending,
            });
          }
        }
      }),
      { numRuns: 10 },
    );
  }, 180_000);
});
