import { timestamp } from "../../platform/clock.ts";
import { readBatch } from "../../platform/table/batch.ts";
import type { FailedConditions } from "../../platform/table/transact.ts";
import {
  type ActiveControl,
  findNarrower,
  narrowerKeys,
  type RulebookOwner,
  readProgramControls,
} from "./rulebooks.ts";
import { type ControlOwner, type ControlScope, type ControlsInForce, nameOfUsage, usages } from "./usage.ts";

export interface ControlledCard extends RulebookOwner {
  readonly programId: string;
}

/** Whether anything may be in force for a Card of the Program. No round trip in most calls. */
export async function mayHaveControls(programId: string): Promise<boolean> {
  const { controls, hasNarrower } = await readProgramControls(programId);
  return hasNarrower || controls.length > 0;
}

/** All controls of a Card with their usage: one round trip. Undefined if there are none. */
export async function readControls(card: ControlledCard): Promise<ControlsInForce | undefined> {
  const { programId, cardId, cardholderId } = card;
  const { hasNarrower, timeZone, ...program } = await readProgramControls(programId);
  const owners = [
    ...(program.controls.some(hasUsage) ? (["program"] as const) : []),
    ...(hasNarrower ? (["cardholder", "card"] as const) : []),
    ...(!hasNarrower && program.controls.some(isPerCard) ? (["card"] as const) : []),
  ];
  const ownerIds = { program: programId, cardholder: cardholderId, card: cardId };
  const usageKey = (owner: ControlOwner) => usages[owner].at(programId, ownerIds[owner]).key;
  const items = await readBatch([
    ...owners.map(usageKey),
    ...(hasNarrower ? narrowerKeys(programId, card) : []),
  ]);
  const narrower = findNarrower(items, programId, card);
  const wider = [...program.controls, ...narrower.cardholder.controls];
  if (wider.length + narrower.card.controls.length === 0) return undefined;
  const at = timestamp();
  const scope = (owner: ControlOwner, active: readonly ActiveControl[]): ControlScope => {
    const controls = active.filter(({ countsFrom }) => countsFrom <= at);
    const { pk, sk } = usageKey(owner);
    const usage = usages[owner].parse(items.find((item) => item.pk === pk && item.sk === sk));
    return { owner, ownerId: ownerIds[owner], controls, usage };
  };
  const scopes = [
    scope("program", program.controls.map(withoutPerCard)),
    scope("cardholder", narrower.cardholder.controls.map(withoutPerCard)),
    scope("card", [...narrower.card.controls, ...wider.filter(isPerCard).map(onlyPerCard)]),
  ];
  return { scopes: scopes.filter(({ controls }) => controls.length > 0), timeZone };
}

/** `singleUse` and `merchantLock` apply to each Card alone, also in a control of many Cards. */
function isPerCard({ singleUse, merchantLock }: ActiveControl): boolean {
  return singleUse === true || merchantLock === true;
}

function withoutPerCard({ singleUse: _, merchantLock: __, ...control }: ActiveControl): ActiveControl {
  return control;
}

function onlyPerCard({ controlId, countsFrom, singleUse, merchantLock }: ActiveControl): ActiveControl {
  return { controlId, countsFrom, singleUse, merchantLock };
}

/** Takes over the usage that failed conditions returned. */
export function withFoundUsage(controls: ControlsInForce, failed: FailedConditions): ControlsInForce {
  const scopes = controls.scopes.map((scope) => {
    const { owner } = scope;
    const name = nameOfUsage(owner);
    return failed.has(name) ? { ...scope, usage: usages[owner].parse(failed.get(name)) } : scope;
  });
  return { ...controls, scopes };
}

/** Whether it counts in its owner's usage. Else that item is not read. */
function hasUsage({ velocity }: ActiveControl): boolean {
  return velocity !== undefined && velocity.window !== "authorization";
}
