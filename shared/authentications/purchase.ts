import type { Merchant } from "../contract/settled.ts";
import type { ThreeDSResult } from "../contract/verification.ts";
import { absent } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Authentication, authentications } from "./authentication.ts";

/** A purchase that names its authentication. */
interface Purchase extends Merchant {
  readonly authorizationId?: string | undefined;
  /** In minor units of the Card's currency. */
  readonly amount?: number | undefined;
}

const validMs = 90 * 86_400_000;

const good: Readonly<Partial<Record<Authentication["state"], ThreeDSResult>>> = {
  authenticated: "authenticated",
  attempted: "attempted",
  exempted: "exempted",
};

/** What the authentication is worth for the purchase. It declines nothing by itself. */
export function judgeAuthentication(
  { state, authorizationId, decidedAt, merchant, amountMinor }: Authentication,
  purchase: Purchase,
  at: Date,
): ThreeDSResult {
  const result = good[state];
  if (result === undefined || decidedAt === undefined) return "failed";
  if (authorizationId !== undefined && authorizationId !== purchase.authorizationId) return "reused";
  if (at.getTime() - Date.parse(decidedAt) >= validMs) return "expired";
  if (isOtherMerchant(merchant, purchase)) return "other_merchant";
  return isMore(purchase, { ...merchant, amount: amountMinor }) ? "amount_exceeded" : result;
}

/** By the network's id, or else by the name, which a network may have cut. */
function isOtherMerchant(one: Merchant, other: Merchant): boolean {
  if (one.merchantId !== undefined && other.merchantId !== undefined)
    return one.merchantId !== other.merchantId;
  const [name, otherName] = [one, other].map(({ merchantName = "" }) => plain(merchantName));
  if (!name || !otherName) return false;
  return !name.startsWith(otherName) && !otherName.startsWith(name);
}

function plain(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, "").toUpperCase();
}

type Amount = Pick<Purchase, "amount" | "srcAmount" | "srcCurrency">;

/** In what the merchant bills where both say it: rates change from one day to the next. */
function isMore(purchase: Amount, authenticated: Amount): boolean {
  const isBilled = purchase.srcCurrency !== undefined && purchase.srcCurrency === authenticated.srcCurrency;
  if (isBilled && purchase.srcAmount !== undefined && authenticated.srcAmount !== undefined)
    return purchase.srcAmount > authenticated.srcAmount;
  const { amount: limit = Number.POSITIVE_INFINITY } = authenticated;
  return (purchase.amount ?? 0) > limit;
}

const taking: ReadonlySet<ThreeDSResult | undefined> = new Set(Object.values(good));

/** Whether a purchase with the result has its authentication for itself. */
export function takesAuthentication(result: ThreeDSResult | undefined): boolean {
  return taking.has(result);
}

/** The purchase has it. Fails under `authentication` if another has. */
export function takeAuthentication(
  { programId, entityId }: Authentication,
  authorizationId: string,
): WriteAction {
  return authentications
    .at(programId, entityId)
    .update({ set: { authorizationId } }, { authorizationId: absent });
}

/** What is declined at last uses up nothing. */
export function releaseAuthentication(
  programId: string,
  authenticationId: string,
  authorizationId: string,
): WriteAction {
  return authentications
    .at(programId, authenticationId)
    .update({ remove: ["authorizationId"] }, { authorizationId });
}
