import { nothing } from "../changes/change.ts";
import type { Merchant } from "../contract/settled.ts";
import type { ThreeDSResult } from "../contract/verification.ts";
import type { CardEvent } from "../network-events/card-event.ts";
import type { CardPart } from "../network-events/card-part.ts";
import { notFound } from "../network-events/plan.ts";
import { absent } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Presentation } from "../verification/presentation.ts";
import { type Authentication, authentications } from "./authentication.ts";

type Naming = Pick<CardEvent, "programId" | "cardId"> &
  Presentation &
  Merchant & { readonly authorizationId?: string | undefined; readonly amount?: number | undefined };

/** The authentication that the event names must be the Card's. It is worth what is known of it. */
export const namedAuthentication: CardPart<Authentication> = {
  name: "authentication",
  read: (event) => {
    const { programId, authenticationId } = event as Naming;
    return authenticationId === undefined ? nothing : authentications.at(programId, authenticationId);
  },
  judge: ({ event, item, at }) => {
    const purchase = event as Naming;
    const authentication = item as Authentication | undefined;
    if (purchase.authenticationId === undefined) return undefined;
    if (authentication?.cardId !== event.cardId) return notFound;
    const threeDS = judgeAuthentication(authentication, purchase, at);
    return { event: { ...event, verification: { ...purchase.verification, threeDS } } as CardEvent };
  },
  // What is approved, or asked about, has its authentication for itself.
  writes: (event, authentication, { plan: { result, question } }) => {
    const { authorizationId, verification } = event as Naming;
    if (!authentication || authorizationId === undefined || !takesAuthentication(verification?.threeDS))
      return [];
    const isHeld = result.approved === true || question !== undefined;
    if (!isHeld || authentication.authorizationId !== undefined) return [];
    return [takeAuthentication(authentication, authorizationId)];
  },
};

/** What was asked about, and is declined, gives its authentication back. */
export function releaseWrites(asked: CardEvent, authorizationId: string): WriteAction[] {
  const { programId, authenticationId, verification } = asked as Naming;
  if (authenticationId === undefined || !takesAuthentication(verification?.threeDS)) return [];
  return [releaseAuthentication(programId, authenticationId, authorizationId)];
}

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
function judgeAuthentication(
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
function takesAuthentication(result: ThreeDSResult | undefined): boolean {
  return taking.has(result);
}

/** The purchase has it. Fails under `authentication` if another has. */
function takeAuthentication({ programId, entityId }: Authentication, authorizationId: string): WriteAction {
  return authentications
    .at(programId, entityId)
    .update({ set: { authorizationId } }, { authorizationId: absent });
}

/** What is declined at last uses up nothing. */
function releaseAuthentication(programId: string, authenticationId: string, authorizationId: string) {
  return authentications
    .at(programId, authenticationId)
    .update({ remove: ["authorizationId"] }, { authorizationId });
}
