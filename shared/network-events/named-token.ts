import type { AuthorizationDeclineReason } from "../contract/transactions.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Token, tokens } from "../tokens/token.ts";
import type { Presentation } from "../verification/presentation.ts";
import type { CardEvent } from "./card-event.ts";
import type { CardPlan } from "./plan.ts";

/** What pays in the place of the number: read with the Card, and only where the event names it. */
export function findTokenId(event: CardEvent): string | undefined {
  return (event as Presentation).tokenId;
}

/** The event with the wallet of its token, whatever the sender says. */
export function withWallet<E extends CardEvent>(event: E, token: Token | undefined): E {
  if (token?.cardId !== event.cardId) return event;
  const { verification } = event as Presentation;
  return { ...event, verification: { ...verification, wallet: token.wallet } };
}

/** Why a purchase cannot be made with the token that it names. */
export function tokenFault(
  event: CardEvent,
  token: Token | undefined,
): AuthorizationDeclineReason | undefined {
  if (findTokenId(event) === undefined) return undefined;
  if (token?.cardId !== event.cardId) return "NOT_FOUND";
  return token.state === "active" ? undefined : "TOKEN_NOT_ACTIVE";
}

/** What is approved, or asked about, requires that its token is active as it is committed. */
export function tokenChecks(
  event: CardEvent,
  token: Token | undefined,
  { result, question }: CardPlan,
): WriteAction[] {
  const isAsked = event.kind === "authorization" || (event.kind === "atm_withdrawal" && !event.advice);
  if (!isAsked || token?.state !== "active" || !(result.approved === true || question)) return [];
  return [tokens.at(token.programId, token.tokenId).check({ state: "active" })];
}
