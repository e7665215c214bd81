import type { Authentication } from "../authentications/authentication.ts";
import {
  judgeAuthentication,
  releaseAuthentication,
  takeAuthentication,
  takesAuthentication,
} from "../authentications/purchase.ts";
import type { Merchant } from "../contract/settled.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Presentation } from "../verification/presentation.ts";
import type { CardEvent } from "./card-event.ts";
import type { CardPlan } from "./plan.ts";

type Naming = Pick<CardEvent, "programId" | "cardId"> &
  Presentation &
  Merchant & { readonly authorizationId?: string | undefined; readonly amount?: number | undefined };

/** Which authentication the event names. */
export function findAuthenticationId(event: CardEvent): string | undefined {
  return (event as Naming).authenticationId;
}

/** Whether there is no such authentication of the Card. */
export function lacksNamed(event: CardEvent, authentication: Authentication | undefined): boolean {
  return findAuthenticationId(event) !== undefined && authentication?.cardId !== event.cardId;
}

/** The event with what its authentication is worth, whatever the sender says. */
export function withJudgement<E extends CardEvent>(
  event: E,
  authentication: Authentication | undefined,
  at: Date,
): E {
  if (!authentication) return event;
  const purchase = event as Naming;
  const { verification } = purchase;
  return {
    ...event,
    verification: { ...verification, threeDS: judgeAuthentication(authentication, purchase, at) },
  };
}

/** What is approved, or asked about, has its authentication for itself. */
export function takeWrites(
  event: CardEvent,
  authentication: Authentication | undefined,
  { result, question }: CardPlan,
): WriteAction[] {
  const { authorizationId, verification } = event as Naming;
  if (!authentication || authorizationId === undefined || !takesAuthentication(verification?.threeDS))
    return [];
  const isHeld = result.approved === true || question !== undefined;
  if (!isHeld || authentication.authorizationId !== undefined) return [];
  return [takeAuthentication(authentication, authorizationId)];
}

/** What was asked about, and is declined, gives its authentication back. */
export function releaseWrites(asked: CardEvent, authorizationId: string): WriteAction[] {
  const { programId, authenticationId, verification } = asked as Naming;
  if (authenticationId === undefined || !takesAuthentication(verification?.threeDS)) return [];
  return [releaseAuthentication(programId, authenticationId, authorizationId)];
}
