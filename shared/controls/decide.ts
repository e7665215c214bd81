import type { EntryMode, Unread } from "../contract/card-network.ts";
import { type ControlRules, cashMccs } from "../contract/controls.ts";
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
  /** What it sent, and cannot be read. */
  readonly unread?: readonly Unread[] | undefined;
  /** ISO 4217 numeric. */
  readonly currency: string;
  readonly isWithdrawal: boolean;
}

/**
 * The control that declines; undefined if all allow it. Of several, the one that leaves the least:
 * other rules come before velocity, older controls before newer ones.
 */
export function findDecliningControl(
  { scopes }: ControlsInForce,
  purchase: Purchase,
  atMs: number,
): ActiveControl | undefined {
  const declining = scopes.flatMap((scope) =>
    scope.controls.flatMap((control) => {
      const leftMinor = isAllowed(control, scope, purchase)
        ? exceeded(control, scope, purchase, atMs)
        : Number.NEGATIVE_INFINITY;
      return leftMinor === undefined ? [] : [{ control, leftMinor }];
    }),
  );
  declining.sort((a, b) => {
    if (a.leftMinor !== b.leftMinor) return a.leftMinor < b.leftMinor ? -1 : 1;
    return a.control.controlId < b.control.controlId ? -1 : 1;
  });
  return declining[0]?.control;
}

function isAllowed(control: ActiveControl, scope: ControlScope, purchase: Purchase): boolean {
  const { merchants = {}, entryModes, currencies, cash, singleUse, merchantLock } = control;
  const { mcc, merchantId, currency, isIncrement, isUsed, isWithdrawal, unread = [] } = purchase;
  const country = purchase.country ?? (unread.includes("merchantCountry") ? unreadable : undefined);
  const entryMode = purchase.entryMode ?? (unread.includes("entryMode") ? unreadable : undefined);
  const isCash = isWithdrawal || (mcc !== undefined && cashMccs.includes(mcc));
  const { approvals = 0, merchantId: locked } = getState(scope, control);
  return (
    passes(merchants.mcc, mcc, isInRange) &&
    passes(merchants.country, country) &&
    passes(merchants.merchantId, merchantId) &&
    passes(currencies, currency) &&
    !(cash === "block" && isCash) &&
    // An increment does not present the card again.
    (isIncrement || passes(entryModes, entryMode)) &&
    (isUsed || !singleUse || approvals === 0) &&
    (!merchantLock || (merchantId !== undefined && (locked ?? merchantId) === merchantId))
  );
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
function exceeded(
  control: ActiveControl,
  { usage }: ControlScope,
  { amountMinor, totalMinor, countOf }: Purchase,
  atMs: number,
): number | undefined {
  if (!control.velocity) return undefined;
  const { amount: limit = Number.POSITIVE_INFINITY, count: limitCount = Number.POSITIVE_INFINITY } =
    control.velocity;
  const used = usedAt(usage, control, atMs);
  if (countOf(control) > 0 && used.count >= limitCount) return -1;
  const leftMinor = limit - used.amount;
  const isExceeded = (control.velocity.window === "authorization" ? totalMinor : amountMinor) > leftMinor;
  return isExceeded ? leftMinor : undefined;
}
