import type { EntryMode, Unread } from "../contract/card-network.ts";
import { type ControlRules, cashMccs } from "../contract/controls.ts";
import type { Refusal, RefusedBy } from "../transactions/transaction.ts";
import { toResults, type Verified } from "../verification/presentation.ts";
import type { ActiveControl } from "./rulebooks.ts";
import { type ControlScope, type ControlsInForce, getState, usedAt } from "./usage.ts";

/** What the network requests. What it did not send is undefined. */
export interface Purchase {
  readonly amountMinor: number;
  /** With what the authorization was approved for before. */
  readonly totalMinor: number;
  readonly isIncrement: boolean;
  /** The authorization has been approved already. */
  readonly isUsed: boolean;
  /** What it adds to a control's count. */
  readonly countOf: (control: ActiveControl) => 0 | 1;
  readonly mcc?: string | undefined;
  readonly country?: string | undefined;
  readonly merchantId?: string | undefined;
  readonly entryMode?: EntryMode | undefined;
  /** What was verified. */
  readonly verified?: Verified;
  /** That of its token, or `none`. */
  readonly wallet?: string | undefined;
  /** What it sent, and cannot be read. */
  readonly unread?: readonly Unread[] | undefined;
  /** ISO 4217 numeric. */
  readonly currency: string;
  readonly isWithdrawal: boolean;
  /** It needs an authentication where one is required. */
  readonly lacksAuthentication?: boolean;
}

/**
 * The control that declines; undefined if all allow it. Of several, the one that leaves the least:
 * other rules come before velocity, older controls before newer ones.
 */
export function findDecliningControl(
  { scopes }: ControlsInForce,
  purchase: Purchase,
  atMs: number,
): { readonly controlId: string; readonly refusal: Refusal } | undefined {
  const declining = scopes.flatMap((scope) =>
    scope.controls.flatMap((control) => {
      const { controlId } = control;
      const by = findForbidding(control, scope, purchase);
      if (by) return [{ controlId, refusal: { by }, leftMinor: Number.NEGATIVE_INFINITY }];
      const exceeded = findExceeded(control, scope, purchase, atMs);
      return exceeded ? [{ controlId, ...exceeded }] : [];
    }),
  );
  declining.sort((a, b) => {
    if (a.leftMinor !== b.leftMinor) return a.leftMinor < b.leftMinor ? -1 : 1;
    return a.controlId < b.controlId ? -1 : 1;
  });
  return declining[0];
}

/** The rule other than velocity that does not allow it. */
function findForbidding(control: ActiveControl, scope: ControlScope, purchase: Purchase) {
  const { merchants = {}, entryModes, wallets, currencies, cash, singleUse, merchantLock } = control;
  const { mcc, merchantId, currency, isIncrement, isUsed, isWithdrawal, unread = [] } = purchase;
  const country = purchase.country ?? (unread.includes("merchantCountry") ? unreadable : undefined);
  const entryMode = purchase.entryMode ?? (unread.includes("entryMode") ? unreadable : undefined);
  const isCash = isWithdrawal || (mcc !== undefined && cashMccs.includes(mcc));
  const { approvals = 0, merchantId: locked } = getState(scope, control);
  const isForbidden: Record<Exclude<RefusedBy, "amount" | "count">, boolean> = {
    mcc: !passes(merchants.mcc, mcc, isInRange),
    country: !passes(merchants.country, country),
    merchantId: !passes(merchants.merchantId, merchantId),
    currency: !passes(currencies, currency),
    cash: cash === "block" && isCash,
    // An increment does not present the card again.
    entryMode: !isIncrement && !passes(entryModes, entryMode),
    ...findUnverified(isIncrement ? {} : control, purchase.verified ?? {}),
    wallet: !isIncrement && !passes(wallets, purchase.wallet),
    singleUse: !isUsed && singleUse === true && approvals > 0,
    merchantLock:
      merchantLock === true && (merchantId === undefined || (locked ?? merchantId) !== merchantId),
    authentication: control.authentication === "required" && purchase.lacksAuthentication === true,
  };
  return (Object.keys(isForbidden) as (keyof typeof isForbidden)[]).find((rule) => isForbidden[rule]);
}

/** Which rules about how the card was presented do not allow it. */
function findUnverified(
  { verification: rules = {}, entryCapabilities, storedCredential }: ControlRules,
  verified: Verified,
) {
  const { threeDS = "not_present", entryCapability = "unknown", ...said } = verified.verification ?? {};
  const results = toResults(verified);
  return {
    addressLine: !passes(rules.addressLine, results.addressLine),
    postalCode: !passes(rules.postalCode, results.postalCode),
    cvc: !passes(rules.cvc, results.cvc),
    expiry: !passes(rules.expiry, results.expiry),
    pin: !passes(rules.pin, results.pin),
    threeDS: !passes(rules.threeDS, threeDS),
    entryCapability: !passes(entryCapabilities, entryCapability),
    storedCredential: !passes(storedCredential, said.storedCredential),
  };
}

type AllowOrBlock = NonNullable<ControlRules["currencies"]>;

/** It may be any value: no list lets it pass. */
const unreadable = Symbol("unreadable");

/** What the network did not send is on no list. */
function passes(
  list: { readonly [Kind in keyof AllowOrBlock]: readonly string[] | undefined } | undefined,
  value: string | typeof unreadable | undefined,
  matches = (listed: string, given: string) => listed === given,
): boolean {
  if (!list) return true;
  if (value === unreadable) return false;
  const isListed = (values: readonly string[] = []) =>
    value !== undefined && values.some((one) => matches(one, value));
  return list.allow ? isListed(list.allow) : !isListed(list.block);
}

function isInRange(range: string, mcc: string): boolean {
  const [first = "", last = first] = range.split("-");
  return first <= mcc && mcc <= last;
}

/** What the velocity leaves if the purchase takes more. Of an exceeded count it is -1. */
export function findExceeded(
  control: ActiveControl,
  { usage }: ControlScope,
  { amountMinor, totalMinor, countOf }: Pick<Purchase, "amountMinor" | "totalMinor" | "countOf">,
  atMs: number,
): { readonly leftMinor: number; readonly refusal: Refusal } | undefined {
  if (!control.velocity) return undefined;
  const { amount: limit, count: limitCount = Number.POSITIVE_INFINITY, window } = control.velocity;
  const used = usedAt(usage, control, atMs);
  if (countOf(control) > 0 && used.count >= limitCount)
    return { leftMinor: -1, refusal: { by: "count", limit: limitCount, used: used.count, window } };
  if (limit === undefined) return undefined;
  const leftMinor = limit - used.amount;
  const isExceeded = (window === "authorization" ? totalMinor : amountMinor) > leftMinor;
  return isExceeded ? { leftMinor, refusal: { by: "amount", limit, used: used.amount, window } } : undefined;
}
