import { mayHaveEndpoint, readEndpoint } from "../authorizations/decisions/ask.ts";
import { type Hold, holds } from "../authorizations/holds/hold.ts";
import { type Card, type CardIdentity, cacheCard, cards, findCachedCard } from "../cards/card.ts";
import { given, later, type Read, type Reads, type Unread, unread, whenFailed } from "../changes/change.ts";
import type { ProgramSettings } from "../contract/account-programs.ts";
import { isOnlyUsage, readMoreUsage, refreshControls, releasePart } from "../controls/more-usage.ts";
import { mayHaveControls, readControls, recallControls } from "../controls/read-controls.ts";
import type { AuthorizationEndpoint } from "../controls/rulebooks.ts";
import type { ControlsInForce } from "../controls/usage.ts";
import { BoundedMap } from "../platform/bounded-map.ts";
import { monotonicMs, now } from "../platform/clock.ts";
import { readBatch } from "../platform/table/batch.ts";
import type { StoredAt } from "../platform/table/entity.ts";
import type { FailedConditions } from "../platform/table/transact.ts";
import { readProgram } from "../tenancy/programs/program.ts";
import { type Reference, references, type Transaction, transactions } from "../transactions/transaction.ts";
import { type CardEvent, hasFact } from "./card-event.ts";
import { type EventRecord, eventRecords } from "./event-record.ts";
import { findSimilar, type NamedMessage, namedMessages, type Similar, similarOf } from "./message-names.ts";

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
export interface CommonFound {
  readonly card: CardIdentity | undefined;
  readonly receivedAt: Date | undefined;
  readonly similar: Similar | undefined;
  readonly preceding: EventRecord | undefined;
  readonly reference: Reference | undefined | Unread;
  readonly named: NamedMessage | undefined | Unread;
}

/** The reads of one event: what several of them need is read once. */
export class CardReads<E extends CardEvent = CardEvent> {
  readonly #sent: SentCardEvent<E>;
  /** The Card, if this process has met it. */
  readonly known: CardIdentity | undefined;
  #account: Promise<Card | undefined> | undefined;
  #hold: Promise<Hold | undefined> | undefined;
  #settings: Promise<ProgramSettings | undefined> | undefined;
  #recalled: Promise<ControlsInForce | undefined> | undefined;
  #controlled: Promise<boolean> | undefined;
  #controls: Promise<ControlsInForce | undefined> | undefined;

  constructor(sent: SentCardEvent<E>) {
    this.#sent = sent;
    this.known = findCachedCard(sent.programId, sent.event.cardId);
  }

  /** What any event may become, or be refused for. */
  common(): Reads<CommonFound> {
    return {
      card: { get: () => this.#readIdentity(), renew: (seen) => seen },
      receivedAt: given(now()),
      similar: { get: () => this.#findSimilar(), renew: (seen) => seen },
      preceding: { get: () => this.#readPreceding(), renew: (seen) => seen },
      reference: whenFailed((stored) => references.parse(stored)),
      named: whenFailed((stored) => namedMessages.parse(stored)),
    };
  }

  /** Status and balances. */
  account(): Read<Card> {
    const { programId, cardId } = this.#sent.event;
    return { ...fresh("account", cards.at(programId, cardId)), get: () => this.#readAccount() };
  }

  /** Tried without it, unless controls or a question need it, or the Card is not known. */
  accountIfNeeded(): Read<Card> {
    const get = async () => (this.known && !(await this.#needsAccount()) ? unread : this.#readAccount());
    return { ...this.account(), get };
  }

  /** The hold of the event's authorization. */
  hold(): Read<Hold> {
    return { ...this.#holdAgain(), get: async () => this.#readHold() };
  }

  /** Tried as if no other event had come before it: a failed condition returns the hold. */
  holdLater(): Read<Hold> {
    this.#hold = Promise.resolve(undefined);
    return later(this.#holdAgain());
  }

  #holdAgain(): Read<Hold> {
    const id = this.#holdId() ?? "";
    return fresh("hold", holds.at(this.#sent.programId, id));
  }

  #holdId(): string | undefined {
    const { event } = this.#sent;
    return "authorizationId" in event ? event.authorizationId : undefined;
  }

  #readHold(): Promise<Hold | undefined> {
    const id = this.#holdId();
    this.#hold ??= id === undefined ? Promise.resolve(undefined) : holds.at(this.#sent.programId, id).get();
    return this.#hold;
  }

  /** What is in force for the Card, with what it has counted. */
  controls(): Read<ControlsInForce> {
    return this.#controlsFrom(() => this.#readControls());
  }

  /** In place of controls of which a part was not enough. */
  moreControls(seen: ControlsInForce, card: CardIdentity): Read<ControlsInForce> {
    const { programId } = card;
    return this.#controlsFrom(async () => {
      if (!seen.isRemembered) return readMoreUsage(card, seen, this.#amountMinor);
      seen.release?.();
      return readControls(programId, card);
    });
  }

  #controlsFrom(get: () => Promise<ControlsInForce | undefined>): Read<ControlsInForce> {
    return {
      get,
      renew: async (seen, failed, waited) => {
        const card = await this.#readIdentity();
        if (!seen || !card) return undefined;
        return refreshControls(card, seen, { failed, waited, amountMinor: this.#amountMinor });
      },
      release: releasePart,
    };
  }

  get #amountMinor(): number {
    const { event } = this.#sent;
    return "amount" in event ? (event.amount ?? 0) : 0;
  }

  #readControls(): Promise<ControlsInForce | undefined> {
    this.#controls ??= this.#recall().then(async (recalled) => {
      if (recalled || !(await this.#isControlled())) return recalled;
      return readControls(this.#sent.programId, this.#readIdentity());
    });
    return this.#controls;
  }

  #recall(): Promise<ControlsInForce | undefined> {
    const { programId, event } = this.#sent;
    this.#recalled ??=
      event.kind === "authorization" ? recallControls(programId) : Promise.resolve(undefined);
    return this.#recalled;
  }

  async #isControlled(): Promise<boolean> {
    if (await this.#recall()) return false;
    this.#controlled ??= mayHaveControls(this.#sent.programId);
    return this.#controlled;
  }

  /** Who is asked. The controls' read has renewed what is kept of the Program. */
  endpoint(): Read<AuthorizationEndpoint> {
    const get = async () => {
      await this.#readControls();
      return readEndpoint(this.#sent.programId);
    };
    return { get, renew: (seen) => seen };
  }

  settings(): Read<ProgramSettings> {
    return { get: () => this.#readSettings(), renew: (seen) => seen };
  }

  #readSettings(): Promise<ProgramSettings | undefined> {
    this.#settings ??= readProgram(this.#sent.programId).then((program) => program?.settings);
    return this.#settings;
  }

  /** Whether a later file settles what is posted now. `withSettings`: these are read anyway. */
  settlesLater(withSettings = false): Read<boolean> {
    const { event, isOfFile } = this.#sent;
    const reading = withSettings ? this.#readSettings() : undefined;
    return { get: async () => !isOfFile && settlesLater(event, reading), renew: (seen) => seen };
  }

  /** The postings that the event may change beside its own. */
  morePostings(card: CardIdentity, ids: readonly string[]) {
    return ids.length === 0 ? undefined : { postings: this.#postings(card, ids) };
  }

  #postings(card: CardIdentity, ids: readonly string[]): Read<readonly Transaction[]> {
    const get = async () => {
      const found = await readBatch(ids.map((id) => transactions.key(card.programId, card.cardId, id)));
      const read = found.map((item) => transactions.parse(item));
      return read.toSorted((one, other) => (one.transId < other.transId ? -1 : 1));
    };
    // The hold may have other postings, or they may be disputed.
    return { get, renew: () => unread };
  }

  #readAccount(): Promise<Card | undefined> {
    const { programId, cardId } = this.#sent.event;
    this.#account ??= cards.at(programId, cardId).get();
    return this.#account;
  }

  async #readIdentity(): Promise<CardIdentity | undefined> {
    if (this.known) return this.known;
    const account = await this.#readAccount();
    return account && cacheCard(this.#sent.programId, account);
  }

  async #needsAccount(): Promise<boolean> {
    const { programId } = this.#sent;
    const event: CardEvent = this.#sent.event;
    if ("withBalances" in event && event.withBalances === true) return true;
    if (event.kind === "authorization_decision" && event.decides === "atm_withdrawal") return true;
    const isAsked = event.kind === "authorization" || event.kind === "authorization_incremental";
    if (isAsked && (await mayHaveEndpoint(programId))) return true;
    return (await this.#isControlled()) || (isAsked && (await readEndpoint(programId)) !== undefined);
  }

  /** Only asked where the id itself names none. */
  async #findSimilar(): Promise<Similar | undefined> {
    const { event } = this.#sent;
    const similarTo = similarOf(event);
    if (similarTo?.differsIn !== "reference" || event.kind === "authorization_reversal") return undefined;
    return (await this.#readHold()) ? undefined : findSimilar(event, similarTo);
  }

  async #readPreceding(): Promise<EventRecord | undefined> {
    const { programId, event } = this.#sent;
    const id = "precedingEventId" in event ? event.precedingEventId : undefined;
    if (id === undefined || (await this.#readHold())) return undefined;
    return eventRecords.at(programId, id).get();
  }
}

/** They are read once it is known which. The hold may have others after a failed condition. */
export const noPostings: Read<readonly Transaction[]> = { get: async () => unread, renew: () => unread };

/** After a wait, what a failed condition has found may be out of date: it is read again. */
export function fresh<Item extends object>(name: string, at: StoredAt<Item>): Read<Item> {
  return {
    get: () => at.get(),
    parse: (stored) => at.parse(stored),
    renew: (seen: Item | undefined, failed: FailedConditions, waited: boolean) => {
      const found = failed.has(name) ? at.parse(failed.get(name)) : seen;
      return found && waited && !isOnlyUsage(failed) ? at.get() : found;
    },
  };
}

const knownMs = 60_000;
const known = new BoundedMap<string, { readonly settlesByFiles: boolean; readonly untilMs: number }>(10_000);

type Settings = Pick<ProgramSettings, "settlementFiles">;

/**
 * The Program's setting as it was at most a minute ago: no posting waits for it alone. `reading`:
 * the settings, where the event needs them anyway.
 */
export async function settlesLater(
  event: CardEvent,
  reading: Promise<Settings | undefined> | undefined,
): Promise<boolean> {
  if (!hasFact(event, "maySettle")) return false;
  const { programId } = event;
  const before = known.get(programId);
  if (before && monotonicMs() < before.untilMs) return before.settlesByFiles;
  const settings = reading ? await reading : (await readProgram(programId))?.settings;
  const settlesByFiles = settings?.settlementFiles ?? false;
  known.set(programId, { settlesByFiles, untilMs: monotonicMs() + knownMs });
  return settlesByFiles;
}
