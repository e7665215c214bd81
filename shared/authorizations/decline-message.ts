import { withoutCardNumbers } from "../contract/card-numbers.ts";
import { countDecimals } from "../contract/currencies.ts";
import { type Currency, currencyNames, numericCurrency } from "../contract/enums.ts";
import type { AuthorizationDeclineReason } from "../contract/transactions.ts";
import type { DeclineNote, Refusal } from "../transactions/transaction.ts";

/** What was declined. */
export interface Declined extends DeclineNote {
  readonly what: "authorization" | "increment";
  readonly currency: Currency;
  readonly merchantName?: string | undefined;
  readonly merchantId?: string | undefined;
  readonly mcc?: string | undefined;
  readonly merchantCountry?: string | undefined;
  readonly entryMode?: string | undefined;
  readonly wallet?: string | undefined;
  readonly srcCurrency?: string | undefined;
}

/** A sentence for support staff, made of what is stored of a decline. */
export function declineMessage(declined: Declined): string {
  const { what, amountMinor, currency, merchantName } = declined;
  const at = merchantName === undefined ? "" : ` at ${withoutCardNumbers(merchantName)}`;
  const subject = `The ${what} of ${money(amountMinor, currency)}${at}`;
  return `${subject} was declined: ${because(declined)}.`;
}

function money(amountMinor: number, currency: Currency): string {
  const decimals = countDecimals(numericCurrency[currency]);
  return `${(amountMinor / 10 ** decimals).toFixed(decimals)} ${currencyNames[currency]}`;
}

const states: Readonly<Record<Exclude<AuthorizationDeclineReason, Told>, string>> = {
  CARD_ON_HOLD: "the Card was on hold",
  CARD_CLOSED: "the Card was closed",
  CARD_NOT_ACTIVATED: "the Card was not activated yet",
  CARD_PENDING: "the Card was not approved yet",
  CARD_BLOCKED: "the Card was blocked",
  CARD_EXPIRED: "the Card had expired",
  PLASTIC_STOPPED: "the plastic was reported lost or stolen",
  PLASTIC_REPLACED: "the plastic was replaced by a newer one",
  RECEIVER_DECLINED: "the Program's authorization endpoint declined it",
  STAND_IN_DECLINED:
    "the Program's authorization endpoint gave no valid answer in time, and its stand-in policy declines it",
  AUTHORIZATION_FINISHED: "the authorization was finished already",
  AUTHORIZATION_FULL: "the authorization cannot take more increments",
  PIN_WRONG: "the PIN was wrong",
  PIN_BLOCKED: "the PIN was blocked, after too many wrong tries",
  CVV_WRONG: "the security code was wrong",
  EXPIRY_WRONG: "the expiry date was wrong",
  TOKEN_NOT_ACTIVE: "the digital wallet token was not active",
  NOT_FOUND: "the Card has no such digital wallet token",
  LIMIT_REACHED: "the Card has as many digital wallet tokens as it may",
  RULE_DECLINED: "the Program's rules decline it",
  VERIFICATION_FAILED: "the Cardholder was not verified",
  VERIFICATION_EXPIRED: "the Cardholder was not verified in time",
};
type Told = "INSUFFICIENT_FUNDS" | "SPEND_LIMIT" | "CONTROL_DECLINED";

function because(declined: Declined): string {
  const { reason, controlId, refusal = {}, currency } = declined;
  if (reason === "INSUFFICIENT_FUNDS") {
    const { availableMinor } = refusal;
    if (availableMinor === undefined) return "the Card did not have the amount available";
    return `the Card had ${money(availableMinor, currency)} available`;
  }
  if (reason === "SPEND_LIMIT") return `the Card's spend limit ${rule(declined, refusal)}`;
  if (reason !== "CONTROL_DECLINED") return states[reason];
  return `the spend control ${controlId ?? ""} ${rule(declined, refusal)}`;
}

function rule(declined: Declined, { by, limit = 0, used = 0, window = "" }: Refusal): string {
  const { mcc, merchantCountry, merchantId, srcCurrency, entryMode, wallet, currency } = declined;
  const name = (what: string, value: string | undefined) =>
    value === undefined ? `needs the ${what}, which was not sent` : `does not allow the ${what} ${value}`;
  if (by === undefined) return "does not allow it";
  switch (by) {
    case "mcc":
      return name("merchant category", mcc);
    case "country":
      return name("merchant's country", merchantCountry);
    case "merchantId":
      return name("merchant", merchantId);
    case "currency":
      return name("currency", srcCurrency ?? numericCurrency[currency]);
    case "entryMode":
      return name("entry mode", entryMode);
    case "entryCapability":
      return "does not allow what the terminal can read";
    case "storedCredential":
      return "does not allow this use of a card that the merchant keeps";
    case "addressLine":
    case "postalCode":
    case "cvc":
    case "expiry":
    case "pin":
    case "threeDS":
      return `does not allow what the check of ${checks[by]} came to`;
    case "authentication":
      return "requires an authentication by 3-D Secure";
    case "wallet":
      return name("digital wallet", wallet);
    case "cash":
      return "does not allow cash";
    case "singleUse":
      return "allows a single use, which was made before";
    case "merchantLock":
      return "allows only the merchant of its first approval";
    case "count":
      return `allows ${limit} ${limit === 1 ? "authorization" : "authorizations"} ${span(window)}, of which ${used} were made`;
    case "amount":
      return window === "authorization"
        ? `allows ${money(limit, currency)} for one authorization`
        : `allows ${money(limit, currency)} ${span(window)}, of which ${money(used, currency)} were used`;
  }
}

const checks = {
  addressLine: "the address",
  postalCode: "the postal code",
  cvc: "the security code",
  expiry: "the expiry date",
  pin: "the PIN",
  threeDS: "3-D Secure",
} as const;

const spans: Readonly<Record<string, string>> = {
  day: "a day",
  week: "a week",
  month: "a month",
  year: "a year",
  lifetime: "in all",
};

function span(window: string): string {
  return spans[window] ?? `in ${window}`;
}
