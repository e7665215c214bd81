import { now, timestamp } from "../platform/clock.ts";
import type { ActiveControl, CardIds, CardRulebook, ProgramControls } from "./rulebooks.ts";
import type { ControlOwner, ControlScope, ControlsInForce, Split, Usage } from "./usage.ts";

export interface ControlledCard extends CardIds {
  readonly programId: string;
}

/** The rulebooks of a Card, as far as its controls follow from them. */
export interface CardControls {
  readonly program: Pick<ProgramControls, "timeZone" | "controls">;
  readonly cardholder: CardRulebook;
  readonly card: CardRulebook;
}

/** What is in force for a Card at a time. Undefined if nothing is. */
export function controlsAt(
  at: string,
  ids: ControlledCard,
  { program, cardholder, card }: CardControls,
  readUsage: (owner: ControlOwner) => Usage | undefined,
): ControlsInForce | undefined {
  const wider = [...program.controls, ...cardholder.controls];
  const scope = (owner: ControlOwner, active: readonly ActiveControl[]): ControlScope => {
    const begun = active.filter(({ countsFrom }) => countsFrom <= at);
    return { owner, ownerId: ownerIdOf(owner, ids), controls: begun, usage: readUsage(owner) };
  };
  const scopes = [
    scope("program", program.controls.map(withoutPerCard)),
    scope("cardholder", cardholder.controls.map(withoutPerCard)),
    scope("card", [...card.controls, ...wider.filter(isPerCard).map(onlyPerCard)]),
  ].filter((one) => one.controls.length > 0);
  return scopes.length > 0 ? { scopes, timeZone: program.timeZone } : undefined;
}

export function programScope(
  programId: string,
  held: ProgramControls,
  usage: Usage | undefined,
): ControlScope {
  const at = timestamp();
  const begun = held.controls.map(withoutPerCard).filter(({ countsFrom }) => countsFrom <= at);
  return { owner: "program", ownerId: programId, controls: begun, usage };
}

export function inForce(
  { timeZone, version }: ProgramControls,
  scopes: readonly ControlScope[],
  part = 0,
): ControlsInForce {
  const ofPart = (scope: ControlScope) => {
    const { split } = scope.usage ?? {};
    if (scope.owner !== "program" || !split) return scope;
    const isForeign = split.timeZone !== timeZone || split.rulebook > version;
    return { ...scope, part, layoutId: split.id, isReadOnly: isForeign || isOld(split) };
  };
  return { timeZone, rulebook: version, scopes: scopes.map(ofPart) };
}

/** After this, a split usage is laid out anew: it is merged, and split again if it is contended. */
const splitLifetimeMs = 3_600_000;

export function isOld({ laidOutAt }: Split): boolean {
  return now().getTime() - laidOutAt > splitLifetimeMs;
}

export function ownerIdOf(owner: ControlOwner, { programId, cardholderId, cardId }: ControlledCard): string {
  return { program: programId, cardholder: cardholderId, card: cardId }[owner];
}

/** `singleUse` and `merchantLock` apply to each Card alone, also in a control of many Cards. */
export function isPerCard({ singleUse, merchantLock }: ActiveControl): boolean {
  return singleUse === true || merchantLock === true;
}

function withoutPerCard({ singleUse: _, merchantLock: __, ...control }: ActiveControl): ActiveControl {
  return control;
}

function onlyPerCard({ controlId, countsFrom, singleUse, merchantLock }: ActiveControl): ActiveControl {
  return { controlId, countsFrom, singleUse, merchantLock };
}
