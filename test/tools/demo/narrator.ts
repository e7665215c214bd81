interface Balances {
  readonly availableBalance: number;
  readonly ledgerBalance: number;
}

interface Followed {
  readonly name: string;
  /** The balances as the API answers them. */
  readonly read: () => Promise<Balances>;
}

/** Prints each step and the balances after it. */
export class Narrator {
  #steps = 0;
  #accounts: readonly Followed[] = [];

  step(title: string, ...facts: string[]): void {
    this.#steps += 1;
    console.log(`\n${String(this.#steps).padStart(2)}. ${title}`);
    for (const fact of facts) console.log(`    ${fact}`);
  }

  /** From now on, the balances of these are shown. */
  follow(...accounts: Followed[]): void {
    this.#accounts = accounts;
  }

  async balances(): Promise<void> {
    for (const { name, read } of this.#accounts) {
      const { availableBalance, ledgerBalance } = await read();
      console.log(
        `    ${name.padEnd(8)} available ${money(availableBalance)}   ledger ${money(ledgerBalance)}`,
      );
    }
  }
}

/** Minor units as the demo Program's currency. */
export function money(amountMinor: number): string {
  return `${(amountMinor / 100).toFixed(2)} USD`.padStart(12);
}
