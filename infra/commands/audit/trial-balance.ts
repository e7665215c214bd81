import { isOpen, type SuspenseItem } from "../../../shared/domain/deposits/suspense.ts";
import type { JournalEntry } from "../../../shared/domain/ledger/journal-entry.ts";
import { balanceChanges } from "../../../shared/domain/ledger/postings.ts";

/** One Program's totals, in minor units. */
interface Totals {
  /** Of all cards and wallets, each by its own copies of the entries. */
  accountsMinor: number;
  /** Of the contra accounts, by each entry once. */
  readonly contraMinor: Map<string, number>;
  /** Of the deposits that are in suspense. */
  suspendedMinor: number;
}

/** For each Program, what cards and wallets hold and what the contra accounts owe for it: the two must cancel out. */
export class TrialBalance {
  readonly #programs = new Map<string, Totals>();

  /** Adds the copy that stands with the account; `stands` where it is the one that stands for the entry. */
  add(programId: string, accountId: string, { postings }: JournalEntry, stands: boolean): void {
    const totals = this.#totalsOf(programId);
    totals.accountsMinor += balanceChanges(postings).get(accountId)?.ledgerMinor ?? 0;
    if (!stands) return;
    for (const { account, amountMinor } of postings) {
      if (account.includes(":")) continue;
      totals.contraMinor.set(account, (totals.contraMinor.get(account) ?? 0) + amountMinor);
    }
  }

  /** Adds a suspense item: while it is open, its amount is in the suspense account. */
  addSuspense(programId: string, item: Pick<SuspenseItem, "status" | "amountMinor">): void {
    if (isOpen(item)) this.#totalsOf(programId).suspendedMinor += item.amountMinor;
  }

  faults(): string[] {
    return [...this.#programs].flatMap(([programId, totals]) => {
      const sum = totals.accountsMinor + contraSum(totals);
      const { contraMinor, suspendedMinor } = totals;
      const suspense = contraMinor.get("suspense") ?? 0;
      return [
        ...(sum === 0 ? [] : [`${programId}: accounts and contra accounts are apart by ${sum}.`]),
        ...(suspense === suspendedMinor
          ? []
          : [`${programId}: suspense is ${suspense}, the deposits in it add up to ${suspendedMinor}.`]),
      ];
    });
  }

  #totalsOf(programId: string): Totals {
    const known = this.#programs.get(programId);
    if (known) return known;
    const totals: Totals = { accountsMinor: 0, contraMinor: new Map(), suspendedMinor: 0 };
    this.#programs.set(programId, totals);
    return totals;
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
