import { isOpen, type SuspenseItem } from "../../../shared/domain/deposits/suspense.ts";
import type { JournalEntry } from "../../../shared/domain/ledger/journal-entry.ts";
import { balanceChanges } from "../../../shared/domain/ledger/postings.ts";

/** One Program's totals, in minor units. */
interface Totals {
  /** Of all Cards and Wallets, from their own copies of the entries. */
  accountsMinor: number;
  /** Of the contra accounts, from each entry once. */
  readonly contraMinor: Map<string, number>;
  /** Of open suspense items. */
  suspendedMinor: number;
}

/** Per Program, the totals of Cards and Wallets and of contra accounts must cancel out. */
export class TrialBalance {
  readonly #programs = new Map<string, Totals>();

  /** Adds an account's copy of an entry. Contra accounts count only the copy that `stands`. */
  add(programId: string, accountId: string, { postings }: JournalEntry, stands: boolean): void {
    const totals = this.#totalsOf(programId);
    totals.accountsMinor += balanceChanges(postings).get(accountId)?.ledgerMinor ?? 0;
    if (!stands) return;
    for (const { account, amountMinor } of postings) {
      if (account.includes(":")) continue;
      totals.contraMinor.set(account, (totals.contraMinor.get(account) ?? 0) + amountMinor);
    }
  }

  /** Adds a suspense item's amount while the item is open. */
  addSuspense(programId: string, item: Pick<SuspenseItem, "status" | "amountMinor">): void {
    if (isOpen(item)) this.#totalsOf(programId).suspendedMinor += item.amountMinor;
  }

  faults(): string[] {
    return [...this.#programs].flatMap(([programId, totals]) => {
      const sum = totals.accountsMinor + contraSum(totals);
      const { contraMinor, suspendedMinor } = totals;
      const suspense = contraMinor.get("suspense") ?? 0;
      return [
        ...(sum === 0 ? [] : [`${programId}: accounts and contra accounts differ by ${sum}.`]),
        ...(suspense === suspendedMinor
          ? []
          : [
              `${programId}: the suspense account is ${suspense}, but its open deposits sum to ${suspendedMinor}.`,
            ]),
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
