import * as z from "zod";
import { CryptoAddress } from "../contract/cards.ts";
import { CardApprovalStatus, CardForm, CardStatus, Currency } from "../contract/enums.ts";
import { StoredAddress } from "../contract/outside.ts";
import { integerEnum } from "../contract/primitives.ts";
import { ShippingStatus } from "../contract/shipping.ts";
import { accounts, entryCounts, type StoredAccount } from "../ledger/account.ts";
import { BoundedMap } from "../platform/bounded-map.ts";
import { labelFields } from "../platform/labels.ts";
import { absent, type Condition, oneOf, present } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";

export const Shipping = z.object({
  status: ShippingStatus,
  trackingNumber: z.string().optional(),
  carrier: z.string().optional(),
  updatedAt: z.string(),
  /** When the last report of the status occurred, if it said so. */
  occurredAt: z.string().optional(),
});
export type Shipping = z.output<typeof Shipping>;

/**
 * Status and balances share one item, so that one condition covers both. The schema repeats no rule
 * of the contract for texts: a later rule must not make stored Cards unreadable.
 */
export const Card = z.object({
  /** cardId. */
  entityId: z.string(),
  cardholderId: z.string(),
  /**
   * The last name at issuance, or the only one. Locked since then, except for a Cardholder who was
   * declined later.
   */
  cardHolderLastName: z.string(),
  cardStatus: integerEnum(CardApprovalStatus),
  issuerCardStatus: integerEnum(CardStatus),
  /** When the platform blocked the Card, or its Cardholder: ISO 8601 UTC. */
  blockedAt: z.string().optional(),
  cardholderBlockedAt: z.string().optional(),
  cardForm: integerEnum(CardForm),
  cardType: z.int(),
  /** The only stored digits of the card number: the first six and the last four. */
  bin: z.string(),
  lastFour: z.string(),
  expiryMonth: z.int(),
  expiryYear: z.int(),
  /**
   * The plastic whose number, expiry and shipping the Card has: the active one, or else the newest.
   * Absent if it is the first one, of which there is no item before it is replaced.
   */
  plasticId: z.string().optional(),
  /** The first plastic that has its number, if that is not the first one. */
  numberId: z.string().optional(),
  /** A replacement that is not activated yet. */
  pendingPlasticId: z.string().optional(),
  /** No plastic is active: the Card has its replacement's number. Absent before the activation. */
  awaitsPlastic: z.literal(true).optional(),
  /** How many there are, if it was ever replaced. */
  plasticCount: z.int().optional(),
  closedAt: z.string().optional(),
  /** The expiry of which its Program was reminded: year and month. */
  remindedExpiry: z.string().optional(),
  cardToken: z.string(),
  nameOnCard: z.string(),
  ...labelFields,
  /** Tells apart the controls and the load that it was issued with, if any. */
  chosenHash: z.string().optional(),
  shippingAddress: z.object({ recipient: z.string(), ...StoredAddress.shape }).optional(),
  /** Absent while pending. */
  shipping: Shipping.optional(),
  currency: integerEnum(Currency),
  availableMinor: z.int(),
  heldMinor: z.int(),
  pendingDepositMinor: z.int(),
  ledgerMinor: z.int(),
  ...entryCounts,
  createdAt: z.string(),
  /** Below this available balance, a Wallet tops it up: there only while that is switched on. */
  topUpBelowMinor: z.int().optional(),
  /** The Wallet that it spends from, instead of its own money. */
  fundingWalletId: z.string().optional(),
  /** Its open holds on Wallets. */
  fundedHeldMinor: z.int().optional(),
  /** The most that it spends of the Wallet in a window of spend controls, since it counts. */
  spendLimitMinor: z.int().optional(),
  spendLimitWindow: z.string().optional(),
  spendLimitFrom: z.string().optional(),
  /** The Program's time zone as it was set, if it counts days. */
  spendLimitTimeZone: z.string().optional(),
  /** The Wallet that got what was left as it closed. */
  sweptTo: z.string().optional(),
  /** Empty until the issuance is approved. */
  cryptoAddresses: z.array(CryptoAddress),
  /**
   * Index of the addresses below the Program's extended public keys, for the holder of the private
   * keys.
   */
  addressIndex: z.int().optional(),
});
export type Card = z.output<typeof Card>;

export const cards = defineEntity({
  name: "card",
  schema: Card,
  key: accounts.card.key,
  saysWhenChanged: true,
});

/** @throws ApiError NOT_FOUND */
export function getCard(programId: string, cardId: string, place?: string): Promise<Card> {
  return cards.at(programId, cardId).require(place);
}

/** The first six digits, also of a BIN of eight. */
export function maskCardNumber({ bin, lastFour }: Pick<Card, "bin" | "lastFour">): string {
  return `${bin.slice(0, 6)}******${lastFour}`;
}

export function hasStatusIn(statuses: readonly CardStatus[]): Condition<Card> {
  return { issuerCardStatus: oneOf(statuses) };
}

/** It has a balance of its own, and spends from no Wallet. */
export const hasOwnMoney: Condition<Card> = { fundingWalletId: absent };
export const isFundedByWallet: Condition<Card> = { fundingWalletId: present };

/** The item of an account: a Wallet's lacks a Card's attributes, a hot one's its whole balance. */
export type CardOrWallet = StoredAccount & Partial<Card>;

/**
 * What the records and notifications of an issued Card need of it. A process remembers it: what
 * shows the number requires in its commit that it is still the Card's.
 */
export interface CardIdentity {
  readonly programId: string;
  readonly cardId: string;
  readonly cardholderId: string;
  readonly currency: Currency;
  readonly cardToken: string;
  readonly maskedCardNumber: string;
  /** Whose number it is: another one after a lost or stolen plastic. */
  readonly numberId?: string | undefined;
}

/** Some 2 MB when it is full. */
const identityCache = new BoundedMap<string, CardIdentity>(10_000);

/** How much of a Wallet a Card may spend in a window. */
export interface SpendLimit {
  readonly amountMinor: number;
  readonly window: string;
  /** ISO 8601 UTC: a later limit of the same window counts on. */
  readonly countsFrom: string;
  /** The Program's as it was set, of a window of the calendar. */
  readonly timeZone?: string | undefined;
}

/** The Wallet that a Card spends from, and how much. */
export interface CardFunding {
  readonly walletId: string;
  readonly limit?: SpendLimit | undefined;
}

/** Undefined for one that has money of its own. */
export function toFunding({ fundingWalletId: walletId, ...card }: Card): CardFunding | undefined {
  if (walletId === undefined) return undefined;
  const { spendLimitMinor: amountMinor, spendLimitWindow: window, spendLimitFrom: countsFrom } = card;
  if (amountMinor === undefined || window === undefined || countsFrom === undefined) return { walletId };
  const { spendLimitTimeZone: timeZone } = card;
  return {
    walletId,
    limit: { amountMinor, window, countsFrom, ...(timeZone !== undefined && { timeZone }) },
  };
}

/** Those of Cards that spend from a Wallet, as they were last read: commits require them. */
const fundingCache = new BoundedMap<string, CardFunding | undefined>(10_000);

/** Undefined also if this process has not read the Card. */
export function findCachedFunding(programId: string, cardId: string): CardFunding | undefined {
  return fundingCache.get(cards.key(programId, cardId).pk);
}

/** Undefined if this process has not read the card. */
export function findCachedCard(programId: string, cardId: string): CardIdentity | undefined {
  return identityCache.get(cards.key(programId, cardId).pk);
}

/** Caches the identity of a card that was read for another reason. */
export function cacheCard(programId: string, card: Card): CardIdentity {
  const identity = toCardIdentity(programId, card);
  const { pk } = cards.key(programId, identity.cardId);
  identityCache.set(pk, identity);
  const funding = toFunding(card);
  if (funding || fundingCache.get(pk)) fundingCache.set(pk, funding);
  return identity;
}

/** Receivers are told of the number: the Card may have another one than this process remembers. */
export function hasSameNumber({ numberId }: Pick<CardIdentity, "numberId">): Condition<Card> {
  return { numberId };
}

export function toCardIdentity(programId: string, card: Card): CardIdentity {
  const { entityId: cardId, cardholderId, currency, cardToken, numberId } = card;
  return {
    ...{ programId, cardId, cardholderId, currency, cardToken, maskedCardNumber: maskCardNumber(card) },
    ...(numberId !== undefined && { numberId }),
  };
}
