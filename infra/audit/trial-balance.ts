import type { JournalEntry } from "../../shared/ledger/journal-entry.ts";
import { balanceChanges } from "../../shared/ledger/posting.ts";

/** One Program's totals, in minor units. */
interface Totals {
  /** Of all cards and wallets, each by its own copies of the entries. */
  accountsMinor: number;
  /** Of the contra accounts, by each entry once. */
  readonly contraMinor: Map<string, number>;
}

/** For each Program, what cards and wallets hold and what the contra accounts owe for it: the two must cancel out. */
export class TrialBalance {
  readonly #programs = new Map<string, Totals>();

  /** Adds the copy that stands with the account; `stands` where it is the one that stands for the entry. */
  add(programId: string, accountId: string, { postings }: JournalEntry, stands: boolean): void {
    const totals = this.#programs.get(programId) ?? { accountsMinor: 0, contraMinor: new Map() };
    this.#programs.set(programId, totals);
    totals.accountsMinor += balanceChanges(postings).get(accountId)?.ledgerMinor ?? 0;
    if (!stands) return;
    for (const { account, amountMinor } of postings) {
      if (account.includes(":")) continue;
      totals.contraMinor.set(account, (totals.contraMinor.get(account) ?? 0) + amountMinor);
    }
  }

  faults(): string[] {
    return [...this.#programs].flatMap(([programId, totals]) => {
      const sum = totals.accountsMinor + contraSum(totals);
      return sum === 0 ? [] : [`${programId}: accounts and contra accounts are apart by ${sum}.`];
    });
  }

  /** Lines for people. */
  lines(): string[] {
    return [...this.#programs].flatMap(([programId, { accountsMinor, contraMinor }]) => [
      `${programId}  cards and wallets  ${accountsMinor}`,
      ...[...contraMinor].toSorted().map(([account, minor]) => `${programId}  ${account}  ${minor}`),
    ]);
  }
}

function contraSum({ contraMinor }: Totals): number {
  return [...contraMinor.values()].reduce((sum, minor) => sum + minor, 0);
}
