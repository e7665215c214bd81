import { isDeepStrictEqual } from "node:util";
import { maximumControls } from "../../shared/contract/controls.ts";
import {
  type ActiveControl,
  type CardholderRulebook,
  type CardRulebook,
  type Counts,
  cardholderRulebooks,
  cardRulebooks,
  noCardControls,
  noCardholderControls,
  noProgramControls,
  type ProgramRulebook,
  programRulebooks,
} from "../../shared/controls/rulebooks.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import type { Condition } from "../../shared/platform/table/condition.ts";
import { isNew } from "../../shared/platform/table/condition.ts";
import type { WriteAction } from "../../shared/platform/table/transact.ts";

/** Whose rulebook has the control: the Card's, the Cardholder's, or by default the Program's. */
export interface ControlOwner {
  readonly cardId?: string | undefined;
  /** A Card's control has it too. */
  readonly cardholderId?: string | undefined;
}

/** The three that a change of one of them may change. */
export interface Rulebooks {
  readonly program: ProgramRulebook;
  readonly cardholder: CardholderRulebook;
  readonly card: CardRulebook;
}

/** Strongly consistent, in one round trip. */
export async function readRulebooks(
  programId: string,
  { cardId, cardholderId }: ControlOwner,
): Promise<Rulebooks> {
  const program = programRulebooks.at(programId).key;
  const cardholder = cardholderId && cardholderRulebooks.at(programId, cardholderId).key;
  const card = cardId && cardRulebooks.at(programId, cardId).key;
  const items = await readBatch([program, cardholder, card].filter((key) => typeof key === "object"));
  const stored = (key: typeof program | string | undefined) =>
    typeof key === "object" ? items.find(({ pk }) => pk === key.pk) : undefined;
  return {
    program: programRulebooks.parse(stored(program)) ?? noProgramControls,
    cardholder: cardholderRulebooks.parse(stored(cardholder)) ?? noCardholderControls,
    card: cardRulebooks.parse(stored(card)) ?? noCardControls,
  };
}

type ChangeControls = (controls: readonly ActiveControl[]) => ActiveControl[];

/** What is in force after a change of the controls of one of them. */
export function changeRulebooks(before: Rulebooks, owner: ControlOwner, change: ChangeControls): Rulebooks {
  const { program, cardholder, card } = before;
  const changed = <R extends CardRulebook>(rulebook: R): R => ({
    ...rulebook,
    controls: change(rulebook.controls),
  });
  if (owner.cardId !== undefined) {
    const after = changed(card);
    const cards = move(cardholder.cards, card.controls.length, after.controls.length);
    return withCardholder({ ...before, card: after }, { ...cardholder, cards });
  }
  if (owner.cardholderId !== undefined) return withCardholder(before, changed(cardholder));
  return { ...before, program: changed(program) };
}

function withCardholder(before: Rulebooks, cardholder: CardholderRulebook): Rulebooks {
  const most = move(before.program.most, mostOfACard(before.cardholder), mostOfACard(cardholder));
  return { ...before, cardholder, program: { ...before.program, most, hasNarrower: true } };
}

/** Whether more controls than permitted apply to a Card of the Program. */
export function exceedsLimit({ program }: Rulebooks): boolean {
  return program.controls.length + highest(program.most) > maximumControls;
}

/** How many controls apply to the Cardholder's Card that has the most, without the Program's. */
function mostOfACard({ controls, cards }: CardholderRulebook): number {
  return controls.length + highest(cards);
}

function highest(counts: Counts): number {
  return Math.max(0, ...Object.keys(counts).map(Number));
}

/** Counts one that had `from` controls as one that has `to`. None is not counted. */
function move(counts: Counts, from: number, to: number): Counts {
  if (from === to) return counts;
  const moved: Counts = { ...counts, [from]: (counts[from] ?? 0) - 1, [to]: (counts[to] ?? 0) + 1 };
  return Object.fromEntries(Object.entries(moved).filter(([n, count]) => n !== "0" && count > 0));
}

/** Puts what changed. Fails if one of these is not as it was read. */
export function rulebookPuts(
  programId: string,
  { cardId, cardholderId }: ControlOwner,
  before: Rulebooks,
  after: Rulebooks,
): WriteAction[] {
  const puts: WriteAction[] = [];
  const add = <R extends CardRulebook>(
    at: { put(item: R, condition: Condition<CardRulebook>): WriteAction },
    old: R,
    current: R,
  ) => {
    if (isDeepStrictEqual(old, current)) return;
    const { version } = old;
    puts.push(at.put({ ...current, version: version + 1 }, version === 0 ? isNew : { version }));
  };
  if (cardId !== undefined) add(cardRulebooks.at(programId, cardId), before.card, after.card);
  if (cardholderId !== undefined)
    add(cardholderRulebooks.at(programId, cardholderId), before.cardholder, after.cardholder);
  add(programRulebooks.at(programId), before.program, after.program);
  return puts;
}

/** Whether a process that still has the Program's rulebook from before would decide otherwise. */
export function outdatesLeases({ program: before }: Rulebooks, { program: after }: Rulebooks): boolean {
  return before.hasNarrower !== after.hasNarrower || !isDeepStrictEqual(before.controls, after.controls);
}
