import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { StatementView } from "../../../shared/contract/statements.ts";
import { journalEntries, parseEntry } from "../../../shared/ledger/journal-entry.ts";
import { balanceChanges } from "../../../shared/ledger/postings.ts";
import { readAllItems, toPartitionQuery } from "../../../shared/platform/table/query.ts";
import { givenAccounts } from "./given-statements.ts";

const step = fc.record({
  what: fc.constantFrom(
    ...(["bank", "pending", "direct", "clear", "reverse", "return", "load", "unload", "to wallet"] as const),
    ...([
      "authorize",
      "settle",
      "release",
      "force-post",
      "refund",
      "refund reversal",
      "cash",
      "fee",
    ] as const),
    ...(["fee reversal", "chargeback", "close"] as const),
  ),
  isCard: fc.boolean(),
  amount: fc.integer({ min: 1, max: 9_000 }),
  /** Up to five weeks. */
  laterMs: fc.integer({ min: 1, max: 35 * 86_400_000 }),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Accounts = Awaited<ReturnType<typeof givenAccounts>>;

let start = Date.UTC(2040, 8, 20);
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Some steps are refused: what they do not move is on no statement. */
class Life {
  readonly #accounts: Accounts;
  readonly #pending: string[] = [];
  readonly #cleared: string[] = [];
  readonly #open: string[] = [];
  readonly #refunds: string[] = [];
  readonly #fees: string[] = [];
  readonly #purchases: string[] = [];

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  async take({ what, isCard, amount }: Step): Promise<void> {
    const { cardId, walletId } = this.#accounts;
    const path: Record<string, string> = isCard ? { cardId } : { walletId };
    const place = isCard ? "/cards/{cardId}" : "/wallets/{walletId}";
    const onCard = (action: string, body: object = { amount }) =>
      this.#try(`POST /cards/{cardId}/${action}`, { cardId }, body);
    const onDeposit = async (ids: string[], action: string) => {
      const depositId = ids.shift();
      if (depositId) await this.#try(`POST /deposits/{depositId}/${action}`, { depositId });
      return depositId;
    };
    switch (what) {
      case "bank":
        return void (await this.#try(`POST ${place}/bank-deposit`, path, {
          amount,
          reference: `Invoice ${amount}`,
        }));
      case "pending":
      case "direct": {
        const made = await this.#try(`POST ${place}/deposits`, path, { amount, pending: what === "pending" });
        if (made) (what === "pending" ? this.#pending : this.#cleared).push(made.depositId);
        return;
      }
      case "clear":
        return void this.#cleared.push((await onDeposit(this.#pending, "clear")) ?? "");
      case "reverse":
        return void (await onDeposit(this.#pending, "reverse"));
      case "return":
        return void (await onDeposit(this.#cleared, "return"));
      case "load":
      case "to wallet": {
        const body = {
          sourceWalletId: walletId,
          destinationType: what === "load" ? 1 : 0,
          amount,
          memo: "Allowance",
        };
        const destinationId = what === "load" ? cardId : await this.#other();
        return void (await this.#try("POST /wallets/transfer", {}, { ...body, destinationId }));
      }
      case "unload":
        return void (await onCard("unload", { walletId, amount }));
      case "authorize":
        return this.#keep(this.#open, (await onCard("authorizations"))?.authorizationId);
      case "settle":
      case "release": {
        const authorizationId = this.#open.shift();
        const action = what === "settle" ? "clear" : "reverse";
        const body = what === "settle" ? { amount, srcAmount: amount, srcCurrency: "978" } : {};
        if (authorizationId)
          await this.#try(`POST /authorizations/{authorizationId}/${action}`, { authorizationId }, body);
        return;
      }
      case "force-post":
        return this.#keep(this.#purchases, (await onCard("force-post"))?.transId);
      case "refund":
        return this.#keep(this.#refunds, (await onCard("refunds"))?.transId);
      case "refund reversal": {
        const transId = this.#refunds.shift();
        if (transId) await this.#try("POST /cards/{cardId}/refunds/{transId}/reverse", { cardId, transId });
        return;
      }
      case "cash":
        return void (await onCard("atm-withdrawals", { amount, advice: true }));
      case "fee":
        return this.#keep(this.#fees, (await onCard("fees", { feeType: 2, amount }))?.feeId);
      case "fee reversal": {
        const feeId = this.#fees.shift();
        if (feeId) await this.#try("POST /cards/{cardId}/fees/{feeId}/reverse", { cardId, feeId });
        return;
      }
      case "chargeback": {
        const transId = this.#purchases.shift();
        if (transId) await onCard("chargebacks", { transId });
        return;
      }
      case "close":
        if (amount % 5 === 0) await onCard("close", { sweepToWalletId: walletId });
        return;
    }
  }

  #keep(ids: string[], id: string | undefined): void {
    if (id !== undefined) ids.push(id);
  }

  async #other(): Promise<string> {
    const { body } = await this.#accounts.program.call("GET /wallets");
    const found = body.items.find((one: { walletId: string }) => one.walletId !== this.#accounts.walletId);
    if (found) return found.walletId;
    return (await this.#accounts.program.call("POST /wallets", { body: { name: "Other" } })).body.data
      .walletId;
  }

  /** Undefined where it is refused. */
  async #try(route: string, path: Record<string, string>, body: object = {}) {
    const answer = await this.#accounts.program.call(route as "POST /x", { path, body });
    expect(answer.status, `${route} ${JSON.stringify(answer.body)}`).toBeLessThan(500);
    expect(answer.status, `${route} ${JSON.stringify(answer.body)}`).not.toBe(422);
    return answer.status === 200 ? answer.body.data : undefined;
  }
}

describe("statements, after any life of a Card and a Wallet", () => {
  it("add up from month to month to the balance, by the journal, and never change once closed", {
    timeout: 240_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 8, maxLength: 45 }),
        fc.constantFrom("Etc/UTC", "America/New_York", "Pacific/Auckland"),
        async (steps, timeZone) => {
          const feeSchedule = [
            { feeType: 3, amount: 100, basisPoints: 50 },
            { feeType: 4, amount: 0, basisPoints: 300 },
          ];
          const accounts = await givenAccounts({ timeZone, feeSchedule });
          const life = new Life(accounts);
          const seen = new Map<string, string>();
          for (const one of steps) {
            vi.setSystemTime(Date.now() + one.laterMs);
            await life.take(one);
            if (one.amount % 4 === 0) await expectProven(accounts, "card", accounts.cardId, seen);
          }
          await expectProven(accounts, "card", accounts.cardId, seen);
          await expectProven(accounts, "wallet", accounts.walletId, seen);
          start = Date.now();
        },
      ),
      { numRuns: 20, endOnFailure: true },
    );
  });
});

async function expectProven(
  accounts: Accounts,
  kind: "card" | "wallet",
  accountId: string,
  seen: Map<string, string>,
) {
  const calls = accounts[kind];
  const { items } = await calls.months({ sort: "asc", limit: "200" });
  let balance = 0;
  const lines: StatementView["lines"] = [];
  for (const { period, start: from, end, closed } of items) {
    const statement = await calls.view(period);
    expect(statement.openingBalance).toBe(balance);
    expect(statement.proof.sum).toBe(statement.closingBalance - statement.openingBalance);
    for (const { amount, balance: after, date } of statement.lines) {
      balance += amount;
      expect(after).toBe(balance);
      expect(date.startsWith(period), `${date} in ${period} (${from} to ${end})`).toBe(true);
    }
    expect(statement.closingBalance).toBe(balance);
    lines.push(...statement.lines);
    if (!closed) continue;
    const text = JSON.stringify([
      statement,
      await calls.text(period, "camt053"),
      await calls.text(period, "csv"),
    ]);
    expect(seen.get(`${accountId} ${period}`) ?? text).toBe(text);
    seen.set(`${accountId} ${period}`, text);
  }
  await expectJournal(accounts, accountId, lines);
  expect(balance).toBe(await balanceOf(accounts, kind));
}

/** Each entry that changed the balance, and nothing else, is on a statement with its amount. */
async function expectJournal(
  { program }: Accounts,
  accountId: string,
  lines: NonNullable<StatementView["lines"]>,
) {
  const { pk } = journalEntries.key(program.programId, accountId, "");
  const entries = (await readAllItems(toPartitionQuery(pk))).flatMap((item) => parseEntry(item) ?? []);
  const moved = entries.flatMap(({ entryId: journalEntryId, postings }) => {
    const change = balanceChanges(postings).get(accountId);
    const amount = change ? change.availableMinor + change.heldMinor : 0;
    return amount === 0 ? [] : [[journalEntryId, amount] as const];
  });
  const onStatements = Map.groupBy(lines, ({ journalEntryId }) => journalEntryId);
  const sums = [...onStatements].map(([journalEntryId, own]) => [
    journalEntryId,
    own.reduce((sum, { amount }) => sum + amount, 0),
  ]);
  expect(Object.fromEntries(sums)).toEqual(Object.fromEntries(moved));
}

async function balanceOf({ program, cardId, walletId }: Accounts, kind: "card" | "wallet"): Promise<number> {
  const path: Record<string, string> = kind === "card" ? { cardId } : { walletId };
  const place = kind === "card" ? "/cards/{cardId}" : "/wallets/{walletId}";
  const { body } = await program.call(`GET ${place}/balance/proof`, { path });
  expect(body.data.proven, JSON.stringify(body)).toBe(true);
  return body.data.ledgerBalance - body.data.pendingDeposits.amount;
}
