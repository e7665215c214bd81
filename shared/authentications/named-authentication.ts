import { nothing } from "../changes/change.ts";
import type { Merchant } from "../contract/settled.ts";
import type { CardEvent } from "../network-events/card-event.ts";
import type { CardPart } from "../network-events/card-part.ts";
import { notFound } from "../network-events/plan.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Presentation } from "../verification/presentation.ts";
import { type Authentication, authentications } from "./authentication.ts";
import {
  judgeAuthentication,
  releaseAuthentication,
  takeAuthentication,
  takesAuthentication,
} from "./purchase.ts";

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
