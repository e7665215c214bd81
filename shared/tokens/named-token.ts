import { nothing } from "../changes/change.ts";
import type { AuthorizationDeclineReason } from "../contract/transactions.ts";
import { type CardEvent, findFacts } from "../network-events/card-event.ts";
import type { CardPart } from "../network-events/card-part.ts";
import type { Presentation } from "../verification/presentation.ts";
import { type Token, tokens } from "./token.ts";

/** What pays in the place of the number: read with the Card, where the event names one. */
export const namedToken: CardPart<Token> = {
  name: "token",
  read: (event) => {
    const tokenId = findTokenId(event);
    return tokenId === undefined ? nothing : tokens.at(event.programId, tokenId);
  },
  needsAccount: (event) => findTokenId(event) !== undefined,
  judge: ({ event, item }) => {
    const token = item as Token | undefined;
    const reason = findFault(event, token);
    return { event: withWallet(event, token), ...(reason && { presented: { refusedLast: { reason } } }) };
  },
  // What is approved, or asked about, requires that its token is active as it is committed.
  writes: (event, token, { plan: { result, question } }) => {
    const isAsked = findFacts(event).asks !== undefined && !("advice" in event && event.advice);
    if (!isAsked || token?.state !== "active" || !(result.approved === true || question)) return [];
    return [tokens.at(token.programId, token.tokenId).check({ state: "active" })];
  },
};

function findTokenId(event: CardEvent): string | undefined {
  return (event as Presentation).tokenId;
}

/** The event with the wallet of its token, whatever the sender says. */
function withWallet<E extends CardEvent>(event: E, token: Token | undefined): E {
  if (token?.cardId !== event.cardId) return event;
  const { verification } = event as Presentation;
  return { ...event, verification: { ...verification, wallet: token.wallet } };
}

/** Why a purchase cannot be made with the token that it names. */
function findFault(event: CardEvent, token: Token | undefined): AuthorizationDeclineReason | undefined {
  if (findTokenId(event) === undefined) return undefined;
  if (token?.cardId !== event.cardId) return "NOT_FOUND";
  return token.state === "active" ? undefined : "TOKEN_NOT_ACTIVE";
}
