import { type Cardholder, cardholders } from "../cardholders/cardholder.ts";
import { type Card, cards } from "../cards/card.ts";
import { shownPlasticId } from "../cards/card-plastic.ts";
import { findUnusable, isUsableAt } from "../cards/usable.ts";
import {
  type Change,
  type Decided,
  defineChange,
  type FoundBy,
  foundAnew,
  later,
  nothing,
  type ReadMore,
  type Rejected,
  type StepRefusal,
  type Unread,
  unread,
  whenFailed,
} from "../changes/change.ts";
import type {
  AuthenticationChannel,
  AuthenticationDecidedBy,
  ChallengeMethod,
  Exemption,
} from "../contract/authentications.ts";
import { toTokenNetwork } from "../contract/card-numbers.ts";
import type { Merchant } from "../contract/settled.ts";
import { type ListenerIds, newChallengeWrites } from "../passcodes/passcode.ts";
import { readListeners } from "../passcodes/read-listeners.ts";
import { type Plastic, plastics } from "../plastics/plastic.ts";
import { isPresentable, judgePlastic, needsPlastic, type Presented } from "../plastics/presented-plastic.ts";
import { timestamp } from "../platform/clock.ts";
import { toOtherId } from "../platform/id.ts";
import { all } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { getProgram } from "../tenancy/programs/program.ts";
import { type Token, tokens } from "../tokens/token.ts";
import { compareBillingAddress } from "../verification/billing-address.ts";
import {
  type Authentication,
  authenticationCreate,
  authentications,
  type FirstDecision,
  firstState,
} from "./authentication.ts";
import { authenticationRules, decideByRules, noRules, type StoredRules } from "./rules.ts";

const challengeMs = 5 * 60_000;

/** A merchant wants a purchase to be authenticated. */
export interface AuthenticationRequest {
  readonly programId: string;
  readonly cardId: string;
  readonly authenticationId: string;
  readonly amountMinor: number;
  readonly merchant: Merchant;
  readonly channel: AuthenticationChannel;
  readonly exemptions: readonly Exemption[];
  readonly billingAddress?: { readonly line1?: string | undefined; readonly postalCode?: string | undefined };
  readonly device?: Authentication["device"];
  readonly plasticId?: string;
  readonly tokenId?: string;
}

const reads = ({ programId, cardId, tokenId }: AuthenticationRequest) => ({
  account: cards.at(programId, cardId),
  // Read where another one is named than the Card shows.
  plastic: later<Plastic>(nothing),
  token: tokenId === undefined ? nothing : tokens.at(programId, tokenId),
  program: { get: () => getProgram(programId) },
  rules: authenticationRules.at(programId),
  // Read where the merchant sent an address.
  cardholder: later<Cardholder>(nothing),
  // Read where a passcode may be asked for.
  listeners: later<ListenerIds>(nothing),
  // Its id is taken.
  authentication: whenFailed((stored) => authentications.parse(stored)),
});
type Found = FoundBy<ReturnType<typeof reads>>;

/** What is answered to the merchant at once. */
export interface Assessment {
  readonly decision: FirstDecision;
  readonly decidedBy: AuthenticationDecidedBy;
  readonly reason?: string;
  /** How a challenge is answered, where the subscriptions do not decide it. */
  readonly method?: ChallengeMethod;
}

/** Decides at once, or challenges. Illegal without 3-D Secure. */
export const requestAuthentication: Change<AuthenticationRequest, Found, Authentication, StepRefusal> = {
  reads,
  decide: (request, found, at) => {
    const assessed = assessRequest(request, found, at);
    if (!("asked" in assessed)) return assessed;
    return conclude(assessed, found.listeners, found.account, at);
  },
};

/** What is to be authenticated, and what the Card's state and the rules say of it. */
export interface Assessed {
  readonly asked: Asked;
  readonly assessment: Assessment;
}

function assessRequest(
  request: AuthenticationRequest,
  { account, plastic, token, program, rules, cardholder, authentication }: Found,
  at: Date,
): Assessed | Rejected<StepRefusal> | ReadMore<Found> {
  if (!account) return { rejected: "NOT_FOUND" };
  if (!program?.settings.threeDSecure || authentication !== unread) return { rejected: "ILLEGAL_TRANSITION" };
  const { programId, cardId, billingAddress, tokenId } = request;
  if (tokenId !== undefined && token?.cardId !== cardId) return { rejected: "NOT_FOUND" };
  if (plastic === unread && needsPlastic(toPresented(request), account))
    return { readMore: { plastic: readPlastic(request) } };
  if (billingAddress && cardholder === unread)
    return { readMore: { cardholder: cardholders.at(programId, account.cardholderId) } };
  const address = cardholder === unread ? undefined : cardholder?.address;
  const asked = newAuthentication(request, account, address, at);
  const named = plastic === unread ? undefined : plastic;
  const reason = findUnusable(account, at) ?? findEnded(request, account, named) ?? findInactive(token);
  return { asked, assessment: assess(asked, reason, rules ?? noRules) };
}

type Named = Pick<Asked, "cardId" | "channel" | "exemptions"> &
  Pick<AuthenticationRequest, "plasticId" | "tokenId">;

/** As the purchase will name its plastic. */
function toPresented({ cardId, plasticId, tokenId, channel, exemptions }: Named): Presented {
  const isStored = channel === "merchant_initiated" || exemptions?.includes("recurring");
  return { cardId, plasticId, tokenId, isStored };
}

function readPlastic({ programId, cardId, plasticId = "" }: Asked | AuthenticationRequest) {
  return foundAnew(() => plastics.at(programId, cardId, plasticId).get());
}

/** Why nothing could be paid with the plastic. */
function findEnded(request: Named, account: Card, plastic: Plastic | undefined) {
  const judged = judgePlastic(toPresented(request), account, plastic);
  return judged === "stale" ? undefined : judged?.reason;
}

/** Why nothing could be paid with the token. */
function findInactive(token: Token | undefined) {
  return token === undefined || token.state === "active" ? undefined : "TOKEN_NOT_ACTIVE";
}

/** Writes nothing: what is known before a server is asked. */
export const assessment: Change<AuthenticationRequest, Found, Assessed, StepRefusal> = {
  reads,
  decide: (request, found, at) => {
    const assessed = assessRequest(request, found, at);
    return "asked" in assessed ? { done: assessed } : assessed;
  },
};

/** A challenge by passcode is made for the Card's subscriptions. */
function conclude(
  { asked, assessment }: Assessed,
  listeners: ListenerIds | undefined | Unread,
  account: Card | undefined,
  at: Date,
): Decided<Authentication> | ReadMore<Pick<Found, "listeners">> {
  const mayBePasscode = assessment.decision === "challenge" && chooseMethod(asked, assessment) === "passcode";
  if (mayBePasscode && listeners === unread) return { readMore: { listeners: readListeners(asked) } };
  const known = listeners === unread ? undefined : listeners;
  return decided(asked, assessment, mayBePasscode ? known : undefined, account, at);
}

/** What was assessed before, by the rules or a server. */
interface Conclusion extends Assessed {
  readonly programId: string;
}

/** Makes it once. What could not pay any more is declined with its reason, the Card's first. */
export const conclusion = defineChange<Conclusion, Authentication, never>()({
  reads: () => ({
    listeners: later<ListenerIds>(nothing),
    authentication: whenFailed((stored) => authentications.parse(stored)),
    account: whenFailed((stored) => cards.parse(stored)),
    plastic: later<Plastic>(nothing),
    token: whenFailed((stored) => tokens.parse(stored)),
  }),
  decide: ({ asked, assessment }, { listeners, authentication, plastic, token, ...found }, at) => {
    if (authentication !== unread && authentication) return { done: authentication };
    const account = found.account === unread ? undefined : found.account;
    if (plastic === unread && account && needsPlastic(toPresented(asked), account))
      return { readMore: { plastic: readPlastic(asked) } };
    const named = plastic === unread ? undefined : plastic;
    const ofCard = account && (findUnusable(account, at) ?? findEnded(asked, account, named));
    const reason = ofCard ?? (token === unread ? undefined : findInactive(token));
    const own = reason && ({ decision: "decline", decidedBy: "platform", reason } as const);
    return conclude({ asked, assessment: own ?? assessment }, listeners, account, at);
  },
});

export type Asked = Omit<Authentication, "state" | "decidedBy"> &
  Required<Pick<Authentication, "addressLine" | "postalCode">>;

function newAuthentication(
  { programId, cardId, authenticationId, billingAddress, exemptions, ...given }: AuthenticationRequest,
  card: Card,
  address: Cardholder["address"] | undefined,
  at: Date,
): Asked {
  const { bin, cardholderId, currency } = card;
  return {
    ...{ programId, entityId: authenticationId, cardId, cardholderId },
    network: toTokenNetwork(bin),
    currency,
    plasticId: shownPlasticId(card),
    ...given,
    ...(exemptions.length > 0 && { exemptions }),
    ...compareBillingAddress(billingAddress, address),
    createdAt: timestamp(at),
  };
}

/** A Card that could not pay is declined without a rule. `reason`: why. */
function assess(asked: Asked, reason: string | undefined, rules: StoredRules): Assessment {
  if (reason !== undefined) return { decision: "decline", decidedBy: "platform", reason };
  return { decision: decideByRules(rules, asked), decidedBy: "rule" };
}

/** Without the Cardholder, there is nobody on the merchant's page who could enter a passcode. */
function chooseMethod({ channel }: Asked, { method }: Assessment): ChallengeMethod {
  return channel === "merchant_initiated" ? "app" : (method ?? "passcode");
}

/**
 * `listeners`: of a challenge by passcode. Without any, it is answered in the app. `account`: as it
 * was judged.
 */
function decided(
  asked: Asked,
  { decision, decidedBy, reason }: Assessment,
  listeners: ListenerIds | undefined,
  account: Card | undefined,
  at: Date,
) {
  const { programId, cardId, entityId, tokenId, exemptions = [], createdAt } = asked;
  const state = firstState(decision, exemptions.length > 0);
  const common = { ...asked, state, decidedBy, ...(reason !== undefined && { reason }) };
  const { authentication, writes } =
    state === "challenged"
      ? challenged(common, listeners, at)
      : { authentication: { ...common, decidedAt: createdAt }, writes: [] };
  const presentable = isPresentable(toPresented(asked), account);
  const require = presentable ? all(isUsableAt(at), presentable) : isUsableAt(at);
  const card = { kind: "card", accountId: cardId } as const;
  return {
    // A loss at the same time comes before it or after it.
    accounts: state === "rejected" ? [] : [{ name: "account", account: card, require }],
    writes: [
      authenticationCreate(authentication),
      // A suspension at the same time comes before it or after it.
      ...(state === "rejected" || tokenId === undefined
        ? []
        : [tokens.at(programId, tokenId).check({ state: "active" })]),
      ...writes,
    ],
    answer: { ...authentication, programId, entityId },
  };
}

function challenged(
  common: Authentication,
  listeners: ListenerIds | undefined,
  at: Date,
): { authentication: Authentication; writes: WriteAction[] } {
  const expiresAt = timestamp(new Date(at.getTime() + challengeMs));
  if (!listeners?.listenerIds.length)
    return { authentication: { ...common, method: "app", expiresAt }, writes: [] };
  const { programId, cardId, entityId, amountMinor, merchant, createdAt } = common;
  const challengeId = toOtherId("challenge", entityId);
  const challenge = {
    challengeId,
    programId,
    cardId,
    amount: amountMinor,
    ...merchant,
    expiresAt,
    createdAt,
  };
  return {
    authentication: { ...common, method: "passcode", challengeId, expiresAt },
    writes: newChallengeWrites(challenge, listeners, at),
  };
}
