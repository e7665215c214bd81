import { CountingControls } from "../authorizations/controls/counting.ts";
import { type Hold, holds } from "../authorizations/holds/hold.ts";
import { closeHold, emptyHold, holdDueAt, outstandingMinor } from "../authorizations/holds/hold-rules.ts";
import { planAdvice, planIncrement } from "../authorizations/plan-advice.ts";
import { planAuthorization } from "../authorizations/plan-authorization.ts";
import { planExpiry, planReversal } from "../authorizations/plan-reversal.ts";
import { planClearing } from "../authorizations/plan-settlement.ts";
import { planAtmWithdrawal } from "../authorizations/plan-withdrawal.ts";
import type { CardIdentity } from "../cards/card.ts";
import type { KindWith } from "../contract/card-network.ts";
import { type CardControls, controlsAt } from "../controls/read-controls.ts";
import { withSpendLimit } from "../controls/spend-limit.ts";
import { type Usage, usages } from "../controls/usage.ts";
import type { ControlOwner } from "../controls/usage-name.ts";
import { balanceChanges } from "../ledger/postings.ts";
import { planChecked } from "../network-events/card-change.ts";
import type { CardEvent, CardEventOf } from "../network-events/card-event.ts";
import {
  type CardPlan,
  type CardSubject,
  type OfAccount,
  type OfControls,
  type OfHold,
  type OfPresented,
  type OfSettings,
  type Rejected,
  toMerchant,
} from "../network-events/plan.ts";
import type { CountedWrites, SpendControls } from "../network-events/spend-controls.ts";
import { minuteMs, timestamp } from "../platform/clock.ts";
import type { Movement } from "./movement.ts";
import { addEvent, noEvents, type SimulationResult } from "./result.ts";
import {
  type CardStart,
  type SimulatedCard,
  type SimulatedWallet,
  toAccount,
  toFunding,
  toPresented,
  type WalletStart,
} from "./simulated-card.ts";

export interface RunRules {
  readonly programId: string;
  readonly settings: NonNullable<OfSettings["settings"]>;
  readonly controlId: string;
  readonly sinceMs: number;
}

/** A part of what a run knows: as JSON, it can go on in another process. */
export type RunState =
  | { readonly cardId: string; readonly availableMinor: number }
  | { readonly walletId: string; readonly availableMinor: number }
  | { readonly pk: string; readonly item: unknown }
  | { readonly absent: string }
  | { readonly minute: number; readonly result: SimulationResult };

/** An expiry that was recorded comes first: the sweep runs every minute. */
const sweptAfterMs = 2 * minuteMs;

/** Their plans say only what is added to a limit: here it is noted what is in force then. */
class NotedControls extends CountingControls {
  counted: SpendControls | undefined;

  override countHold(...given: Parameters<CountingControls["countHold"]>): CountedWrites {
    const found = super.countHold(...given);
    this.counted = found.controls;
    return found;
  }

  override countPosting(...given: Parameters<CountingControls["countPosting"]>) {
    const found = super.countPosting(...given);
    this.counted = found.controls;
    return found;
  }
}

/** Decides events again, by the functions that decided them, with another state and control. */
export class SimulationRun {
  readonly #rules: RunRules;
  readonly #cards = new Map<string, SimulatedCard>();
  readonly #wallets = new Map<string, SimulatedWallet>();
  /** What the table would have. */
  readonly #items = new Map<string, unknown>();
  readonly #changed = new Set<string>();
  readonly #changedCards = new Set<string>();
  /** Open holds by the minute in which the platform expires them. */
  readonly #expiries = new Map<number, string[]>();
  /** What is posted in the records, but declined here. */
  readonly #absent = new Set<string>();
  #minute = Number.POSITIVE_INFINITY;
  #result = noEvents;

  constructor(rules: RunRules) {
    this.#rules = rules;
  }

  get result(): SimulationResult {
    return this.#result;
  }

  addCard({ cardId, cardholderId, currency, ...start }: CardStart, controls: CardControls): void {
    const { programId, controlId } = this.#rules;
    const identity = { programId, cardId, cardholderId, currency, cardToken: "", maskedCardNumber: "" };
    const { availableMinor, limit } = start;
    this.#cards.set(cardId, { identity, controls, availableMinor, limit });
    for (const one of start.holds) {
      // The control that is simulated has counted nothing yet.
      const hold = { ...one, counted: one.counted?.filter((part) => part.controlId !== controlId) };
      this.#items.set(this.#holdKey(hold.authorizationId), hold);
      this.#expireLater(undefined, hold);
    }
  }

  addWallet(start: WalletStart): void {
    this.#wallets.set(start.walletId, { ...start });
  }

  /** What has changed since it was made or restored. */
  *state(): Generator<RunState> {
    for (const cardId of this.#changedCards) {
      yield { cardId, availableMinor: this.#cards.get(cardId)?.availableMinor ?? 0 };
    }
    yield* this.#wallets.values();
    for (const pk of this.#changed) yield { pk, item: this.#items.get(pk) };
    for (const absent of this.#absent) yield { absent };
    yield { minute: this.#minute, result: this.#result };
  }

  /** After its Cards were added. */
  restore(part: RunState): void {
    if ("cardId" in part) {
      const card = this.#cards.get(part.cardId);
      if (card) card.availableMinor = part.availableMinor;
    } else if ("walletId" in part) this.addWallet(part);
    else if ("absent" in part) this.#absent.add(part.absent);
    else if ("result" in part) {
      this.#result = part.result;
      this.#minute = part.minute;
    } else {
      this.#items.set(part.pk, part.item);
      const { sk } = part.item as { readonly sk?: string };
      if (sk === undefined || sk === "HOLD") this.#expireLater(undefined, part.item as Hold);
    }
  }

  /** Movements come in the order of time. */
  take(movement: Movement): void {
    this.#expireUntil(movement.atMs);
    const wallet = this.#wallets.get(movement.walletId ?? "");
    if (wallet) this.#move(wallet, movement);
    else this.#takeOfCard(movement);
  }

  #takeOfCard(movement: Movement): void {
    const card = this.#cards.get(movement.cardId);
    if (!card) throw new Error(`The Card ${movement.cardId} is not part of the simulation.`);
    this.#changedCards.add(movement.cardId);
    const { event: sent, dueAt, feeMinor } = movement;
    const event = sent && dueAt ? ({ ...sent, dueAt: new Date(dueAt) } as CardEvent) : sent;
    if (!event) {
      this.#move(card, movement);
      return;
    }
    const payer = this.#findWallet(event, movement) ?? card;
    const plan = this.#decide(card, event, movement);
    if (event.kind === "atm_withdrawal" && plan?.transaction?.declineReason) {
      for (const id of [movement.transId, movement.feeId]) if (id !== undefined) this.#absent.add(id);
    }
    this.#record(movement, card, plan);
    if (!plan) return;
    const isApproved = plan.result.approved === true;
    this.#apply(card, isApproved ? this.#asReceiverDecided(card, event, movement, plan) : plan, payer);
    // That of a withdrawal is part of its plan.
    if (event.kind === "clearing") payer.availableMinor -= feeMinor;
  }

  /** A receiver that was asked answers as it did: with less, or with a decline. */
  #asReceiverDecided(card: SimulatedCard, event: CardEvent, movement: Movement, plan: CardPlan) {
    const { approvedMinor } = movement;
    if (approvedMinor === undefined) return plan;
    const isPart = approvedMinor > 0 && event.kind === "authorization";
    if (isPart) return this.#decide(card, { ...event, amount: approvedMinor }, movement) ?? plan;
    if (approvedMinor > 0) return plan;
    const isFirst = event.kind === "authorization" || event.kind === "atm_withdrawal";
    const authorizationId = isFirst && event.authorizationId;
    if (!authorizationId) return { postings: [] };
    const empty = emptyHold(card.identity, authorizationId, timestamp(new Date(movement.atMs)));
    this.#keepHold(undefined, {
      ...(this.findHold(authorizationId) ?? closeHold(empty, "declined")),
      decided: true,
      merchant: toMerchant(event),
    });
    return { postings: [] };
  }

  /** Not what is about a withdrawal that does not exist: its dispute, or its fee's reversal. */
  #move(account: Account, { availableMinor, relatedId, transId, isReservation }: Movement): void {
    if (isReservation) return;
    if (relatedId === undefined || !this.#absent.has(relatedId)) account.availableMinor += availableMinor;
    else if (transId !== undefined) this.#absent.add(transId);
  }

  /** The Wallet that pays: the one of its hold, or that paid then. Undefined: the Card itself. */
  #findWallet(event: CardEvent, { fundingWalletId }: Partial<Movement>): SimulatedWallet | undefined {
    const hold = "authorizationId" in event ? this.findHold(event.authorizationId) : undefined;
    return this.#wallets.get((hold ? hold.fundingWalletId : fundingWalletId) ?? "");
  }

  #decide(card: SimulatedCard, event: CardEvent, movement: Partial<Movement>) {
    const { atMs, declineReason } = movement;
    const at = new Date(atMs ?? 0);
    const wallet = this.#findWallet(event, movement);
    const hold = "authorizationId" in event ? this.findHold(event.authorizationId) : undefined;
    const controls = this.#controlsAt(timestamp(at), card, wallet !== undefined);
    const subject: SimulatedSubject = {
      event,
      at,
      receivedAt: at,
      card: card.identity,
      account: toAccount(card, declineReason),
      presented: toPresented(event as Parameters<typeof toPresented>[0], declineReason),
      // Its postings have no records here: all that is settled of them can be given back.
      hold: hold && { ...hold, olderMinor: hold.clearedMinor },
      settings: this.#rules.settings,
      ...(wallet && { funding: toFunding(card, wallet) }),
      controls,
    };
    const plan = planAgain(subject);
    if ("rejected" in plan) return undefined;
    const counted = plan.controls ?? controls?.counted;
    return { ...plan, ...(counted && { controls: counted }) };
  }

  /** The limit counts beside them where a Wallet pays, as it is now. */
  #controlsAt(at: string, { identity, controls, limit }: SimulatedCard, isFunded: boolean) {
    const found = controlsAt(at, identity, controls, (owner) => this.#findUsage(owner, identity));
    if (!isFunded || !limit || limit.countsFrom > at) return found && new NotedControls(found);
    const usage = this.#items.get(this.#limitKey(identity)) as Usage | undefined;
    const { timeZone } = controls.program;
    const all = withSpendLimit(found, identity.cardId, limit, { usage, timeZone });
    return all && new NotedControls(all);
  }

  #limitKey({ programId, cardId }: CardIdentity): string {
    const { pk, sk } = usages.limit.key(programId, cardId);
    return `${pk} ${sk}`;
  }

  #record({ atMs, transId }: Movement, { controls }: SimulatedCard, plan: CardPlan | undefined): void {
    const { controlId, sinceMs } = this.#rules;
    if (atMs < sinceMs || transId === undefined || !appliesTo(controls, controlId)) return;
    const { transaction } = plan ?? {};
    const isDeclined = transaction?.controlId === controlId;
    const decline = { transId, dateCreated: timestamp(new Date(atMs)) };
    this.#result = addEvent(
      this.#result,
      isDeclined ? { ...decline, amount: transaction.amountMinor } : undefined,
    );
  }

  #apply({ identity }: SimulatedCard, plan: Applied, payer: Account): void {
    const { postings, writes = [], controls } = plan;
    payer.availableMinor += balanceChanges(postings).get(identity.cardId)?.availableMinor ?? 0;
    // Its write only says what is added.
    const { inForce } = (controls ?? {}) as Partial<CountingControls>;
    const limit = inForce?.scopes.find(({ owner }) => owner === "limit");
    if (limit?.usage) this.#put(this.#limitKey(identity), { ...limit.usage, sk: "CARD_LIMIT" });
    for (const write of writes) {
      const item = "Put" in write ? write.Put.Item : undefined;
      if (item?.sk === "HOLD") this.#keepHold(this.findHold(item.authorizationId as string), item as never);
      if (item?.sk === "CONTROL_USAGE") this.#put(String(item.pk), item);
    }
  }

  #put(pk: string, item: unknown): void {
    this.#items.set(pk, item);
    this.#changed.add(pk);
  }

  #keepHold(before: Hold | undefined, hold: Hold): void {
    this.#put(this.#holdKey(hold.authorizationId), hold);
    this.#expireLater(before, hold);
  }

  #expireLater(before: Hold | undefined, hold: Hold): void {
    if (outstandingMinor(hold) === 0 || (before?.heldSince === hold.heldSince && before)) return;
    const minute = Math.ceil((holdDueAt(hold).getTime() + sweptAfterMs) / minuteMs);
    this.#expiries.set(minute, [...(this.#expiries.get(minute) ?? []), hold.authorizationId]);
  }

  /** The platform's own expiries, of holds that only the simulation has. */
  #expireUntil(atMs: number): void {
    const last = Math.floor(atMs / minuteMs);
    this.#minute = Math.min(this.#minute, last);
    for (; this.#minute < last; this.#minute += 1) {
      for (const authorizationId of this.#expiries.get(this.#minute + 1) ?? []) {
        this.#expire(authorizationId, (this.#minute + 1) * minuteMs);
      }
      this.#expiries.delete(this.#minute + 1);
    }
  }

  #expire(authorizationId: string, atMs: number): void {
    const hold = this.findHold(authorizationId);
    const card = hold && this.#cards.get(hold.cardId);
    if (!hold || !card) return;
    const { programId, cardId } = hold;
    const kind = "authorization_expiry";
    const event = { kind, eventId: "", programId, cardId, authorizationId, dueAt: new Date(atMs) } as const;
    const payer = this.#findWallet(event, {}) ?? card;
    const plan = this.#decide(card, event, { atMs });
    this.#changedCards.add(cardId);
    if (plan) this.#apply(card, plan, payer);
  }

  #holdKey(authorizationId: string): string {
    return holds.at(this.#rules.programId, authorizationId).key.pk;
  }

  findHold(authorizationId: string | undefined): Hold | undefined {
    return authorizationId === undefined
      ? undefined
      : (this.#items.get(this.#holdKey(authorizationId)) as Hold | undefined);
  }

  #findUsage(owner: ControlOwner, { programId, cardholderId, cardId }: CardIdentity): Usage | undefined {
    const ownerId = { program: programId, cardholder: cardholderId, card: cardId }[owner];
    return this.#items.get(usages[owner].at(programId, ownerId).key.pk) as Usage | undefined;
  }
}

/** What pays. */
type Account = SimulatedCard | SimulatedWallet;
type Applied = Pick<CardPlan, "postings" | "writes" | "controls">;

function appliesTo({ program, cardholder, card }: CardControls, controlId: string): boolean {
  return [program, cardholder, card].some(({ controls }) =>
    controls.some((control) => control.controlId === controlId),
  );
}

/** What a simulation knows of a Card. */
type SimulatedSubject<E extends CardEvent = CardEvent> = CardSubject<E> &
  OfAccount &
  OfHold &
  OfPresented &
  OfControls &
  OfSettings;

const planners: {
  readonly [K in KindWith<"isControlled">]: (
    subject: SimulatedSubject<CardEventOf<K>>,
  ) => CardPlan | Rejected;
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
function planAgain(subject: SimulatedSubject): CardPlan | Rejected {
  const plan = planners[subject.event.kind as KindWith<"isControlled">] as (
    subject: SimulatedSubject,
  ) => CardPlan | Rejected;
  return planChecked(subject, plan);
}
