import type { OpenQuestion } from "../authorizations/decisions/decision.ts";
import { type Hold, holds } from "../authorizations/holds/hold.ts";
import { type Card, type CardIdentity, cacheCard, cards, findCachedCard } from "../cards/card.ts";
import {
  type Change,
  type FoundBy,
  given,
  later,
  type Read,
  type ReadMore,
  type Reads,
  type Unread,
  unread,
  whenFailed,
} from "../changes/change.ts";
import type { ProgramSettings } from "../contract/account-programs.ts";
import type { Balances } from "../contract/balances.ts";
import { numericCurrency } from "../contract/enums.ts";
import type { ProcessorEvent, ProcessorResult, RejectionCode } from "../contract/processor.ts";
import { balanceChanges, zeroBalances } from "../ledger/postings.ts";
import { BoundedMap } from "../platform/bounded-map.ts";
import { minuteMs, now } from "../platform/clock.ts";
import type { StoredAt } from "../platform/table/entity.ts";
import type { FailedConditions, WriteAction } from "../platform/table/transact.ts";
import { readProgram } from "../tenancy/programs/program.ts";
import { type Reference, references } from "../transactions/transaction-rules.ts";
import { type CardEvent, type CardEventOf, findFacts, type PlannedEvent } from "./card-event.ts";
import { type CardPart, findBecoming, findItem, judgeParts } from "./card-part.ts";
import type { PayFunded } from "./funding.ts";
import {
  type AppliedResult,
  type Askers,
  type AsksAuthorization,
  type CardOutcome,
  type CardPlan,
  type CardSubject,
  type EventRecord,
  eventRecords,
  illegal,
  notFound,
  type OfAccount,
  type OfControls,
  type OfHold,
  type Question,
  type Refusal,
  type Rejected,
  toDecided,
} from "./plan.ts";
import type { ControlsDoor, FoundControls } from "./spend-controls.ts";

/** What it names, or what names it, has come under another id: it is that event. */
export interface Becomes {
  readonly becomes: CardEvent;
}

/** What is found, as a plan has it: undefined also for what is not read yet. */
type Seen<Found> = { readonly [Name in keyof Found]: Exclude<Found[Name], Unread> };

type ReadFurther<E extends CardEvent, Found extends object> = (
  subject: CardSubject<E> & Seen<Found>,
  of: CardReads<E>,
  found: Found,
) => Partial<Reads<Found>> | undefined;

interface Definition<E extends CardEvent, Found extends object, Named = Reads<Found>> {
  /** Default: the Card's account. What any event reads is read beside it. */
  readonly reads?: (of: CardReads<E>, event: E) => Named;
  /** What it depends on besides, by what was found. */
  readonly readMore?: ReadFurther<E, Found>;
  /** What may have changed since it was read: a rejection that follows from it does not stand. */
  readonly readAgain?: ReadFurther<E, Found>;
  /** Reads and writes nothing. */
  readonly plan: (subject: CardSubject<E> & Seen<Found>) => CardPlan | Rejected;
  readonly tied?: TiedEvents<E>;
}

/** The other events that an event of the network names, or that it brings. */
export interface TiedEvents<E> {
  /** The event that it is for what it names, or its result if it changes nothing. */
  readonly resolve?: (
    event: E,
    awaitDecision: (open: OpenQuestion) => Promise<AppliedResult>,
  ) => Promise<PlannedEvent | Rejected | AppliedResult>;
  /** The event that follows it. Repeated with it after a kill, it moves nothing twice. */
  readonly followedBy: (event: E, result: ProcessorResult) => ProcessorEvent | undefined;
}

/** The change of a Card's event. */
export interface CardChange<E extends CardEvent>
  extends Change<SentCardEvent<E>, object, CardOutcome | Becomes, Refusal> {
  readonly tied?: TiedEvents<E>;
}

/** What is known of an event beside its kind. */
export interface Known {
  /** The parts of all capabilities that know something of it. */
  readonly parts: readonly CardPart[];
  /** Spend controls are read through it. */
  readonly controls: ControlsDoor;
  /** What pays for it, where that is a Wallet, is read through it. */
  readonly funding: FundingDoor;
  /** Finds who is asked about it. */
  readonly askers: Askers;
}

/** How an event finds what its Card spends from, and how much of that it may spend. */
export interface FundingDoor {
  /** Read beside what the event's kind reads. */
  reads(of: CardReads): object;
  /** The Wallet that pays and the controls with the Card's limit, or what has to be read first. */
  judge(
    of: CardReads,
    event: CardEvent,
    found: object,
  ): Pick<CardSubject & OfControls, "funding" | "controls"> | ReadMore<object>;
  /** What comes before a control that declines: whether the Wallet has the money. */
  readMore(of: CardReads, subject: CardSubject, plan: CardPlan, found: object): object | undefined;
  /** Such an event is not tried before the Card is read. */
  needsAccount(of: CardReads): boolean;
  readCard(of: CardReads): Promise<CardWithUsage>;
  /** What the Card may spend after the plan. */
  balancesAfter(subject: CardSubject & OfControls, account: Card, plan: CardPlan): Balances;
  readonly pay: PayFunded;
}

/** A Card, and what its limit has counted, if that was read with it. */
export interface CardWithUsage {
  readonly card: Card | undefined;
  readonly usage: object | undefined;
}

type WithKnown<C> = (known: Known) => C;

export type CardChanges = {
  readonly [K in CardEvent["kind"]]: CardChange<CardEventOf<K>>;
} & Surroundings;

/** What is done around the changes, whatever the kind. */
export interface Surroundings {
  /** What is asked about, once it is reserved. */
  readonly asking: {
    /** Asks and decides, unless another process has decided. */
    readonly decide: (changes: CardChanges, question: Question) => Promise<AppliedResult>;
    /** Waits for the decision of the process that asked. */
    readonly awaitDecision: (changes: CardChanges, open: OpenQuestion) => Promise<AppliedResult>;
  };
  readonly messages: Messages;
  /** Written with the record of what was refused. */
  readonly refusedWrites: (event: PlannedEvent, at: Date) => readonly WriteAction[];
  /** Keeps what was refused and is missed in a report. */
  readonly noteRefused: (event: ProcessorEvent, code: RejectionCode) => Promise<void>;
  /** Done beside a commit: no event waits for it. Never rejects. */
  readonly besideCommit: (programId: string) => Promise<void>;
}

/** How the messages of events are known again. */
interface Messages {
  /** A repetition as the message that it repeats, if that had another time. */
  readonly asRepetition: (event: ProcessorEvent) => Promise<ProcessorEvent>;
  /** The event as the one that had come before, as a failed condition has found. */
  readonly asFirst: <E extends PlannedEvent>(event: E, failed: FailedConditions) => E | undefined;
  /** By these, repetitions are known; by the others, what names an event that was applied. */
  readonly repetitionWrites: (event: PlannedEvent, at: Date) => readonly WriteAction[];
  readonly nameWrites: (event: PlannedEvent, at: Date) => readonly WriteAction[];
}

type Kinds = Omit<CardChanges, keyof Surroundings>;

export function withKnown(known: Known, kinds: { readonly [K in keyof Kinds]: WithKnown<Kinds[K]> }): Kinds {
  const changes = Object.entries(kinds).map(([kind, change]) => [kind, change(known)] as const);
  return Object.fromEntries(changes) as unknown as Kinds;
}

/** What the parts of a plan that all kinds share look at. */
interface Any {
  readonly account?: OfAccount["account"] | Unread;
  readonly hold?: Hold | undefined | Unread;
  readonly controls?: FoundControls | undefined;
  readonly endpoint?: AsksAuthorization | undefined;
}

/** By default it reads status and balances, as the Card has them. */
export function cardChange<E extends CardEvent>() {
  return <Named extends Readonly<Record<string, Read<unknown>>> = { readonly account: Read<Card> }>(
    definition: Definition<E, NoInfer<FoundBy<Named>>, Named>,
  ): WithKnown<CardChange<E>> => {
    const { tied, ...own } = definition;
    const typed = own as unknown as Definition<E, FoundBy<Named>>;
    return (known) => ({ ...toChange(typed, known), ...(tied && { tied }) });
  };
}

function toChange<E extends CardEvent, Found extends object>(
  { reads, readMore, readAgain, plan }: Definition<E, Found>,
  known: Known,
): CardChange<E> {
  const { parts } = known;
  type All = CommonFound & Found & Any;
  const change: Change<SentCardEvent<E>, All, CardOutcome | Becomes, Refusal> = {
    reads: (sent) => {
      const of = new CardReads(sent, known);
      const own = reads?.(of, sent.event) ?? { account: of.account() };
      return { ...own, ...of.common() } as Reads<All>;
    },
    decide: (sent, found, at) => {
      const { event } = sent;
      const before = resolve(parts, sent, found);
      if (before) return before;
      const { card, receivedAt = at } = found;
      if (!card || ("account" in found && found.account === undefined)) return notFound;
      const of = new CardReads(sent, known);
      const judged = judgeParts(parts, event, found, { accountAgain: () => of.accountAgain(), at });
      if (!("presented" in judged)) return judged as Rejected | ReadMore<All>;
      const paid = known.funding.judge(of, judged.event, found);
      if ("readMore" in paid) return paid as ReadMore<All>;
      // In the place of what the Card was known to spend from, also where that is over.
      const facts = { ...judged, card, receivedAt, at, ...paid };
      const subject = { ...withoutUnread(found), ...facts } as CardSubject<E> & Seen<All>;
      const further = readMore?.(subject, of, found);
      if (further) return { readMore: further as Partial<Reads<All>> };
      const planned = withBalances(subject, planChecked(subject, plan), known.funding);
      if ("rejected" in planned) {
        const again = readAgain?.(subject, of, found);
        return again ? { readMore: again as Partial<Reads<All>> } : planned;
      }
      const ofParts = writeParts(parts, judged.event, found, { plan: planned, subject });
      const writes = [...(planned.writes ?? []), ...ofParts];
      const whole = { ...planned, writes };
      const wholly = readWhole(of, { ...subject, controls: found.controls }, whole);
      const more = known.funding.readMore(of, subject, planned, found);
      if (wholly || more) return { readMore: { ...wholly, ...more } as Partial<Reads<All>> };
      return toDecided(subject, completeParts(parts, whole, subject), known.funding.pay);
    },
  };
  return change as Change<SentCardEvent<E>, object, CardOutcome | Becomes, Refusal>;
}

function writeParts(
  parts: readonly CardPart[],
  event: CardEvent,
  found: object,
  planned: { readonly plan: CardPlan; readonly subject: CardSubject & OfHold },
) {
  return parts.flatMap((part) => {
    const item = findItem(part, found);
    return part.writes?.(event, item === unread ? undefined : item, planned) ?? [];
  });
}

function completeParts(parts: readonly CardPart[], plan: CardPlan, subject: CardSubject & OfHold) {
  return parts.reduce((planned, part) => part.complete?.(planned, subject) ?? planned, plan);
}

/** What the event becomes, or is refused for, whatever its kind. */
function resolve<E extends CardEvent>(
  parts: readonly CardPart[],
  { event, isPrecedingMissing = false }: SentCardEvent<E>,
  found: CommonFound & Any,
): { readonly done: Becomes } | Rejected | undefined {
  const { preceding, reference, hold } = found;
  const becomes = findBecoming(parts, event, found);
  if (becomes) return { done: { becomes } };
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

/** A part of what was counted is not enough to decide. */
function readWhole<E extends CardEvent>(
  of: CardReads<E>,
  { controls, card, at }: Pick<CardSubject, "card" | "at"> & Pick<Any, "controls">,
  { writes = [], isUncertain }: CardPlan,
): Partial<Reads<Any>> | undefined {
  const isWhole = !isUncertain && !controls?.lacksShare(writes, at);
  if (!controls || isWhole) return undefined;
  const account = controls.isRemembered && { account: of.account() };
  return { controls: of.moreControls(controls, card), ...account };
}

/** Whether the answer to an approval has the balances after it. */
export function hasBalances(event: CardEvent): boolean {
  return "withBalances" in event && event.withBalances === true;
}

/** The commit then requires the balances from which those after it were computed. */
function withBalances(
  subject: CardSubject & OfAccount & OfControls,
  plan: CardPlan | Rejected,
  { balancesAfter }: FundingDoor,
): CardPlan | Rejected {
  const { event, account, card, funding } = subject;
  if ("rejected" in plan || !hasBalances(event) || !plan.result.approved || !account) return plan;
  const { currency } = card;
  if (funding?.walletId !== undefined)
    return { ...plan, result: { ...plan.result, ...balancesAfter(subject, account, plan), currency } };
  const { availableMinor, ledgerMinor } = account;
  const change = balanceChanges(plan.postings).get(card.cardId) ?? zeroBalances;
  const after = {
    availableBalance: availableMinor + change.availableMinor,
    ledgerBalance: ledgerMinor + change.ledgerMinor,
  };
  return {
    ...plan,
    balances: { ...plan.balances, availableMinor, ledgerMinor },
    result: { ...plan.result, ...after, currency },
  };
}

/** A Card's event, and what its sender knows of it. */
export interface SentCardEvent<E extends CardEvent = CardEvent> {
  readonly programId: string;
  readonly event: E;
  /** The event that `precedingEventId` names will not come any more. */
  readonly isPrecedingMissing?: boolean;
  /** It is a record of the network's file, which settles what it posts. */
  readonly isOfFile?: boolean;
}

/** What any event may become, or be refused for. */
interface CommonFound {
  readonly card: CardIdentity | undefined;
  readonly receivedAt: Date | undefined;
  readonly preceding: EventRecord | undefined;
  readonly reference: Reference | undefined | Unread;
  readonly settlesLater: boolean | undefined;
}

/** Known for a minute, not by the monotonic clock, which stops while Lambda freezes the process. */
const settling = new BoundedMap<string, { readonly byFiles: boolean; readonly readMs: number }>(10_000);

/** The reads of one event: what several of them need is read once. */
export class CardReads<E extends CardEvent = CardEvent> {
  readonly sent: SentCardEvent<E>;
  readonly #with: Known;
  /** The Card, if this process has met it. */
  readonly known: CardIdentity | undefined;
  #stored: Promise<CardWithUsage> | undefined;
  #hold: Promise<Hold | undefined> | undefined;
  #settings: Promise<ProgramSettings | undefined> | undefined;
  #recalled: Promise<FoundControls | undefined> | undefined;
  #controlled: Promise<boolean> | undefined;
  #controls: Promise<FoundControls | undefined> | undefined;

  constructor(sent: SentCardEvent<E>, known: Known) {
    this.sent = sent;
    this.#with = known;
    this.known = findCachedCard(sent.programId, sent.event.cardId);
  }

  /** What any event may become, or be refused for. */
  common(): Reads<CommonFound> {
    return {
      card: { get: () => this.readIdentity(), renew: (seen, failed) => this.#identityIn(failed) ?? seen },
      receivedAt: given(now()),
      preceding: { get: () => this.#readPreceding(), renew: (seen) => seen },
      reference: whenFailed((stored) => references.parse(stored)),
      settlesLater: { get: () => this.#settlesLater(), renew: (seen) => seen },
      ...this.#ofParts(),
      ...this.#with.funding.reads(this),
    };
  }

  #ofParts(): object {
    const known = { card: () => this.readIdentity(), hold: () => this.#readHold() };
    return Object.fromEntries(
      this.#with.parts.flatMap((part) => {
        const read = part.read?.(this.sent.event, known);
        return read ? [[part.name, read]] : [];
      }),
    );
  }

  /** Status and balances. */
  account(): Read<Card> {
    return { ...this.accountAgain(), get: () => this.#readAccount() };
  }

  accountAgain(): Read<Card> {
    const { programId, cardId } = this.sent.event;
    return this.#fresh("account", cards.at(programId, cardId));
  }

  /** Tried without it, unless controls or a question need it, or the Card is not known. */
  accountIfNeeded(): Read<Card> {
    const get = async () => (this.known && !(await this.#needsAccount()) ? unread : this.#readAccount());
    return { ...this.account(), get };
  }

  /** The hold of the event's authorization. */
  hold(): Read<Hold> {
    return { ...this.holdAgain(), get: async () => this.#readHold() };
  }

  /** Tried as if no other event had come before it: a failed condition returns the hold. */
  holdLater(): Read<Hold> {
    this.#hold = Promise.resolve(undefined);
    return later(this.holdAgain());
  }

  /** As it is now, where it has been read before. */
  holdAgain(): Read<Hold> {
    const id = this.#holdId() ?? "";
    return this.#fresh("hold", holds.at(this.sent.programId, id));
  }

  /** After a wait, what a failed condition has found may be out of date: it is read again. */
  #fresh<Item extends object>(name: string, at: StoredAt<Item>): Read<Item> {
    return {
      get: () => at.get(),
      parse: (stored) => at.parse(stored),
      renew: (seen: Item | undefined, failed: FailedConditions, waited: boolean) => {
        const found = failed.has(name) ? at.parse(failed.get(name)) : seen;
        return found && waited && !this.#with.controls.isOnlyUsage(failed) ? at.get() : found;
      },
    };
  }

  #holdId(): string | undefined {
    const { event } = this.sent;
    return "authorizationId" in event ? event.authorizationId : undefined;
  }

  #readHold(): Promise<Hold | undefined> {
    const id = this.#holdId();
    this.#hold ??= id === undefined ? Promise.resolve(undefined) : holds.at(this.sent.programId, id).get();
    return this.#hold;
  }

  /** What is in force for the Card, with what it has counted. */
  controls(): Read<FoundControls> {
    return this.#controlsFrom(() => this.#readControls());
  }

  /** In place of controls of which a part was not enough. */
  moreControls(seen: FoundControls, card: CardIdentity): Read<FoundControls> {
    return this.#controlsFrom(() => seen.readMore(card, this.amountMinor));
  }

  #controlsFrom(get: () => Promise<FoundControls | undefined>): Read<FoundControls> {
    return {
      get,
      renew: async (seen, failed, waited) => {
        const card = await this.readIdentity();
        return card && seen?.readAgain(card, { failed, waited, amountMinor: this.amountMinor });
      },
      release: (seen, writes) => seen.release(writes),
    };
  }

  get amountMinor(): number {
    const { event } = this.sent;
    return "amount" in event ? (event.amount ?? 0) : 0;
  }

  #readControls(): Promise<FoundControls | undefined> {
    this.#controls ??= this.#recall().then(async (recalled) => {
      if (recalled || !(await this.#isControlled())) return recalled;
      return this.#with.controls.read(this.sent.programId, this.readIdentity());
    });
    return this.#controls;
  }

  #recall(): Promise<FoundControls | undefined> {
    const { programId, event } = this.sent;
    this.#recalled ??=
      event.kind === "authorization" ? this.#with.controls.recall(programId) : Promise.resolve(undefined);
    return this.#recalled;
  }

  async #isControlled(): Promise<boolean> {
    if (await this.#recall()) return false;
    this.#controlled ??= this.#with.controls.mayBeInForce(this.sent.programId);
    return this.#controlled;
  }

  /** Who is asked. The controls' read has renewed what is kept of the Program. */
  endpoint(): Read<AsksAuthorization> {
    const get = async () => {
      await this.#readControls();
      return this.#with.askers.find(this.sent.programId);
    };
    return { get, renew: (seen) => seen };
  }

  settings(): Read<ProgramSettings> {
    return { get: () => this.readSettings(), renew: (seen) => seen };
  }

  readSettings(): Promise<ProgramSettings | undefined> {
    this.#settings ??= readProgram(this.sent.programId).then((program) => program?.settings);
    return this.#settings;
  }

  /**
   * Whether a later file settles what is posted now: by the Program's setting as it was at most a
   * minute ago, so that no posting waits for it alone.
   */
  async #settlesLater(): Promise<boolean> {
    const { programId, event, isOfFile } = this.sent;
    if (isOfFile || !findFacts(event).maySettle) return false;
    const before = settling.get(programId);
    if (before && Math.abs(now().getTime() - before.readMs) < minuteMs) return before.byFiles;
    const byFiles = (await this.readSettings())?.settlementFiles ?? false;
    settling.set(programId, { byFiles, readMs: now().getTime() });
    return byFiles;
  }

  async #readAccount(): Promise<Card | undefined> {
    return (await this.readStored()).card;
  }

  /** Whether the Card is being read. */
  get isCardRead(): boolean {
    return this.#stored !== undefined;
  }

  readStored(): Promise<CardWithUsage> {
    this.#stored ??= this.#with.funding.readCard(this);
    return this.#stored;
  }

  async readIdentity(): Promise<CardIdentity | undefined> {
    if (this.known) return this.known;
    const account = await this.#readAccount();
    return account && cacheCard(this.sent.programId, account);
  }

  /** A failed condition on the Card's number has found the one that it has now. */
  #identityIn(failed: FailedConditions): CardIdentity | undefined {
    const { programId, cardId } = this.sent.event;
    const found = cards.at(programId, cardId).parse(failed.get("account"));
    return found && cacheCard(programId, found);
  }

  async #needsAccount(): Promise<boolean> {
    const { programId } = this.sent;
    const event: CardEvent = this.sent.event;
    if ("withBalances" in event && event.withBalances === true) return true;
    if (event.kind === "authorization_decision" && event.decides === "atm_withdrawal") return true;
    if (this.#with.funding.needsAccount(this)) return true;
    if (this.#with.parts.some((part) => part.needsAccount?.(event))) return true;
    if (isAsked(event) && (await this.#with.askers.mayBeAsked(programId))) return true;
    return (
      (await this.#isControlled()) ||
      (isAsked(event) && (await this.#with.askers.find(programId)) !== undefined)
    );
  }

  async #readPreceding(): Promise<EventRecord | undefined> {
    const { programId, event } = this.sent;
    const id = "precedingEventId" in event ? event.precedingEventId : undefined;
    if (id === undefined || (await this.#readHold())) return undefined;
    return eventRecords.at(programId, id).get();
  }
}

/** The network waits for its decision about a hold. */
export function isAsked(event: { readonly kind: string }): boolean {
  return findFacts(event).asks === "hold";
}
