import { type Card, toFunding } from "../cards/card.ts";
import type { Control } from "../controls/control.ts";
import { hasUsage } from "../controls/count.ts";
import type { CardControls } from "../controls/read-controls.ts";
import {
  type ActiveControl,
  type NarrowerRulebooks,
  noProgramControls,
  programRulebooks,
  readNarrowerControls,
} from "../controls/rulebooks.ts";
import { toLimitControl } from "../controls/spend-limit.ts";
import { isRolling, periodAt, rollingStart } from "../controls/usage.ts";
import { timestamp } from "../platform/clock.ts";
import type { Program } from "../tenancy/programs/program.ts";

/** Simulates the control as if it were in force since then, beside those that are. */
export interface SimulatedControl {
  readonly control: Control;
  readonly since: Date;
}

export type ProgramSide = CardControls["program"] & { readonly hasNarrower: boolean };

export async function readProgramSide(
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
export async function readNarrowerSide(
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
export function findSharers(
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
export function computeReach(
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
