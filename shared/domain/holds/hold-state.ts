/**
 * What a hold comes to, whatever order its events arrive in: two sums and a flag, each of which any order makes the same. So a clearing, reversal or
 * expiry may come before the authorization that it belongs to.
 */
export interface HoldState {
  /** The authorization, its approved increments and its advices. */
  readonly authorizedMinor: number;
  /** Partial reversals and clearings that are not final. More than was authorized where the network says so. */
  readonly releasedMinor: number;
  /** What finished the authorization; from then on nothing is held for it. */
  readonly closedBy?: HoldClosure | undefined;
}

export type HoldClosure = "cleared" | "reversed" | "expired" | "declined";

export const noHold: HoldState = { authorizedMinor: 0, releasedMinor: 0 };

/** What is held, in minor units: never less than nothing, nothing once the authorization is finished. */
export function outstandingMinor({ authorizedMinor, releasedMinor, closedBy }: HoldState): number {
  return closedBy ? 0 : Math.max(0, authorizedMinor - releasedMinor);
}

/** More is authorized: held as far as it was not released or finished before. */
export function authorized<S extends HoldState>(state: S, amountMinor: number): S {
  return { ...state, authorizedMinor: state.authorizedMinor + amountMinor };
}

/** A part is released; all that is held where that is less. */
export function released<S extends HoldState>(state: S, amountMinor: number): S {
  return { ...state, releasedMinor: state.releasedMinor + amountMinor };
}

/** All is released for good. What finished it first stands. */
export function closed<S extends HoldState>(state: S, closedBy: HoldClosure): S {
  return { ...state, closedBy: state.closedBy ?? closedBy };
}
