import * as z from "zod";
import { EventType } from "../contract/enums.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import { integerEnum } from "../contract/primitives.ts";
import type { Account } from "../ledger/account.ts";
import type { Commit } from "../ledger/commit.ts";
import type { ApiError } from "../platform/http/api-error.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import type { FailedConditions, StoredItem, WriteAction } from "../platform/table/transact.ts";

/** What is not read yet. */
export const unread = Symbol("unread");
export type Unread = typeof unread;

/** Reads one thing that a change is decided from. An entity's `at(…)` is one. */
export interface Read<Item> {
  get(): Promise<Item | undefined | Unread>;
  /** The item that a failed condition of the same name found. */
  parse?(stored: StoredItem): Item | undefined;
  /** In place of `parse`, for what other conditions or the time change too. */
  renew?(
    seen: Item | undefined,
    failed: FailedConditions,
    waited: boolean,
  ): Promise<Item | undefined | Unread> | Item | undefined | Unread;
  /** Called once at the end, with what was committed, for what is lent to the change. */
  release?(seen: Item, writes: readonly WriteAction[]): void;
  /** Not read before a condition fails: the change is tried without it first. */
  readonly isLater?: boolean;
}

export function later(read: typeof nothing): Read<never>;
export function later<Item>(read: Read<Item>): Read<Item>;
export function later<Item>(read: Read<Item>): Read<Item> {
  return {
    get: () => read.get(),
    parse: (stored) => read.parse?.(stored),
    ...(read.renew && { renew: (...seen) => read.renew?.(...seen) }),
    isLater: true,
  };
}

/** What a condition of this name finds when it fails. Before, it is `unread`. */
export function whenFailed<Item>(parse: (stored: StoredItem) => Item | undefined): Read<Item> {
  return { get: async () => unread, parse, isLater: true };
}

/** Where an event does not have what would be read. */
export const nothing = { get: async () => undefined, parse: () => undefined };

/** Found anew after any failed condition. */
export function foundAnew<Item>(get: () => Promise<Item | undefined>) {
  return { get, renew: get };
}

/** What is known without a read. */
export function given<Item>(item: Item) {
  return { get: async () => item, renew: (seen: Item | undefined) => seen };
}

/** By the names under which `decide` finds them, and under which conditions fail. */
export type Reads<Found> = { readonly [Name in keyof Found]: Read<Exclude<Found[Name], undefined | Unread>> };

/** What reads find, by their names: undefined is what does not exist. */
export type FoundBy<Named> = {
  readonly [Name in keyof Named]: Named[Name] extends { get(): Promise<infer Item> } ? Item : never;
};

/** The change cannot be applied to what was found. Some codes need more than themselves said. */
export interface Rejected<Code extends string = string>
  extends Partial<Pick<ApiError, "existingId" | "faults" | "message">> {
  readonly rejected: Code;
}

/** Why a step cannot be taken: there is no such record, or its status permits none. */
export type StepRefusal = "NOT_FOUND" | "ILLEGAL_TRANSITION";

/** All that a change writes, in one commit, and what its sender is answered. */
export interface Decided<Answer> extends Omit<Commit, "programId" | "at"> {
  readonly answer: Answer;
  /** Its notifications, which a repetition sends again. */
  readonly redelivery?: Redelivery | Redelivery[] | undefined;
  /** Whose balances its sender may be answered. */
  readonly balancesOf?: Account;
  /** Called once it is committed: to measure it. */
  readonly whenCommitted?: () => void;
}

/** It depends on more, and is decided again with that. */
export interface ReadMore<Found> {
  readonly readMore: Partial<Reads<Found>>;
}

/** There is nothing to write: an earlier try has, or there is nothing to do. */
export interface Done<Answer> {
  readonly done: Answer;
}

/**
 * What an event, a request or a deadline changes. `Found` has what `reads` names: undefined is what
 * does not exist.
 */
export interface Change<Event extends OfProgram, Found extends object, Answer, Code extends string> {
  /** All are read in one round. */
  readonly reads: (event: Event) => Reads<Found>;
  /** Reads and writes nothing. It is called again with what its failed conditions have found. */
  readonly decide: (
    event: Event,
    found: Found,
    at: Date,
  ) => Decided<Answer> | Done<Answer> | Rejected<Code> | ReadMore<Found>;
}

export interface OfProgram {
  readonly programId: string;
}

/** The event type of the notifications that an event of this kind can have. */
export const eventTypes: Partial<Record<OutboxEvent["kind"], EventType>> = {
  "hold.placed": EventType.hold,
  "transaction.posted": EventType.settlement,
  "fee.posted": EventType.settlement,
  "transfer.completed": EventType.settlement,
  "card.swept": EventType.settlement,
  "card.debt_settled": EventType.settlement,
  "deposit.pending": EventType.depositPending,
  "deposit.cleared": EventType.depositCleared,
  "deposit.returned": EventType.depositReturned,
  "dispute.changed": EventType.dispute,
};

/** Notifications of one event and one type. With `webhookId`, for this endpoint only. */
export const Redelivery = z.object({
  notificationIds: z.array(z.string()),
  eventType: integerEnum(EventType),
  webhookId: z.string().optional(),
});
export type Redelivery = z.output<typeof Redelivery>;

/** Redelivers notifications unchanged: to one endpoint, or to all subscribers of their type. */
export function redeliveryPut(programId: string, redelivery: Redelivery, at: Date): WriteAction {
  return outboxPut(programId, "notification.resent", redelivery, at);
}

/** The notifications that a repetition of their cause redelivers, if any. */
export function toRedelivery(
  kind: OutboxEvent["kind"],
  notificationIds: readonly string[] | undefined,
): Redelivery | undefined {
  const eventType = eventTypes[kind];
  return notificationIds && eventType && { notificationIds: [...notificationIds], eventType };
}

/** Declares a change that finds what its `reads` name. */
export function defineChange<Event extends OfProgram, Answer, Code extends string>() {
  return <Named extends Readonly<Record<string, Read<unknown>>>>(
    declared: Pick<Change<Event, NoInfer<FoundBy<Named>>, Answer, Code>, "decide"> & {
      readonly reads: (event: Event) => Named;
    },
  ) => declared as unknown as Change<Event, FoundBy<Named>, Answer, Code>;
}
