/**
 * What a plain-text journal says, read by itself: no code of the platform or of the audit has a
 * part in it.
 */
export interface PlainJournal {
  readonly entries: readonly { readonly program: string; readonly kind: string }[];
  /** Titles of transactions that do not sum to zero. */
  readonly unbalanced: readonly string[];
  /** What each account is asserted to hold, as it is written. */
  readonly asserted: ReadonlyMap<string, string>;
  readonly brokenAssertions: readonly string[];
  /** What the postings of each account sum to. */
  readonly balances: ReadonlyMap<string, string>;
}

const posting =
  /^ {4}(?<account>\S+) {2}(?<amount>-?\d+\.\d{2}) (?<code>[A-Z]{3})(?: = (?<asserted>-?\d+\.\d{2}) [A-Z]{3})?$/;

export function readJournal(text: string): PlainJournal {
  const entries: { program: string; kind: string }[] = [];
  const unbalanced: string[] = [];
  const asserted = new Map<string, string>();
  const sums = new Map<string, { cents: bigint; code: string }>();
  const brokenAssertions: string[] = [];
  for (const block of text.trim().split("\n\n")) {
    const [title = "", ...lines] = block.split("\n");
    if (!/^\d{4}-\d\d-\d\d /.test(title)) continue;
    let sum = 0n;
    for (const line of lines) {
      const { account = "", amount = "", code = "", asserted: held } = posting.exec(line)?.groups ?? {};
      if (account === "") throw new Error(`Not a posting: ${line}`);
      sum += cents(amount);
      const before = sums.get(account)?.cents ?? 0n;
      sums.set(account, { cents: before + cents(amount), code });
      if (held === undefined) continue;
      asserted.set(account, `${held} ${code}`);
      if (sums.get(account)?.cents !== cents(held)) brokenAssertions.push(account);
    }
    if (sum !== 0n) unbalanced.push(title);
    const kind = /^\S+ \* \(\S+\) (\S+)/.exec(title)?.[1];
    const program = /^ {4}(prg_\w+):/.exec(lines[0] ?? "")?.[1];
    if (kind && program) entries.push({ kind, program });
  }
  const balances = new Map(
    [...sums].map(([account, { cents: sum, code }]) => [account, `${written(sum)} ${code}`]),
  );
  return { entries, unbalanced, asserted, brokenAssertions, balances };
}

const cents = (amount: string) => BigInt(amount.replace(".", ""));

function written(sum: bigint): string {
  const digits = String(sum < 0n ? -sum : sum).padStart(3, "0");
  return `${sum < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
