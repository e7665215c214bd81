import type { OpenQuestion } from "../authorizations/decisions/decision.ts";
import { type Hold, holds } from "../authorizations/holds/hold.ts";
import { type Change, given, type ReadMore, type Reads, type Unread, unread } from "../changes/change.ts";
import type { ProcessorEvent, ProcessorResult } from "../contract/processor.ts";
import { lacksShare } from "../controls/count.ts";
import type { ControlsInForce } from "../controls/usage.ts";
import { balanceChanges, zeroBalances } from "../ledger/postings.ts";
import { numericCurrency, type Transaction } from "../transactions/transaction.ts";
import type { CardEvent, CardEventOf } from "./card-event.ts";
import { CardReads, type CommonFound, fresh, noPostings, type SentCardEvent } from "./card-reads.ts";
import { earlyWrites, renamed, similarOf, tiedTo } from "./message-names.ts";
import {
  type AppliedResult,
  type CardOutcome,
  type CardPlan,
  type CardSubject,
  illegal,
  notFound,
  type OfAccount,
  type Refusal,
  type Rejected,
  toDecided,
} from "./plan.ts";

/** What it names, or what names it, has come under another id: it is that event. */
export interface Becomes {
  readonly becomes: CardEvent;
}

/** What is found, as a plan has it: undefined also for what is not read yet. */
type Seen<Found> = { readonly [Name in keyof Found]: Exclude<Found[Name], Unread> };

interface Definition<E extends CardEvent, Found extends object> {
  readonly reads: (of: CardReads<E>, event: E) => Reads<Found>;
  /** What it depends on besides, by what was found. */
  readonly readMore?: (
    subject: CardSubject<E> & Seen<Found>,
    of: CardReads<E>,
    found: Found,
  ) => Partial<Reads<Found>> | undefined;
  /** Reads and writes nothing. */
  readonly plan: (subject: CardSubject<E> & Seen<Found>) => CardPlan | Rejected;
  readonly tied?: TiedEvents<E>;
}

/** The other events that an event of the network names, or that it brings. */
export interface TiedEvents<E> {
  /** The event that it is for what it names, or its result if it changes nothing. */
  readonly resolve: (
    event: E,
    awaitDecision: (open: OpenQuestion) => Promise<AppliedResult>,
  ) => Promise<E | Rejected | AppliedResult>;
  /** The event that follows it. Repeated with it after a kill, it moves nothing twice. */
  readonly followedBy: (event: E, result: ProcessorResult) => ProcessorEvent | undefined;
}

/** The change of a Card's event. */
export interface CardChange<E extends CardEvent>
  extends Change<SentCardEvent<E>, object, CardOutcome | Becomes, Refusal> {
  readonly tied?: TiedEvents<E>;
}

export type CardChanges = { readonly [K in CardEvent["kind"]]: CardChange<CardEventOf<K>> };

/** What the parts of a plan that all kinds share look at. */
interface Any {
  readonly account?: OfAccount["account"] | Unread;
  readonly hold?: Hold | undefined | Unread;
  readonly controls?: ControlsInForce | undefined;
  readonly postings?: readonly Transaction[] | undefined | Unread;
  /** The version of the hold for which it was read again. */
  readonly renewedFor?: number | undefined;
}

export function cardChange<E extends CardEvent, Found extends object>({
  reads,
  readMore,
  plan,
  tied,
}: Definition<E, Found>): CardChange<E> {
  type All = CommonFound & Found & Any;
  const change: Change<SentCardEvent<E>, All, CardOutcome | Becomes, Refusal> = {
    reads: (sent) => {
      const of = new CardReads(sent);
      return { ...reads(of, sent.event), ...of.common() } as Reads<All>;
    },
    decide: (sent, found, at) => {
      const { event } = sent;
      const before = resolve(sent, found);
      if (before) return before;
      const { card, receivedAt = at } = found;
      if (!card || ("account" in found && found.account === undefined)) return notFound;
      const subject = { ...withoutUnread(found), event, card, receivedAt, at } as CardSubject<E> & Seen<All>;
      const of = new CardReads(sent);
      const more = readMore?.(subject, of, found);
      if (more) return { readMore: more as Partial<Reads<All>> };
      const planned = withBalances(subject, planChecked(subject, plan));
      if ("rejected" in planned)
        return (readHoldAgain(subject, found) as ReadMore<All> | undefined) ?? planned;
      const whole = { ...planned, writes: [...(planned.writes ?? []), ...earlyWrites(subject)] };
      return (readWhole(of, subject, whole) as ReadMore<All> | undefined) ?? toDecided(subject, whole);
    },
  };
  const { reads: read, decide } = change as Change<SentCardEvent<E>, object, CardOutcome | Becomes, Refusal>;
  return { reads: read, decide, ...(tied && { tied }) };
}

/** What the event becomes, or is refused for, whatever its kind. */
function resolve<E extends CardEvent>(
  { event, isPrecedingMissing = false }: SentCardEvent<E>,
  { similar, preceding, named, reference, hold }: CommonFound & Any,
): { readonly done: Becomes } | Rejected | undefined {
  const similarTo = similarOf(event);
  if (similar && similarTo)
    return { done: { becomes: renamed(event as CardEvent, similarTo.id, similar.authorizationId) } };
  if (named && named !== unread) {
    const becomes = tiedTo(event as ProcessorEvent & CardEvent, named);
    if (becomes) return { done: { becomes } };
  }
  if (reference && reference !== unread && event.kind !== "authorization_decision")
    return { rejected: "REFERENCE_EXISTS" };
  if (hold && hold !== unread) return undefined;
  if (!("precedingEventId" in event) || event.precedingEventId === undefined) return undefined;
  if (!preceding?.result && !isPrecedingMissing) return notFound;
  const { result } = preceding ?? {};
  const { authorizationId = event.authorizationId } = result?.outcome === "applied" ? result : {};
  return { done: { becomes: { ...event, precedingEventId: undefined, authorizationId } as CardEvent } };
}

function withoutUnread(found: object): object {
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => [name, value === unread ? undefined : value]),
  );
}

/** A hold is of one Card, and an amount in the Card's currency. */
export function planChecked<Subject extends CardSubject & { readonly hold?: Hold | undefined }>(
  subject: Subject,
  plan: (subject: Subject) => CardPlan | Rejected,
): CardPlan | Rejected {
  const { event, hold, card } = subject;
  if (hold && hold.cardId !== event.cardId) return illegal;
  const currency = "billingCurrency" in event ? event.billingCurrency : undefined;
  if (currency !== undefined && currency !== numericCurrency[card.currency]) return illegal;
  return plan(subject);
}

/** The hold may have changed before its postings were read: a rejection follows from both. */
function readHoldAgain({ hold, postings }: Seen<Any>, { renewedFor }: Any): ReadMore<Any> | undefined {
  if (!hold || !postings?.length || renewedFor === hold.version) return undefined;
  return {
    readMore: {
      hold: fresh("hold", holds.at(hold.programId, hold.authorizationId)),
      renewedFor: given(hold.version),
      postings: noPostings,
    },
  };
}

/** A part of what was counted is not enough to decide. */
function readWhole<E extends CardEvent>(
  of: CardReads<E>,
  { controls, card, at }: CardSubject & Seen<Any>,
  { writes = [], isUncertain }: CardPlan,
): ReadMore<Any> | undefined {
  if (!controls || !(isUncertain || lacksShare(controls, writes, at.getTime()))) return undefined;
  return {
    readMore: {
      controls: of.moreControls(controls, card),
      ...(controls.isRemembered && { account: of.account() }),
    },
  };
}

/** Whether the answer to an approval has the balances after it. */
export function hasBalances(event: CardEvent): boolean {
  return "withBalances" in event && event.withBalances === true;
}

/** The commit then requires the balances from which those after it were computed. */
export function withBalances(
  subject: CardSubject & OfAccount,
  plan: CardPlan | Rejected,
): CardPlan | Rejected {
  const { event, account, card } = subject;
  if ("rejected" in plan || !hasBalances(event) || !plan.result.approved || !account) return plan;
  const { availableMinor, ledgerMinor } = account;
  const change = balanceChanges(plan.postings).get(card.cardId) ?? zeroBalances;
  const after = {
    availableBalance: availableMinor + change.availableMinor,
    ledgerBalance: ledgerMinor + change.ledgerMinor,
  };
  return {
    ...plan,
    balances: { ...plan.balances, availableMinor, ledgerMinor },
    result: { ...plan.result, ...after, currency: card.currency },
  };
}
