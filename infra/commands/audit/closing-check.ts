import { type Closing, closings } from "../../../shared/books/closing.ts";
import type { JournalEntry } from "../../../shared/ledger/journal-entry.ts";
import type { Item } from "./scan.ts";

/** Days begin at whole quarters of an hour, in every time zone. */
const quarterMs = 900_000;

/** Adds up again the contra accounts at the ends of days whose books were read. */
export class ClosingCheck {
  readonly #closings: { readonly programId: string; readonly closing: Closing }[] = [];
  /** What moved, by Program and contra account, in each quarter of an hour. */
  readonly #moved = new Map<string, Map<number, number>>();

  add(programId: string, item: Item): void {
    if (String(item.pk).endsWith("#CLOSINGS"))
      this.#closings.push({ programId, closing: closings.parse(item) });
  }

  /** Once for each entry. */
  addEntry(programId: string, { postings, createdAt }: JournalEntry): void {
    const quarter = Math.floor(Date.parse(createdAt) / quarterMs);
    for (const { account, amountMinor } of postings) {
      if (account.includes(":")) continue;
      const name = `${programId} ${account}`;
      const sums = this.#moved.get(name) ?? new Map<number, number>();
      this.#moved.set(name, sums.set(quarter, (sums.get(quarter) ?? 0) + amountMinor));
    }
  }

  faults(): string[] {
    return this.#closings.flatMap(({ programId, closing: { date, until, contraMinor } }) => {
      const end = Date.parse(until) / quarterMs;
      const moved = [...this.#moved].filter(([name]) => name.startsWith(`${programId} `));
      const found = new Map(
        moved.map(([name, sums]) => [
          name.slice(programId.length + 1),
          [...sums].reduce((sum, [quarter, minor]) => (quarter < end ? sum + minor : sum), 0),
        ]),
      );
      return [...new Set([...found.keys(), ...Object.keys(contraMinor)])].flatMap((account) => {
        const [kept, inJournal] = [contraMinor[account] ?? 0, found.get(account) ?? 0];
        return kept === inJournal
          ? []
          : [`${programId}: ${account} closed ${date} with ${kept}, but with ${inJournal} in the journal.`];
      });
    });
  }
}
