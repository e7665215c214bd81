import type { OpenQuestion, Verdict } from "../authorizations/decisions/decision.ts";
import {
  type CardNetworkEvent,
  type KindFacts,
  type KindWith,
  networkKindFacts,
} from "../contract/card-network.ts";
import type { DisputeReason } from "../contract/disputes.ts";
import type { ProcessorEvent } from "../contract/processor.ts";
import { timestamp } from "../platform/clock.ts";
import type { GivenLabels, LabelPlan } from "../platform/labels.ts";
import { defined, pick } from "../platform/pick.ts";
import { SentEvent } from "../transactions/transaction.ts";

type NetworkEventOf<K extends CardNetworkEvent["kind"]> = Extract<CardNetworkEvent, { kind: K }>;

/** The fields that all events of a Card have. */
type OfCard = Pick<NetworkEventOf<"refund">, "eventId" | "programId" | "cardId" | "occurredAt">;

/** `early`: of what has named it before it came. `ofRequest`: older than what reversals left. */
type Named<K extends CardNetworkEvent["kind"]> = {
  [Kind in K]: NetworkEventOf<Kind> & { readonly early?: string | undefined; readonly ofRequest?: true };
};

/** Events that the platform itself creates differ from the network's in these fields. */
interface OwnEvents extends Named<"authorization_advice" | "atm_withdrawal"> {
  /** Without an amount, all that is held. */
  clearing: Omit<NetworkEventOf<"clearing">, "amount"> & { readonly amount?: number | undefined };
  /** `withinHold`: at most the hold's amount. Exactly that amount finishes the authorization. */
  authorization_reversal: NetworkEventOf<"authorization_reversal"> & { readonly withinHold?: boolean };
  /** `dueAt`: the platform's deadline, which expires what is due by then. */
  authorization_expiry: NetworkEventOf<"authorization_expiry"> & { readonly dueAt?: Date };
  /** Decides the question of the event with the same `eventId`. */
  authorization_decision: Omit<NetworkEventOf<"authorization_expiry">, "kind"> &
    Pick<NetworkEventOf<"authorization">, "withBalances" | "requestHash"> & {
      readonly kind: "authorization_decision";
      /** The kind of that event. */
      readonly decides: OpenQuestion["event"]["kind"];
      readonly verdict: Verdict;
    };
  /** Without an amount, all that can still be disputed of the transaction. */
  dispute_creation: OfCard & {
    readonly kind: "dispute_creation";
    readonly transId: string;
    readonly reason: DisputeReason;
    readonly amount?: number | undefined;
    readonly note?: string | undefined;
    readonly labels?: GivenLabels;
  };
  dispute_change: OfCard & {
    readonly kind: "dispute_change";
    readonly disputeId: string;
    readonly reason?: DisputeReason | undefined;
    readonly amount?: number | undefined;
    readonly note?: string | undefined;
    /** The change of labels that were as the plan requires. */
    readonly labels?: LabelPlan;
  };
  /** `dueAt`: the platform's deadline, for what is due by then. */
  dispute_step: OfCard & {
    readonly kind: "dispute_step";
    readonly disputeId: string;
    readonly step: "submit" | "escalate" | "write_off" | "withdraw" | "credit" | "end";
    /** When the last piece for a submission was accepted. What was accepted stays so. */
    readonly evidenceAt?: string | undefined;
    readonly dueAt?: Date;
  };
}

/** An event of the card network, or one that the platform makes in its place. */
export type CardEvent = Exclude<CardNetworkEvent, { kind: keyof OwnEvents }> | OwnEvents[keyof OwnEvents];
export type PlannedEvent = ProcessorEvent | CardEvent;
export type CardEventOf<K extends CardEvent["kind"]> = Extract<CardEvent, { kind: K }>;
/** What the network waits for: approved or declined, and what the receiver may be asked about. */
export type AskedCardEvent = CardEventOf<KindWith<"asks">>;

/** What is true of each kind: of the network's, as the contract says; and of the platform's own. */
export const kindFacts = {
  ...networkKindFacts,
  authorization_decision: { looksAtLimit: true, maySettle: true },
  dispute_creation: {},
  dispute_change: {},
  dispute_step: {},
} as const satisfies Readonly<Record<CardEvent["kind"], KindFacts>>;

/** Other events than a Card's have none of them. */
export function findFacts({ kind }: { readonly kind: string }): KindFacts {
  return (kindFacts as Readonly<Record<string, KindFacts>>)[kind] ?? {};
}

/** The kinds that say what the network has settled. */
export const settledKinds = Object.entries<KindFacts>(kindFacts).flatMap(([kind, { settles }]) =>
  settles ? [kind as KindWith<"settles">] : [],
);

/** The others are of some events only: see below. */
const kept = SentEvent.omit({ occurredAt: true, billingCurrency: true, dueAt: true }).keyof().options;

/** What a transaction has of its event beside its other attributes. */
export function toSentEvent(event: CardEvent): SentEvent | undefined {
  if (!findFacts(event).isControlled) return undefined;
  const sent: Partial<Record<keyof SentEvent, unknown>> = event;
  const dueAt = "dueAt" in event && event.dueAt ? timestamp(event.dueAt) : undefined;
  const occurredAt = sent.total ? event.occurredAt : undefined;
  return defined({ ...pick(sent, ...kept), dueAt, occurredAt }) as SentEvent;
}
