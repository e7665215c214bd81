import { now, pause } from "../platform/clock.ts";
import { randomInteger } from "../platform/id.ts";
import { beingWritten, type FailedConditions } from "../platform/table/transact.ts";
import { layOutUsage, readCountedAtLeast, readPartsTogether, trySplitUsage } from "./lay-out-usage.ts";
import { isOld, readControls, readProgramScope, takeAnotherPart, withFoundUsage } from "./read-controls.ts";
import { type ControlledCard, endLease, heldProgramControls, readProgramControls } from "./rulebooks.ts";
import { layOut, merged } from "./shares.ts";
import { type ControlsInForce, conflictsBorne, lossesBeforeSplit, type Usage, usageParts } from "./usage.ts";
import { isOnlyUsage, nameOfUsage } from "./usage-name.ts";

/** What an event that lost a commit knows of it. */
interface LostCommit {
  readonly failed: FailedConditions;
  /** The items of failed conditions may be out of date. */
  readonly waited: boolean;
  readonly amountMinor: number;
}

/** The controls after a failed commit. Splits the Program's usage if it is contended. */
export async function refreshControls(
  card: ControlledCard,
  controls: ControlsInForce,
  { failed, waited, amountMinor }: LostCommit,
): Promise<ControlsInForce | undefined> {
  const isLost = failed.has(nameOfUsage("program"));
  const isBeingWritten = failed.get(nameOfUsage("program")) === beingWritten;
  const lost = isBeingWritten ? conflictsBorne(programScope(controls)?.usage) : Number(isLost);
  const losses = (controls.losses ?? 0) + lost;
  if (!(await isOutdated(card, controls))) {
    const found = isBeingWritten ? undefined : withFoundUsage(controls, failed);
    // Where there are more processes than parts, it would lose them all.
    const mayMove = isOnlyUsage(failed) && (isBeingWritten || (found && losses === 1));
    const moved = mayMove ? takeAnotherPart(card.programId, controls) : undefined;
    if (moved) return { ...moved, losses };
    const { split } = programScope(controls)?.usage ?? {};
    if (found && (!waited || (split && losses === 2))) return { ...found, losses };
  }
  controls.release?.({ isLost });
  const isContended = losses >= lossesBeforeSplit && isWorthSplitting(controls, amountMinor);
  if (isContended) await trySplitUsage(card.programId, controls, amountMinor);
  const read = await readControls(card.programId, card);
  return read && { ...read, losses: isContended ? 0 : losses };
}

/** Whether the Program's rules may have changed since they were read: a commit can take long. */
async function isOutdated({ programId }: ControlledCard, { rulebook }: ControlsInForce): Promise<boolean> {
  return (await heldProgramControls(programId))?.version !== rulebook;
}

/** Near a limit, large amounts would merge it again and again. */
const keptWholeMs = 10_000;

/** Not one that is split, was just merged, or is too small for it. */
function isWorthSplitting(controls: ControlsInForce, amountMinor: number): boolean {
  const { usage } = programScope(controls) ?? {};
  const at = now().getTime();
  const isKeptWhole = at - (usage?.mergedAt ?? 0) < keptWholeMs;
  return (
    usage !== undefined && !usage.split && !isKeptWhole && layOut(usage, controls, amountMinor, at).length > 1
  );
}

/**
 * Decides what a part of the usage cannot: by the sum of all parts, which can decline; or, once
 * that leaves enough, by the controls after the parts are laid out anew.
 */
export async function readMoreUsage(
  card: ControlledCard,
  controls: ControlsInForce,
  amountMinor: number,
): Promise<ControlsInForce | undefined> {
  const { programId } = card;
  const { usage, isReadOnly } = programScope(controls) ?? {};
  controls.release?.();
  if (controls.isRemembered) return readControls(programId, card);
  if (usage?.split && usage.split.rulebook > (controls.rulebook ?? 0)) endLease(programId);
  else if (usage?.split && isOld(usage.split)) await layOutUsage(programId, controls, merged);
  else if (usage?.split && usage.split.timeZone !== controls.timeZone) {
    // This process may know less than the one that laid it out: else the two would do so in turn.
    endLease(programId);
    const { timeZone } = await readProgramControls(programId);
    if (usage.split.timeZone !== timeZone)
      await layOutUsage(programId, { ...controls, timeZone }, amountMinor);
  } else {
    const sum = usage?.split && !isReadOnly ? await readAtLeast(programId, usage) : undefined;
    if (sum) {
      const scopes = controls.scopes.map((scope) =>
        scope.owner === "program" ? { ...scope, usage: sum, isReadOnly: true } : scope,
      );
      return { ...controls, scopes, release: undefined };
    }
    await layOutUsage(programId, controls, amountMinor);
  }
  return readControls(programId, card);
}

/** Readings of all parts before they are closed for one. */
const readingsBeforeClosing = 3;

async function readAtLeast(programId: string, usage: Usage): Promise<Usage | undefined> {
  for (let readings = 1; readings <= readingsBeforeClosing; readings += 1) {
    const sum = await readCountedAtLeast(programId, usage);
    if (sum) return sum;
  }
  return undefined;
}

/** What the Program's controls have counted, at one moment. */
export async function readProgramUsage(programId: string): Promise<Usage | undefined> {
  for (let readings = 1; ; readings += 1) {
    const own = await usageParts.at(programId, 0).get();
    if (!own?.split) return own;
    const whole =
      readings <= readingsBeforeClosing
        ? await readPartsTogether(programId, own)
        : await layOutUsage(programId, await readProgramScope(programId, own));
    if (whole) return whole;
    await pause(randomInteger(1, 20));
  }
}

function programScope({ scopes }: ControlsInForce) {
  return scopes.find(({ owner }) => owner === "program");
}
