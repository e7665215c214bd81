import type { Key } from "../platform/table/keys.ts";
import type { OwnedKind } from "./listed-kind.ts";

/** A stored record, as its attributes. */
export type StoredRecord = Readonly<Record<string, unknown>>;

/** Which records a list is about, and what may be asked of them. */
export interface Listing {
  readonly records: CollectionRecords | PartitionRecords | KeyedRecords | CardRecords | OwnedRecords;
  /** The attribute that each `orderBy` of the endpoint orders by. */
  readonly orders: Readonly<Record<string, string>>;
  /** The value that an attribute must have; undefined asks for nothing. */
  readonly filters: Readonly<Record<string, string | number | undefined>>;
  /** The value that an attribute must not have. */
  readonly except?: Readonly<Record<string, string | number>>;
}

/** All records of one kind in a Program, or a Cardholder's Cards. Each carries `entityId` and `createdAt`. */
interface CollectionRecords {
  readonly programId: string;
  readonly collection: "cardholders" | "cards" | "wallets" | "deposits";
  /** Only the Cards of this Cardholder. */
  readonly cardholderId?: string | undefined;
}

/** The few records under one item, such as a ticket's comments: a partition and what their sort keys begin with. Each carries `createdAt`. */
export interface PartitionRecords {
  readonly partition: string;
  readonly prefix: string;
  /** The table that they are in; `issuing` where it is not said. */
  readonly table?: "issuing" | "accounts";
}

/** A few records whose keys are known. Each carries `createdAt`. */
export interface KeyedRecords {
  readonly keys: readonly Key[];
}

/**
 * What is recorded on cards: on one card, on a Cardholder's cards, or on all of the Program's. Each carries `entityId`,
 * `cardholderId` and `createdAt`; one that carries no `entityId` stands with its card and in no list.
 */
export interface CardRecords {
  readonly programId: string;
  readonly recorded: "transactions" | "fees";
  readonly cardId?: string | undefined;
  readonly cardholderId?: string | undefined;
  /** The one with this id. */
  readonly entityId?: string | undefined;
}

/** The records that one Wallet or Card has, however many. */
export interface OwnedRecords {
  readonly programId: string;
  readonly owned: OwnedKind;
  /** A walletId or cardId. */
  readonly owner: string;
}

/** The parameters that every list has, as `listQuery` of the contract parses them. */
export interface PageQuery {
  readonly orderBy: string;
  readonly sort: "asc" | "desc";
  /** Unix seconds: only records created strictly before. */
  readonly before?: number | undefined;
  /** Unix seconds: only records created strictly after. */
  readonly after?: number | undefined;
  /** Rows of the page; `Infinity` for all of them. */
  readonly limit: number;
  readonly offset: number;
}

/** One page, and how many records match in all. */
export interface Page {
  readonly items: StoredRecord[];
  readonly total: number;
}
