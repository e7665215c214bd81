import type { Client } from "./client.ts";

interface Balances {
  readonly availableBalance: number;
  readonly ledgerBalance: number;
}

/** Says what happens, step by step, and how the balances stand after it. */
export class Narrator {
  readonly #client: Client;
  #steps = 0;
  #accounts: readonly { readonly name: string; readonly path: string }[] = [];

  constructor(client: Client) {
    this.#client = client;
  }

  step(title: string, ...facts: string[]): void {
    this.#steps += 1;
    console.log(`\n${String(this.#steps).padStart(2)}. ${title}`);
    for (const fact of facts) console.log(`    ${fact}`);
  }

  /** From now on, the balances of these are shown. */
  follow(...accounts: { readonly name: string; readonly path: string }[]): void {
    this.#accounts = accounts;
  }

  /** Shows the balances of every account that is followed, as the API answers them. */
  async balances(): Promise<void> {
    for (const { name, path } of this.#accounts) {
      const { body } = await this.#client.call(`GET ${path}`);
      const { availableBalance, ledgerBalance } = body.data as Balances;
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
