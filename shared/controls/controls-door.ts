import type { FailedConditions, WriteAction } from "../platform/table/transact.ts";
import type { ControlledCard } from "./rulebooks.ts";
import type { ControlsInForce } from "./usage.ts";

type Found = Promise<ControlsInForce | undefined>;

/** What an event that lost a commit knows of it. */
export interface LostCommit {
  readonly failed: FailedConditions;
  /** The items of failed conditions may be out of date. */
  readonly waited: boolean;
  readonly amountMinor: number;
}

/** The usage of a Program that many count in at once is split into parts: only these know how. */
interface ControlReaders {
  /** Without a read: what this process knows of a part. Undefined where that is not enough. */
  readonly recall: (programId: string) => Found;
  readonly read: (programId: string, card: ControlledCard | Promise<ControlledCard | undefined>) => Found;
  /** In place of controls of which a part was not enough. */
  readonly readMore: (card: ControlledCard, seen: ControlsInForce, amountMinor: number) => Found;
  readonly readAgain: (card: ControlledCard, seen: ControlsInForce, lost: LostCommit) => Found;
  /** Whether these writes count more in a part than it can decide alone. */
  readonly lacksShare: (seen: ControlsInForce, writes: readonly WriteAction[], atMs: number) => boolean;
}

let readers: ControlReaders | undefined;

/** The table of a Card's changes opens this door: `open-controls.ts`. */
export function openControls(opened: ControlReaders): void {
  readers = opened;
}

/** Without it, a part of a Program's usage would be taken for all of it. */
export function controlReaders(): ControlReaders {
  if (!readers) throw new Error("Spend controls are read, and their door is not open.");
  return readers;
}
