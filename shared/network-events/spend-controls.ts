import type { Hold } from "../authorizations/holds/hold.ts";
import type { CardIdentity } from "../cards/card.ts";
import type { FailedConditions, WriteAction } from "../platform/table/transact.ts";
import type { Counted, Refusal } from "../transactions/transaction.ts";
import type { AskedCardEvent, CardEvent } from "./card-event.ts";

/** An event, as far as controls look at it. Amounts are in minor units of the Card's currency. */
export interface ControlledEvent<E extends CardEvent = CardEvent> {
  readonly event: E;
  readonly card: CardIdentity;
  readonly hold?: Hold | undefined;
  readonly at: Date;
}

export interface ControlDecline {
  readonly controlId: string;
  readonly refusal: Refusal;
  /** It declines by a part of what was counted: the whole may say otherwise. */
  readonly isUncertain: boolean;
}

/** What is written with a record. */
export interface CountedWrites {
  readonly writes: readonly WriteAction[];
  /** What is in force after it, where anything is. */
  readonly controls?: SpendControls;
}

export interface CountOptions {
  /** The controls that take back a use: what used them was declined in the end. */
  readonly unused?: readonly string[] | undefined;
  /** When the transaction was made, if not now. */
  readonly madeAt?: Date;
}

/**
 * The spend controls in force for a Card, and its spend limit, with what they have counted: all
 * that a plan asks of them. It reads nothing, so that a simulation can ask other controls.
 */
export interface SpendControls {
  /** The control that declines an amount, if one does. */
  findDecline(subject: ControlledEvent<AskedCardEvent>, amountMinor: number): ControlDecline | undefined;
  /** By how much an amount is above what the Card's limit leaves, if it is. */
  findExceededLimit(subject: ControlledEvent, amountMinor: number): Refusal | undefined;
  /** What the limit leaves, also below 0. Undefined if there is none. */
  leftMinor(at: Date): number | undefined;
  /** The controls that a first use marks: a single use, or the merchant. */
  readonly marked: readonly string[];
  /** The writes of a hold with what is counted of it, and of what has counted it. */
  countHold(
    subject: ControlledEvent,
    before: Hold,
    after: Hold,
    transId: string,
    options?: CountOptions,
  ): CountedWrites;
  /** Counts a withdrawal or force post, which has no hold. */
  countPosting(
    subject: ControlledEvent,
    transId: string,
    amountMinor: number,
  ): CountedWrites & { readonly counted?: Counted[] };
}

/** What an event that lost a commit knows of it. */
export interface LostCommit {
  readonly failed: FailedConditions;
  /** The items of failed conditions may be out of date. */
  readonly waited: boolean;
  readonly amountMinor: number;
}

/** As they were read. Where many count in them at once, it may be a part of what was counted. */
export interface FoundControls extends SpendControls {
  /** They are what this process wrote last: other writes may have changed them. */
  readonly isRemembered: boolean;
  /** Whether these writes count more in a part than it can decide alone. */
  lacksShare(writes: readonly WriteAction[], at: Date): boolean;
  /** In their place, when a part was not enough. */
  readMore(card: CardIdentity, amountMinor: number): Promise<FoundControls | undefined>;
  /** In their place, after a failed commit. */
  readAgain(card: CardIdentity, lost: LostCommit): Promise<FoundControls | undefined>;
  /** Gives a part back to other events of this process, with what was committed. */
  release(writes: readonly WriteAction[]): void;
}

/** How an event finds what is in force. The table of changes says who knows it. */
export interface ControlsDoor {
  /** Whether nothing else failed than to count in the Program's usage. */
  isOnlyUsage(failed: FailedConditions): boolean;
  /** Whether anything may be in force for a Card of the Program. No round trip in most calls. */
  mayBeInForce(programId: string): Promise<boolean>;
  /** One round trip, beside that of the Card in most calls. */
  read(programId: string, card: Promise<CardIdentity | undefined>): Promise<FoundControls | undefined>;
  /** Without a read: what this process knows. Undefined where that is not enough. */
  recall(programId: string): Promise<FoundControls | undefined>;
  /** Renews what is known of the Program, beside a commit. Never rejects. */
  renewAhead(programId: string): Promise<void>;
}
