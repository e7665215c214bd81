import { type Checkpoint, checkpoints, isCovered } from "../../../shared/proofs/checkpoint.ts";
import { JournalTally } from "../../../shared/proofs/journal-tally.ts";
import type { Item } from "./scan.ts";

/** Adds up again what an account's checkpoint covers. */
export class CheckpointCheck {
  readonly #checkpoint: Checkpoint | undefined;
  readonly #tally: JournalTally;
  #unreadable: string | undefined;

  constructor(accountId: string, item: Item) {
    this.#tally = new JournalTally(accountId);
    try {
      this.#checkpoint = checkpoints.parse(item);
    } catch {
      this.#unreadable = "it";
    }
  }

  /** Takes all items of the account in key order. */
  add(item: Item): void {
    const sk = String(item.sk);
    const checkpoint = this.#checkpoint;
    if (!checkpoint || !isCovered(checkpoint, sk)) return;
    const isPending = checkpoint.pendingCredits.includes(String(item.transId));
    try {
      this.#tally.add(isPending ? { ...item, entityId: undefined } : item);
    } catch {
      this.#unreadable ??= sk;
    }
  }

  *differences(): Iterable<string> {
    if (this.#unreadable !== undefined) yield `${this.#unreadable} cannot be read`;
    if (!this.#checkpoint) return;
    const found = toFigures({ ...this.#tally.toCheckpoint(""), ...this.#tally.sums() });
    const kept = toFigures(this.#checkpoint);
    for (const name of new Set([...Object.keys(kept), ...Object.keys(found)])) {
      if (kept[name] !== found[name]) yield `${name} is ${kept[name]}, but ${found[name]} in the journal`;
    }
  }
}

type Figures = Pick<
  Checkpoint,
  | "parts"
  | "journalEntries"
  | "imbalanceMinor"
  | "balances"
  | "depositsAndCreditsMinor"
  | "settledDebitsMinor"
  | "statementMinor"
>;

function toFigures({ parts, balances, ...sums }: Figures): Readonly<Record<string, number | string>> {
  const { journalEntries, imbalanceMinor, depositsAndCreditsMinor, settledDebitsMinor, statementMinor } =
    sums;
  // A part without entries has none.
  const digests = Object.entries(parts)
    .filter(([, { digest }]) => digest !== "")
    .map(([part, { digest }]) => [`the digest of ${part}`, digest]);
  return {
    journalEntries,
    imbalanceMinor,
    ...balances,
    depositsAndCreditsMinor,
    settledDebitsMinor,
    statementMinor,
    ...Object.fromEntries(digests),
  };
}
