import { type Card, cards, toFunding } from "../cards/card.ts";
import { cardList } from "../cards/card-view.ts";
import { listCardIds } from "../cards/cards-of-cardholder.ts";
import type { Control } from "../controls/control.ts";
import { hasUsage } from "../controls/count.ts";
import type { CardControls } from "../controls/read-controls.ts";
import {
  type ActiveControl,
  cardholderRulebooks,
  type NarrowerRulebooks,
  noCardControls,
  noCardholderControls,
  noProgramControls,
  programRulebooks,
  readNarrowerControls,
} from "../controls/rulebooks.ts";
import { toLimitControl } from "../controls/spend-limit.ts";
import { isRolling, periodAt, rollingStart } from "../controls/usage.ts";
import { listPage } from "../lists/list-page.ts";
import type { OfSettings } from "../network-events/plan.ts";
import { timestamp } from "../platform/clock.ts";
import { inLanes } from "../platform/in-lanes.ts";
import { readBatch } from "../platform/table/batch.ts";
import { isTimeUp } from "../platform/time-budget.ts";
import type { Program } from "../tenancy/programs/program.ts";
import { type CardHistory, compareMovements, readHistory, TooManyRecordsError } from "./card-history.ts";
import type { SimulationResult } from "./result.ts";
import { SimulationRun } from "./simulation-run.ts";
import { findWalletIds, readWalletHistory, type WalletHistory } from "./wallet-history.ts";

/** What a simulation follows from, beside the Cards. */
export interface SimulationScope extends SimulatedControl {
  readonly programId: string;
  readonly until: Date;
  /** As they were when it began. */
  readonly side: ProgramSide;
  readonly settings: NonNullable<OfSettings["settings"]>;
}

export async function openScope(
  program: Program,
  given: SimulatedControl & Pick<SimulationScope, "until">,
): Promise<SimulationScope> {
  const { programId, settings } = program;
  const { partialApproval, feeSchedule } = settings;
  const side = await readProgramSide(program, given);
  return { ...given, programId, side, settings: { partialApproval, feeSchedule } };
}

interface CollectedCard extends CardHistory {
  readonly controls: CardControls;
}

interface CardPage {
  readonly cards: readonly CollectedCard[];
  readonly total: number;
}

/** A Card has many records. */
const lanes = 8;

/**
 * Some Cards to decide again, in the order of their ids: all that may change each other's.
 * @throws TooManyRecordsError
 */
export async function collectCards(
  scope: SimulationScope,
  { offset, limit, mayRead = () => true }: { offset: number; limit: number; mayRead?: () => boolean },
): Promise<CardPage> {
  const { cardIds, total } = await readCardIds(scope, offset, limit);
  const found = await readBatch(cardIds.map((cardId) => cards.at(scope.programId, cardId).key));
  const collected = await inLanes(found, (item) => collectCard(scope, cards.parse(item), mayRead), lanes);
  return { cards: collected.flatMap((card) => card ?? []), total };
}

async function readCardIds({ programId, side, control }: SimulationScope, offset: number, limit: number) {
  const { cardId, cardholderId } = control;
  const rulebook =
    cardholderId === undefined ? undefined : await cardholderRulebooks.at(programId, cardholderId).get();
  const sharers = findSharers(side, rulebook?.controls ?? [], control);
  if (sharers === "program") {
    const query = { orderBy: "cardId", sort: "asc", limit, offset } as const;
    const records = { list: { programId, kind: cardList } };
    const view = (card: { readonly entityId: string }) => card.entityId;
    const { items, total } = await listPage({ records, orders: { cardId: "entityId" }, view }, query);
    return { cardIds: items, total };
  }
  const ids = sharers === "card" && cardId ? [cardId] : await listCardIds(programId, cardholderId ?? "");
  return { cardIds: ids.slice(offset, offset + limit), total: ids.length };
}

/** What happened to a Card, with the controls that are in force for it in the simulation. */
async function collectCard(scope: SimulationScope, stored: Card, mayRead: () => boolean) {
  const { entityId: cardId, cardholderId } = stored;
  const { programId, side, settings } = scope;
  const { hasNarrower, ...program } = side;
  const narrower = hasNarrower
    ? await readNarrowerSide(programId, { cardId, cardholderId }, scope)
    : { card: noCardControls, cardholder: noCardholderControls };
  const controls = { program, ...narrower };
  const span = { from: computeReach(controls, scope, stored), until: scope.until, settings, mayRead };
  const history = await readHistory(programId, cardId, span);
  return history && { ...history, controls };
}

export function newRun({ programId, settings, control, since }: SimulationScope): SimulationRun {
  return new SimulationRun({ programId, settings, controlId: control.entityId, sinceMs: since.getTime() });
}

/** What a request has time for. */
export const atOnce = { cards: 20, records: 5_000 };

/** Undefined if it takes longer than a request. */
export async function simulateAtOnce(scope: SimulationScope): Promise<SimulationResult | undefined> {
  const found = await collectFew(scope);
  if (!found) return undefined;
  const run = newRun(scope);
  for (const { start, controls } of found.cards) run.addCard(start, controls);
  for (const { start } of found.wallets) run.addWallet(start);
  const movements = [...found.cards, ...found.wallets].flatMap((one) => one.movements);
  for (const movement of movements.sort(compareMovements)) run.take(movement);
  return run.result;
}

interface Few extends CardPage {
  readonly wallets: readonly WalletHistory[];
}

async function collectFew(scope: SimulationScope): Promise<Few | undefined> {
  let left = atOnce.records;
  const mayRead = () => {
    left -= 1;
    return left >= 0 && !isTimeUp();
  };
  try {
    const page = await collectCards(scope, { offset: 0, limit: atOnce.cards, mayRead });
    if (page.total > page.cards.length) return undefined;
    const cards = page.cards.map(({ start }) => start);
    const { programId, until } = scope;
    const wallets = await inLanes(
      findWalletIds(cards),
      (walletId) => readWalletHistory({ programId, walletId, cards, until, mayRead }),
      lanes,
    );
    return { ...page, wallets };
  } catch (error) {
    if (error instanceof TooManyRecordsError) return undefined;
    throw error;
  }
}

/** Simulates the control as if it were in force since then, beside those that are. */
interface SimulatedControl {
  readonly control: Control;
  readonly since: Date;
}

export type ProgramSide = CardControls["program"] & { readonly hasNarrower: boolean };

async function readProgramSide(
  { programId, settings }: Program,
  simulated: SimulatedControl,
): Promise<ProgramSide> {
  const { controls, hasNarrower } = (await programRulebooks.at(programId).get()) ?? noProgramControls;
  const isNarrower = simulated.control.cardholderId !== undefined;
  return {
    timeZone: settings.timeZone,
    controls: isNarrower ? controls : replaceBy(controls, simulated),
    hasNarrower: hasNarrower || isNarrower,
  };
}

/** The rulebooks of a Card and its Cardholder. */
async function readNarrowerSide(
  programId: string,
  ids: { readonly cardId: string; readonly cardholderId: string },
  simulated: SimulatedControl,
): Promise<NarrowerRulebooks> {
  const { card, cardholder } = await readNarrowerControls(programId, ids);
  const { control } = simulated;
  const isOfCard = control.cardId === ids.cardId;
  const isOfCardholder = control.cardId === undefined && control.cardholderId === ids.cardholderId;
  return {
    card: isOfCard ? { ...card, controls: replaceBy(card.controls, simulated) } : card,
    cardholder: isOfCardholder
      ? { ...cardholder, controls: replaceBy(cardholder.controls, simulated) }
      : cardholder,
  };
}

/** It counts from the beginning, also if it is in force. */
function replaceBy(controls: readonly ActiveControl[], { control, since }: SimulatedControl) {
  const { entityId: controlId, rules } = control;
  const others = controls.filter((one) => one.controlId !== controlId);
  return [...others, { controlId, countsFrom: timestamp(since), ...rules }];
}

/** Whose Cards' events depend on each other: they share what a control has counted. */
function findSharers(
  program: CardControls["program"],
  cardholder: readonly ActiveControl[],
  { cardId, cardholderId }: Control,
): "program" | "cardholder" | "card" {
  if (cardholderId === undefined || program.controls.some(hasUsage)) return "program";
  return cardId === undefined || cardholder.some(hasUsage) ? "cardholder" : "card";
}

/** Older events are not decided again, even if a control has counted them. */
const maximumReachMs = 366 * 86_400_000;

/**
 * From when on a Card's events count in a window that is open when the simulation begins: of a
 * control, or of the limit of what it spends from a Wallet.
 */
function computeReach(
  { program, cardholder, card }: CardControls,
  { control, since }: SimulatedControl,
  stored: Card,
): Date {
  const { limit } = toFunding(stored) ?? {};
  const starts = [program, cardholder, card]
    .flatMap(({ controls }) => controls)
    .concat(limit ? [toLimitControl(stored.entityId, limit)] : [])
    .filter(({ controlId }) => controlId !== control.entityId)
    .map((one) => findStart(one, program.timeZone, since.getTime()));
  const earliest = Math.min(since.getTime(), ...starts);
  return new Date(Math.max(earliest, since.getTime() - maximumReachMs));
}

function findStart(control: ActiveControl, timeZone: string, atMs: number): number {
  const activatedMs = Date.parse(control.countsFrom);
  if (control.singleUse || control.merchantLock) return activatedMs;
  const { window } = control.velocity ?? {};
  if (!window) return atMs;
  const from = isRolling(window)
    ? rollingStart(window, atMs)
    : (periodAt(window, atMs, { activatedMs, timeZone })?.from ?? atMs);
  return Math.max(from, activatedMs);
}
