import { timestamp } from "../../platform/clock.ts";
import { readBatch } from "../../platform/table/batch.ts";
import type { Key } from "../../platform/table/keys.ts";
import type { FailedConditions } from "../../platform/table/transact.ts";
import { readProgram } from "../../tenancy/programs/program.ts";
import {
  type ActiveControl,
  type CardRulebook,
  findNarrower,
  hasControls,
  heldProgramControls,
  lastProgramControls,
  leaseProgramControls,
  narrowerKeys,
  type ProgramControls,
  programRulebooks,
  type RulebookOwner,
  readProgramControls,
  toProgramControls,
} from "./rulebooks.ts";
import {
  type ControlOwner,
  type ControlScope,
  type ControlsInForce,
  nameOfUsage,
  type Usage,
  usages,
} from "./usage.ts";

export interface ControlledCard extends RulebookOwner {
  readonly programId: string;
}

/** Whether anything may be in force for a Card of the Program. No round trip in most calls. */
export async function mayHaveControls(programId: string): Promise<boolean> {
  const last = await lastProgramControls(programId);
  // What was in force may be so still: then the rulebook is read with all else.
  return (last && hasControls(last)) || hasControls(await readProgramControls(programId));
}

/** All controls of a Card with their usage: one round trip. Undefined if there are none. */
export async function readControls(card: ControlledCard): Promise<ControlsInForce | undefined> {
  const held = await heldProgramControls(card.programId);
  if (!held) return readWithProgram(card);
  const { hasNarrower, controls } = held;
  const owners: readonly ControlOwner[] = [
    ...(controls.some(hasUsage) ? (["program"] as const) : []),
    ...(hasNarrower ? (["cardholder", "card"] as const) : []),
    ...(!hasNarrower && controls.some(isPerCard) ? (["card"] as const) : []),
  ];
  const usageKeys = owners.map((owner) => usageOf(owner, card).key);
  const keys = [...usageKeys, ...(hasNarrower ? narrowerKeys(card.programId, card) : [])];
  return toControls(held, await readBatch(keys), card);
}

/** Renews the lease on the Program's rulebook in the same round trip. */
async function readWithProgram(card: ControlledCard): Promise<ControlsInForce | undefined> {
  const { programId } = card;
  const rulebook = programRulebooks.at(programId);
  const usageKeys = (["program", "cardholder", "card"] as const).map((owner) => usageOf(owner, card).key);
  const items = readBatch([rulebook.key, ...usageKeys, ...narrowerKeys(programId, card)]);
  const held = leaseProgramControls(programId, async () => {
    const [found, program] = await Promise.all([items, readProgram(programId)]);
    return toProgramControls(programRulebooks.parse(findItem(found, rulebook.key)), program);
  });
  return toControls(await held, await items, card);
}

type Items = readonly Readonly<Record<string, unknown>>[];

function toControls(
  program: ProgramControls,
  items: Items,
  card: ControlledCard,
): ControlsInForce | undefined {
  const narrower = findNarrower(items, card.programId, card);
  return controlsAt(timestamp(), card, { program, ...narrower }, (owner) =>
    usages[owner].parse(findItem(items, usageOf(owner, card).key)),
  );
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

function usageOf(owner: ControlOwner, card: ControlledCard) {
  return usages[owner].at(card.programId, ownerIdOf(owner, card));
}

function ownerIdOf(owner: ControlOwner, { programId, cardholderId, cardId }: ControlledCard): string {
  return { program: programId, cardholder: cardholderId, card: cardId }[owner];
}

function findItem(items: Items, { pk, sk }: Key) {
  return items.find((item) => item.pk === pk && item.sk === sk);
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
export function hasUsage({ velocity }: ActiveControl): boolean {
  return velocity !== undefined && velocity.window !== "authorization";
}
