import { pause } from "../../../shared/platform/clock.ts";

const patienceMs = 30_000;

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

  /** Looks again until it is so, or the patience is over. */
  async until<T>(look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
    for (const endsAt = Date.now() + patienceMs; ; await pause(250)) {
      const seen = await look();
      if (isSo(seen)) return seen;
      if (Date.now() > endsAt) throw new Error(`It stays ${JSON.stringify(seen)}.`);
    }
  }

  /** From now on, the balances of these are shown. */
  follow(...accounts: Followed[]): void {
    this.#accounts = accounts;
  }

  async balances(): Promise<void> {
    for (const { name, read } of this.#accounts) {
      const { availableBalance, ledgerBalance } = await read();
      const [available, ledger] = [availableBalance, ledgerBalance].map((one) => money(one).padStart(12));
      console.log(`    ${name.padEnd(8)} available ${available}   ledger ${ledger}`);
    }
  }
}

/** Minor units as the demo Program's currency. */
export function money(amountMinor: number): string {
  return `${(amountMinor / 100).toFixed(2)} USD`;
}
