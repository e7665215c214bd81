import { type Card, cards } from "../cards/card.ts";
import { cardList } from "../cards/card-view.ts";
import { listCardIds } from "../cards/cards-of-cardholder.ts";
import type { CardControls } from "../controls/read-controls.ts";
import { cardholderRulebooks, noCardControls, noCardholderControls } from "../controls/rulebooks.ts";
import { listPage } from "../lists/list-page.ts";
import type { OfSettings } from "../network-events/plan.ts";
import { inLanes } from "../platform/in-lanes.ts";
import { readBatch } from "../platform/table/batch.ts";
import { isTimeUp } from "../platform/time-budget.ts";
import type { Program } from "../tenancy/programs/program.ts";
import { type CardHistory, compareMovements, readHistory, TooManyRecordsError } from "./card-history.ts";
import type { SimulationResult } from "./result.ts";
import {
  computeReach,
  findSharers,
  type ProgramSide,
  readNarrowerSide,
  readProgramSide,
  type SimulatedControl,
} from "./simulated-controls.ts";
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
