import { planAdvice, planAuthorization, planIncrement } from "../authorizations/plan-authorization.ts";
import { planExpiry, planReversal } from "../authorizations/plan-reversal.ts";
import { planClearing } from "../authorizations/plan-settlement.ts";
import { planAtmWithdrawal } from "../authorizations/plan-withdrawal.ts";
import { planChecked } from "../network-events/card-change.ts";
import type { CardEvent, CardEventOf, kindFacts } from "../network-events/card-event.ts";
import type {
  CardPlan,
  CardSubject,
  OfAccount,
  OfControls,
  OfHold,
  OfSettings,
  Rejected,
} from "../network-events/plan.ts";

/** What a simulation knows of a Card. */
export type SimulatedSubject<E extends CardEvent = CardEvent> = CardSubject<E> &
  OfAccount &
  OfHold &
  OfControls &
  OfSettings;

type ControlledKind = {
  [K in CardEvent["kind"]]: "isControlled" extends keyof (typeof kindFacts)[K] ? K : never;
}[CardEvent["kind"]];

const planners: {
  readonly [K in ControlledKind]: (subject: SimulatedSubject<CardEventOf<K>>) => CardPlan | Rejected;
} = {
  authorization: planAuthorization,
  authorization_advice: planAdvice,
  authorization_incremental: planIncrement,
  authorization_reversal: planReversal,
  authorization_expiry: planExpiry,
  clearing: planClearing,
  atm_withdrawal: planAtmWithdrawal,
};

/** What controls decline or count is decided again, by the functions that decided it. */
export function planAgain(subject: SimulatedSubject): CardPlan | Rejected {
  const plan = planners[subject.event.kind as ControlledKind] as (
    subject: SimulatedSubject,
  ) => CardPlan | Rejected;
  return planChecked(subject, plan);
}
