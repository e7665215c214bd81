/** What a comparison is measured on. Its process stands in the build's directory. */
export interface Side {
  readonly name: "before" | "now";
  /** The build's. Before: the earlier one's, unless the base is another. */
  readonly directory: string;
  /** Fewer or smaller samples, since the whole bench is to take three minutes. */
  readonly isQuick: boolean;
}

export type Limit = { readonly most: number } | { readonly least: number };

export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** Of now to before, in each pair. */
  readonly ratio?: Limit;
  /** Of now alone. */
  readonly value?: Limit;
}

/**
 * A part that measures two sides in turn. Each side has a process of its own, which imports this,
 * opens the side once, measures it for each pair, and closes it.
 */
export interface Comparison {
  readonly title: string;
  /** What "before" is, if it is not the earlier build of `--before`: "a bare loop". */
  readonly base?: string;
  readonly figures: readonly Figure[];
  /** Neighbouring pairs, by default nine, and five if quick: one for exact counts. */
  readonly pairs?: number;
  readonly quickPairs?: number;
  /** Takes more than half a minute even if quick: with --quick only if named. */
  readonly isSlow?: boolean;
  /** Takes more than five minutes: only if named. */
  readonly isVerySlow?: boolean;
  /** The first measurement of each side is not counted, unless this says so. */
  readonly isColdMeasured?: boolean;
  open(side: Side): Promise<OpenSide>;
}

export interface OpenSide {
  /** A value for each figure that this side has, in the order of the figures. */
  measure(): Promise<readonly (number | undefined)[]>;
  close?(): Promise<void>;
}
