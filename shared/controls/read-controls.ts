import { now, timestamp } from "../platform/clock.ts";
import { readBatch } from "../platform/table/batch.ts";
import type { Key } from "../platform/table/keys.ts";
import { ContendedError } from "../platform/table/retry.ts";
import type { FailedConditions } from "../platform/table/transact.ts";
import { readProgram } from "../tenancy/programs/program.ts";
import { hasUsage } from "./count.ts";
import { isSplit, layOutUsage, learnSplit, takePart } from "./lay-out-usage.ts";
import {
  type ActiveControl,
  type CardRulebook,
  type ControlledCard,
  findNarrower,
  heldProgramControls,
  leaseProgramControls,
  narrowerKeys,
  type ProgramControls,
  programRulebooks,
  readProgramControls,
  readWithTimeZone,
  toProgramControls,
} from "./rulebooks.ts";
import {
  type ControlScope,
  type ControlsInForce,
  type Split,
  type Usage,
  usageParts,
  usages,
} from "./usage.ts";
import { type ControlOwner, nameOfUsage } from "./usage-name.ts";

type ReadingCard = ControlledCard | Promise<ControlledCard | undefined>;

/**
 * All controls of a Card with their usage: one round trip, beside that of the Card where nothing
 * narrower than the Program has controls. Undefined if there are none, or no Card.
 */
export async function readControls(
  programId: string,
  card: ReadingCard,
): Promise<ControlsInForce | undefined> {
  for (let attempt = 1; attempt <= maximumAttempts; attempt += 1) {
    const taken = takePart(programId);
    const controls = await readWithPart(programId, card, taken?.part ?? 0);
    const usage = controls && findProgramUsage(controls);
    const isGone = taken && controls && usage?.split === undefined;
    if (isGone || usage?.split) learnSplit(programId, taken?.part, usage);
    if (controls && !isGone && !usage?.closed) return { ...controls, release: taken?.release };
    taken?.release();
    if (!controls) return undefined;
    if (usage?.closed) await layOutUsage(programId, controls);
  }
  throw new ContendedError(["programUsage"]);
}

/** Each waits for another process to lay the usage out, or does so. */
const maximumAttempts = 20;

/** Without a read: what this process knows of a part. Undefined where that is not enough. */
export async function recallControls(programId: string): Promise<ControlsInForce | undefined> {
  if (!isSplit(programId)) return undefined;
  const held = await (heldProgramControls(programId) ??
    leaseProgramControls(programId, () => readWithTimeZone(programId)));
  if (held.hasNarrower || held.controls.some(isPerCard)) return undefined;
  const { part, usage, release } = takePart(programId) ?? {};
  if (!usage) {
    release?.();
    return undefined;
  }
  const scope = programScope(programId, held, usage);
  if (scope.controls.length > 0) return { ...inForce(held, [scope], part), isRemembered: true, release };
  release?.();
  return undefined;
}

/**
 * In place of a part that another process has written: then each soon has parts of its own. Without
 * a read. Undefined where this process knows no other, or an event has lost some.
 */
export function takeAnotherPart(programId: string, controls: ControlsInForce): ControlsInForce | undefined {
  const { split } = findProgramUsage(controls) ?? {};
  if (!split || (controls.losses ?? 0) >= partsTried) return undefined;
  controls.release?.({ isLost: true });
  const { part, layoutId, usage, release } = takePart(programId) ?? {};
  if (!usage || layoutId !== split.id) {
    release?.();
    return undefined;
  }
  const scopes = controls.scopes.map((scope) =>
    scope.owner === "program" ? { ...scope, part, usage } : scope,
  );
  return { ...controls, scopes, isRemembered: true, release };
}

/** Then an event reads a part. */
const partsTried = 3;

async function readWithPart(programId: string, reading: ReadingCard, part: number) {
  const held = await heldProgramControls(programId);
  if (held && !held.hasNarrower && !held.controls.some(isPerCard)) {
    const keys = held.controls.some(hasUsage) ? [usageParts.at(programId, part).key] : [];
    const [items, card] = await Promise.all([readBatch(keys), reading]);
    return card && toControls(held, items, card, part);
  }
  const card = await reading;
  if (!card) return undefined;
  return held ? readWithHeld(card, held, part) : readWithProgram(card, part);
}

/** With what is narrower than the Program. */
async function readWithHeld(card: ControlledCard, held: ProgramControls, part: number) {
  const { hasNarrower, controls } = held;
  const keys = [
    ...(controls.some(hasUsage) ? [usageParts.at(card.programId, part).key] : []),
    usageAt("card", card).key,
    ...(hasNarrower ? [usageAt("cardholder", card).key, ...narrowerKeys(card.programId, card)] : []),
  ];
  return toControls(held, await readBatch(keys), card, part);
}

/** Renews the lease on the Program's rulebook in the same round trip. */
async function readWithProgram(card: ControlledCard, part: number): Promise<ControlsInForce | undefined> {
  const { programId } = card;
  const rulebook = programRulebooks.at(programId);
  const usageKeys = (["cardholder", "card"] as const).map((owner) => usageAt(owner, card).key);
  const keys = [usageParts.at(programId, part).key, ...usageKeys, ...narrowerKeys(programId, card)];
  const items = readBatch([rulebook.key, ...keys]);
  const held = leaseProgramControls(programId, async () => {
    const [found, program] = await Promise.all([items, readProgram(programId)]);
    return toProgramControls(programRulebooks.parse(findItem(found, rulebook.key)), program);
  });
  return toControls(await held, await items, card, part);
}

type Items = readonly Readonly<Record<string, unknown>>[];

function toControls(program: ProgramControls, items: Items, card: ControlledCard, part: number) {
  const narrower = findNarrower(items, card.programId, card);
  const found = controlsAt(timestamp(), card, { program, ...narrower }, (owner) =>
    owner === "program"
      ? usageParts.parse(findItem(items, usageParts.at(card.programId, part).key))
      : usages[owner].parse(findItem(items, usageAt(owner, card).key)),
  );
  return found && inForce(program, found.scopes, part);
}

/** The Program's own, with this usage. */
export async function readProgramScope(programId: string, usage?: Usage): Promise<ControlsInForce> {
  const held = await readProgramControls(programId);
  return inForce(held, [programScope(programId, held, usage)], 0);
}

function findProgramUsage({ scopes }: ControlsInForce): Usage | undefined {
  return scopes.find(({ owner }) => owner === "program")?.usage;
}

function usageAt(owner: ControlOwner, card: ControlledCard) {
  return usages[owner].at(card.programId, chooseOwnerId(owner, card));
}

function findItem(items: Items, { pk, sk }: Key) {
  return items.find((item) => item.pk === pk && item.sk === sk);
}

/**
 * Takes over the usage that failed conditions returned. Undefined if it must be read: it is split,
 * merged or closed meanwhile.
 */
export function withFoundUsage(
  controls: ControlsInForce,
  failed: FailedConditions,
): ControlsInForce | undefined {
  const scopes = controls.scopes.map((scope) => {
    const { owner } = scope;
    const name = nameOfUsage(owner);
    return failed.has(name) ? { ...scope, usage: usages[owner].parse(failed.get(name)) } : scope;
  });
  const [before, after] = [findProgramUsage(controls), findProgramUsage({ ...controls, scopes })];
  const isSame = after?.split?.id === before?.split?.id && !after?.closed;
  return isSame ? { ...controls, scopes } : undefined;
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
    return { owner, ownerId: chooseOwnerId(owner, ids), controls: begun, usage: readUsage(owner) };
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

function chooseOwnerId(owner: ControlOwner, { programId, cardholderId, cardId }: ControlledCard): string {
  return { program: programId, cardholder: cardholderId, card: cardId }[owner];
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
