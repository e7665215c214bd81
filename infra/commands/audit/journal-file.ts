import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { type Currency, currencyNames } from "../../../shared/contract/enums.ts";
import type { AccountBalances } from "../../../shared/ledger/account.ts";
import type { JournalEntry } from "../../../shared/ledger/journal-entry.ts";

/**
 * Writes the journal for hledger, which proves it without the platform's code: each entry once,
 * then the stored balances as assertions.
 */
export class JournalFile {
  readonly #file;
  #lastDate = "1970-01-01";

  constructor(path: string) {
    this.#file = createWriteStream(path, { mode: 0o600 });
    for (const code of Object.values(currencyNames)) this.#file.write(`commodity 1000.00 ${code}\n`);
  }

  async entry(programId: string, currency: Currency, entry: JournalEntry): Promise<void> {
    const { entryId, kind, relatedId, postings, createdAt } = entry;
    const date = createdAt.slice(0, 10);
    if (date > this.#lastDate) this.#lastDate = date;
    await this.#transaction(`${date} * (${entryId}) ${kind}  ; ${relatedId}`, [
      ...postings.map(({ account, amountMinor }) => [
        `${programId}:${account}`,
        toAmount(amountMinor, currency),
      ]),
    ]);
  }

  /** Call this after the last entry. */
  async stored(programId: string, accountId: string, currency: Currency, balances: AccountBalances) {
    const { availableMinor, heldMinor, pendingDepositMinor } = balances;
    const parts = { available: availableMinor, held: heldMinor, pending: pendingDepositMinor };
    await this.#transaction(`${this.#lastDate} * stored balances`, [
      ...Object.entries(parts).map(([part, minor]) => [
        `${programId}:${accountId}:${part}`,
        `${toAmount(0, currency)} = ${toAmount(minor, currency)}`,
      ]),
    ]);
  }

  async end(): Promise<void> {
    this.#file.end();
    await finished(this.#file);
  }

  async #transaction(title: string, postings: string[][]): Promise<void> {
    const lines = postings.map(([account, amount]) => `    ${account}  ${amount}\n`);
    if (this.#file.write(`\n${title}\n${lines.join("")}`)) return;
    await once(this.#file, "drain");
  }
}

function toAmount(minor: number, currency: Currency): string {
  const digits = String(Math.abs(minor)).padStart(3, "0");
  return `${minor < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)} ${currencyNames[currency]}`;
}
