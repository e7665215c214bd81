import type { EntryMode, Merchant, Unread } from "../../contract/card-network.ts";
import { cashMccs } from "../../contract/controls.ts";
import { countDecimals } from "../../contract/currencies.ts";
import { currencyNames, FeeType } from "../../contract/enums.ts";
import { alpha2, countries, maximumAmountMinor } from "../../contract/primitives.ts";
import { ProcessorEvent } from "../../contract/processor.ts";
import type { TokenNetwork } from "../../contract/tokens.ts";
import { toTokenId } from "../../platform/token-id.ts";
import type { KnownCard } from "../processor-port.ts";
import { fitting, type TokenTransition, type Transaction } from "./messages.ts";
import { findTie, requireTie, toEventId, toReference, UnknownTransaction } from "./references.ts";
import { toNotice, toTokenDetails } from "./tokens.ts";
import { toVerifying } from "./verification.ts";

type Fields = Readonly<Record<string, unknown>>;

type Translate = (transaction: Transaction, fields: Fields) => Fields | undefined;

const each = (translate: Translate, ...types: readonly string[]) =>
  Object.fromEntries(types.map((type) => [type, translate]));

/** A purchase's or a withdrawal's first message: it asks to hold the money, or posts it at once. */
const holding = [
  ...["authorization", "authorization.atm.withdrawal", "authorization.cashback"],
  ...["authorization.quasi.cash", "account.funding.authorization", "pindebit.authorization"],
];
const posting = [
  ...["pindebit", "pindebit.cashback", "pindebit.quasicash", "pindebit.quasi.cash"],
  "account.funding.auth_plus_capture",
];

/** By type. Each says what a transaction that was not declined means. */
const translations: Readonly<Record<string, Translate>> = {
  ...each(held, ...holding),
  "authorization.standin": (transaction, fields) => ({ ...held(transaction, fields), standIn: true }),
  "authorization.incremental": (transaction, fields) => ({
    ...fields,
    kind: "authorization_advice",
    ...following(transaction),
  }),
  /** Its amount is what is authorized from now on. */
  "authorization.advice": (transaction, fields) => ({
    ...fields,
    kind: "authorization_advice",
    ...following(transaction),
    total: true,
  }),
  ...each(
    released,
    ...["authorization.reversal", "account.funding.authorization.reversal"],
    "pindebit.authorization.reversal",
  ),
  ...each(
    expired,
    ...["authorization.reversal.issuerexpiration", "pindebit.authorization.reversal.issuerexpiration"],
    "account.funding.authorization.reversal.issuerexpiration",
  ),
  ...each(
    cleared,
    ...["authorization.clearing", "authorization.clearing.atm.withdrawal", "authorization.clearing.cashback"],
    ...["authorization.clearing.quasi.cash", "account.funding.authorization.clearing"],
    "pindebit.authorization.clearing",
  ),
  ...each(posted, ...posting),
  "pindebit.atm.withdrawal": (transaction, fields) => ({
    ...settlement(transaction, fields),
    kind: "atm_withdrawal",
    authorizationId: toReference(transaction.token),
    advice: true,
  }),
  /** They reverse a withdrawal, or a purchase that one message has posted. */
  ...each(
    (transaction, fields) => ({ ...released(transaction, fields), ofPosted: true }),
    ...["pindebit.reversal", "account.funding.auth_plus_capture.reversal"],
  ),
  ...each(refunded, "refund", "refund.authorization.clearing", "pindebit.refund"),
  ...each(
    (transaction, fields) => ({ ...refunded(transaction, fields), description: "Original credit" }),
    ...["original.credit.authorization.clearing", "original.credit.auth_plus_capture"],
  ),
  "fee.charge": ({ amount: _ }, { srcAmount: __, srcCurrency: ___, ...fields }) => ({
    ...fields,
    kind: "fee",
    feeType: FeeType.service,
  }),
  ...each(
    () => undefined,
    ...["refund.authorization", "refund.authorization.advice", "refund.authorization.reversal"],
    ...["original.credit.authorization", "original.credit.authorization.reversal"],
    ...["balanceinquiry", "pindebit.balanceinquiry", "address.verification", "pindebit.checkavs"],
  ),
  "token.activation-request": ({ digital_wallet_token: given }, fields) =>
    given && { ...fields, ...toTokenDetails(given), kind: "token_request" },
  "token.advice": ({ digital_wallet_token: given }, fields) => {
    const event = toNotice(given?.state ?? "");
    const { programId, network } = fields as unknown as { programId: string; network: TokenNetwork };
    const tokenId = given && toTokenId(programId, network, toReference(given.token));
    return event && { ...fields, kind: "token_notice", tokenId, event };
  },
};

/** One message: with JIT Funding, its request has held the amount under the same token. */
function posted(transaction: Transaction, fields: Fields): Fields {
  return {
    ...settlement(transaction, fields),
    kind: "clearing",
    eventId: toEventId(transaction, "cleared"),
    authorizationId: toReference(transaction.token),
  };
}

/** Its time is Marqeta's own: what changes an authorization may have the time of the purchase. */
export function following(transaction: Transaction): Fields {
  const { created_time, user_transaction_time } = transaction;
  return { ...requireTie(transaction), occurredAt: toTime(created_time) ?? toTime(user_transaction_time) };
}

function held(transaction: Transaction, fields: Fields): Fields {
  return { ...fields, kind: "authorization_advice", authorizationId: toReference(transaction.token) };
}

function released(transaction: Transaction, { amount, ...fields }: Fields): Fields {
  return {
    ...fields,
    kind: "authorization_reversal",
    ...following(transaction),
    amount,
    withFee: true,
  };
}

function expired(transaction: Transaction, { amount: _, ...fields }: Fields): Fields {
  return { ...fields, kind: "authorization_expiry", ...following(transaction) };
}

/** Without a preceding transaction, it is a force post. */
function cleared(transaction: Transaction, fields: Fields): Fields {
  return {
    ...settlement(transaction, fields),
    kind: "clearing",
    ...findTie(transaction),
    final: isFinal(transaction),
  };
}

function isFinal(transaction: Transaction): boolean {
  const { is_final_clearing: said, amount_to_be_released: released } = transaction;
  const { multi_clearing_sequence_number: number, multi_clearing_sequence_count: count } = transaction;
  if (said !== undefined) return said;
  return released !== undefined || number === undefined || count === undefined || number >= count;
}

/** What the issuer has charged for the purchase, it gives back. */
function refunded(transaction: Transaction, fields: Fields): Fields {
  const { interchange, ...settled } = settlement(transaction, fields);
  return {
    ...settled,
    ...(interchange ? { interchange: -Math.abs(Number(interchange)) } : {}),
    kind: "refund",
  };
}

/** Interchange has fractions of a cent. */
function settlement({ token, issuer_interchange_amount: charged = 0 }: Transaction, fields: Fields): Fields {
  const interchange = Math.round(charged * 100) || undefined;
  return { ...fields, interchange, referenceCode: toReference(token) };
}

/** What a webhook tells of: what was approved and what became of it, or that it was not. */
const states: ReadonlySet<string> = new Set([
  ...["PENDING", "CLEARED", "COMPLETION", "REVERSED"],
  ...["DECLINED", "ERROR"],
]);

export const knownTypes = Object.keys(translations);

/** Whether webhooks of the type are known. A request of another one must not be approved. */
export function isKnownType({ type }: Transaction): boolean {
  return Object.hasOwn(translations, type);
}

/** What moves money at the processor alone. A load by the network or a biller is a Cardholder's. */
const ownAccounts =
  /^(gpa(?!\.(credit|debit)(\.authorization)?\.(networkload|billpayment))|msa|programreserve|transfer|account(?!\.funding))\./;

/**
 * What a transaction of a webhook means: undefined if nothing changes at the platform.
 * @throws UnknownTransaction
 */
export function toEvent(
  transaction: Transaction,
  programId: string,
  card: KnownCard,
): ProcessorEvent | undefined {
  const { type, state } = transaction;
  const translate = isKnownType(transaction) ? translations[type] : undefined;
  if (!translate) throw new UnknownTransaction(`has the type ${type.slice(0, 64)}, which is not known`);
  if (!states.has(state))
    throw new UnknownTransaction(`has the state ${state.slice(0, 64)}, which is not known`);
  const fields = commonFields(transaction, programId, card);
  const isDeclined = state === "DECLINED" || state === "ERROR";
  const event = isDeclined ? declined(transaction, fields) : translate(transaction, fields);
  return event && checkEvent(event);
}

/** Whether a transaction concerns no Card's money at the platform. */
export function isOwnAccounts({ type }: Transaction): boolean {
  return ownAccounts.test(type);
}

/** @throws UnknownTransaction with the first fault */
export function checkEvent(event: Fields): ProcessorEvent {
  const parsed = ProcessorEvent.safeParse(event);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UnknownTransaction(`has a wrong value: ${issue?.path.join(".")} ${issue?.message}`);
}

/** Every event has these, whatever its kind: a kind's schema drops what it does not have. */
export function commonFields(transaction: Transaction, programId: string, card: KnownCard): Fields {
  const { amount, currency_code: currency } = transaction;
  if (currency !== undefined && currency !== currencyNames[card.currency])
    throw new UnknownTransaction(`is in ${currency.slice(0, 3)}, and the Card is not`);
  return {
    eventId: toEventId(transaction),
    programId,
    cardId: card.cardId,
    occurredAt: toTime(transaction.user_transaction_time ?? transaction.created_time),
    ...(amount !== undefined && { amount: toMinor(amount) }),
    ...merchant(transaction),
    ...presentation(transaction),
    // Only what is of a token has it.
    network: card.network,
    ...toVerifying(transaction),
  };
}

/** A wallet's step, from its own webhook. @throws UnknownTransaction */
export function toTokenNotice(
  { token, state, type, created_time, digital_wallet_token }: TokenTransition,
  programId: string,
  card: KnownCard,
): ProcessorEvent | undefined {
  const event = toNotice(state, type);
  if (event === undefined) return undefined;
  return checkEvent({
    kind: "token_notice",
    eventId: toEventId({ token }),
    programId,
    cardId: card.cardId,
    occurredAt: toTime(created_time),
    tokenId: toTokenId(programId, card.network, toReference(digital_wallet_token.token)),
    event,
  });
}

/** @throws UnknownTransaction for an amount with more than two decimals */
export function toMinor(amount: number): number {
  const minor = Math.round(amount * 100);
  if (Math.abs(minor / 100 - amount) > 1e-9 * Math.max(1, Math.abs(amount)))
    throw new UnknownTransaction("has an amount with more than two decimals");
  return minor;
}

function toTime(time: string | undefined): string | undefined {
  const at = new Date(time ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** What a JIT Funding request alone has approved. */
const approvedAtOnce: ReadonlySet<string> = new Set([...holding, ...posting, "pindebit.atm.withdrawal"]);

/**
 * The network declined it after the platform may have approved it in a JIT Funding request. The
 * webhook of an increment does not say whether: its event does.
 */
export function declined(
  transaction: Transaction,
  { amount: _, ...fields }: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const { type, token, gpa_order: order } = transaction;
  const wasAsked = order?.funding?.gateway_log !== undefined || order?.jit_funding !== undefined;
  const isIncrement = type === "authorization.incremental";
  if (!wasAsked || !(isIncrement || approvedAtOnce.has(type))) return undefined;
  return {
    ...fields,
    kind: "authorization_reversal",
    eventId: toEventId(transaction, "declined"),
    ...(isIncrement ? following(transaction) : { authorizationId: toReference(token) }),
    ...(isIncrement ? { incrementEventId: toEventId(transaction) } : { withFee: true, mayBeDone: true }),
  };
}

/** Details that do not fit are left out: money counts more than a merchant's city. */
function merchant({ type, card_acceptor, currency_conversion }: Transaction): Merchant {
  const { name, mcc, mid, city } = card_acceptor ?? {};
  const category = mcc !== undefined && /^\d{4}$/.test(mcc) ? mcc : undefined;
  const original = currency_conversion?.network;
  const isConverted = original !== undefined && /^\d{3}$/.test(original.original_currency_code);
  return {
    merchantName: fitting(name, 100),
    // Controls look at the category: it says that it is cash where the type alone does.
    mcc: type.endsWith("atm.withdrawal") && !cashMccs.includes(mcc ?? "") ? "6011" : category,
    merchantId: fitting(mid, 50),
    merchantCity: fitting(city, 50),
    ...(isConverted && toOriginal(original.original_amount, original.original_currency_code)),
  };
}

function toOriginal(amount: number, srcCurrency: string): Merchant {
  const srcAmount = Math.round(amount * 10 ** countDecimals(srcCurrency));
  return { ...(srcAmount >= 0 && srcAmount <= maximumAmountMinor && { srcAmount }), srcCurrency };
}

const entryModes: Readonly<Record<string, EntryMode>> = {
  CHIP: "chip",
  CHIP_CONTACTLESS: "contactless",
  MAG_STRIPE_CONTACTLESS: "contactless",
  MAG_STRIPE: "magstripe",
  CHIP_FALLBACK: "magstripe",
  MANUAL: "keyed",
  CARD_ON_FILE: "ecommerce",
};

/** Where and how the card was presented. What was sent, and says nothing of it, is unread. */
function presentation({ card_acceptor, pos }: Transaction): Fields {
  const sent = [card_acceptor?.country_code, card_acceptor?.country].filter((code) => code);
  const codes = sent.map((code = "") => alpha2.get(code) ?? code);
  const merchantCountry = codes.find((code) => countries.has(code));
  const entryMode = pos?.is_recurring ? "recurring" : entryModes[pos?.pan_entry_mode ?? ""];
  const unread: Unread[] = [
    ...(sent.length > 0 && !merchantCountry ? (["merchantCountry"] as const) : []),
    ...(pos?.pan_entry_mode && !entryMode ? (["entryMode"] as const) : []),
  ];
  return { merchantCountry, entryMode, unread: unread.length > 0 ? unread : undefined };
}
