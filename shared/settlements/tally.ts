import type { MatchingRule, Reconciled } from "../contract/settlements.ts";

type Kind = "missing" | "doubled" | "differing";
type Difference<K extends Kind> = Reconciled[K][number];

export interface Lost {
  count: number;
  amount: number;
  difference: number;
}

/** What a report has found so far. As JSON, it can go on in another process. */
export interface Tally {
  phase: "unposted" | "files" | "transactions" | "fees" | "done";
  /** In the phase under way: the last part of a file, or how many records were read. */
  after?: string | undefined;
  offset: number;
  /** The first record of the file under way that was not compared yet. */
  next?: { readonly source: string; readonly number: number } | undefined;
  /** Transactions of the day, of any kind. */
  total: number;
  files: { fileId: string; records: number }[];
  gross: number;
  interchange: number;
  disputes: number;
  fees: number;
  transactions: number;
  matched: number;
  otherDay: number;
  missing: Difference<"missing">[];
  doubled: Difference<"doubled">[];
  differing: Difference<"differing">[];
  unlisted: number;
  webhooksCompared: boolean;
  matching: {
    settlements: number;
    correct: number;
    wrong: number;
    wrongAmount: number;
    unscored: number;
    lost: { [Rule in MatchingRule]?: Lost };
  };
}

export function newTally(): Tally {
  return {
    phase: "unposted",
    offset: 0,
    total: 0,
    files: [],
    gross: 0,
    interchange: 0,
    disputes: 0,
    fees: 0,
    transactions: 0,
    matched: 0,
    otherDay: 0,
    missing: [],
    doubled: [],
    differing: [],
    unlisted: 0,
    webhooksCompared: false,
    matching: { settlements: 0, correct: 0, wrong: 0, wrongAmount: 0, unscored: 0, lost: {} },
  };
}

/** Each list has no more: a report is one answer. */
const mostListed = 1_000;

export function note<K extends Kind>(tally: Tally, kind: K, difference: Difference<K>): void {
  const list = tally[kind] as Difference<K>[];
  if (list.length < mostListed) list.push(difference);
  else tally.unlisted += 1;
}
