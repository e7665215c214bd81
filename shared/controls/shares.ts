import type { WriteAction } from "../platform/table/transact.ts";
import { hasUsage } from "./count.ts";
import type { ActiveControl } from "./rulebooks.ts";
import {
  type ControlScope,
  type ControlsInForce,
  type ControlUsage,
  getSince,
  graceMs,
  isLive,
  isRolling,
  type Period,
  type Split,
  type Usage,
  usageParts,
} from "./usage.ts";
import { nameOfUsage } from "./usage-name.ts";

/** Whether these writes count more in a part of the Program's usage than it can decide alone. */
export function lacksShare({ scopes }: ControlsInForce, writes: readonly WriteAction[], atMs: number) {
  const program = scopes.find(({ owner }) => owner === "program");
  return program !== undefined && isBeyondShare(program, programUsage(writes), atMs);
}

/** The part of a split usage that these writes put. */
export function writtenUsage(writes: readonly WriteAction[]): Usage | undefined {
  const usage = programUsage(writes);
  return usage?.split && usage;
}

function programUsage(writes: readonly WriteAction[]): Usage | undefined {
  const write = writes.find(({ name }) => name === nameOfUsage("program"));
  return write && "Put" in write ? usageParts.parse(write.Put.Item ?? {}) : undefined;
}

/** More than there are writers at once. One transaction lays them out, of at most 100 items. */
export const partCount = 96;

/** Each part must have room for so many of the amount at hand, or the usage is not split. */
const roomInPart = 8;

/** In place of an amount: no part has room for it. */
export const merged = Number.POSITIVE_INFINITY;

/** What all parts have counted. Its version is above all of theirs. */
export function addUpUsage(parts: readonly Usage[]): Usage {
  const controls: Record<string, ControlUsage> = {};
  for (const part of parts) {
    for (const [controlId, usage] of Object.entries(part.controls))
      controls[controlId] = addUp(controls[controlId] ?? { cells: {} }, usage);
  }
  return { version: Math.max(...parts.map(({ version }) => version)) + 1, controls };
}

function addUp(left: ControlUsage, right: ControlUsage): ControlUsage {
  const cells = { ...left.cells };
  for (const [since, added] of Object.entries(right.cells)) {
    const sum = new Map((cells[since] ?? []).map((cell) => [cell.from, cell]));
    for (const cell of added) {
      const { amount = 0, count = 0 } = sum.get(cell.from) ?? {};
      sum.set(cell.from, { ...cell, amount: amount + cell.amount, count: count + cell.count });
    }
    cells[since] = [...sum.values()];
  }
  const since = Math.max(left.since ?? 0, right.since ?? 0);
  return { ...left, ...right, ...(since > 0 && { since }), cells };
}

/**
 * The most that a part counts, now or later. A period below zero, which gives back what another
 * part counted, may end before others: then the part counts more than now.
 */
function peakAt(usage: Usage | undefined, control: ActiveControl, atMs: number) {
  const cells = usage?.controls[control.controlId]?.cells[getSince(control)] ?? [];
  const endOf = ({ until = Number.POSITIVE_INFINITY }: Period) => until;
  const live = cells.filter((cell) => isLive(cell, atMs)).toSorted((a, b) => endOf(b) - endOf(a));
  const sum = { amount: 0, count: 0 };
  const peak = { ...sum };
  for (const cell of live) {
    for (const what of ["amount", "count"] as const) {
      sum[what] += cell[what];
      peak[what] = Math.max(peak[what], sum[what]);
    }
  }
  return peak;
}

/**
 * Whether a part of a Program's usage, `after` it counted, cannot decide alone: it lacks what
 * others may have, or counts by other limits.
 */
export function isBeyondShare(
  { usage: before, controls, isReadOnly = false }: ControlScope,
  after: Usage | undefined,
  atMs: number,
): boolean {
  if (!after || after === before) return false;
  if (isReadOnly || !after.split) return isReadOnly;
  const { shares } = after.split;
  return controls.filter(hasUsage).some((control) => {
    const [was, is] = [peakAt(before, control, atMs), peakAt(after, control, atMs)];
    if (is.amount <= was.amount && is.count <= was.count) return false;
    const { limit = {}, share = {}, since } = shares[control.controlId] ?? {};
    const { amount, count } = control.velocity ?? {};
    const isOutdated = since !== getSince(control) || limit.amount !== amount || limit.count !== count;
    return isOutdated || is.amount > (share.amount ?? is.amount) || is.count > (share.count ?? is.count);
  });
}

/**
 * The parts into which a Program's usage is divided: one, unless each can have enough of every
 * limit. Their shares add up to the limits, so that together they never exceed them.
 */
export function layOut(
  whole: Usage,
  { scopes, timeZone, rulebook = 0 }: ControlsInForce,
  amountMinor: number,
  atMs: number,
): Usage[] {
  const { version, controls, mergedAt } = whole;
  const limited = scopes.flatMap(({ owner, controls: active }) => (owner === "program" ? active : []));
  const shares = limited.filter(hasUsage).map((control) => ({
    control,
    share: divide(whole, control, atMs - graceMs),
  }));
  const isPoor = shares.some(
    ({ share: { amount = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY } }) =>
      amount < Math.max(1, roomInPart * amountMinor) || count < roomInPart,
  );
  if (isPoor || amountMinor === merged || shares.length === 0) return [{ version, controls, mergedAt }];
  const split = { id: version, parts: partCount, laidOutAt: atMs, rulebook, timeZone };
  const sharesOf = (isFirst: boolean) =>
    Object.fromEntries(
      shares.map(({ control, share }) => [control.controlId, toShare(control, share, isFirst)]),
    );
  const first = { version, split: { ...split, shares: sharesOf(true) }, controls };
  const other = {
    version,
    split: { ...split, shares: sharesOf(false) },
    controls: begunPeriods(whole, limited),
  };
  return [first, ...Array.from({ length: partCount - 1 }, () => other)];
}

type Limit = Split["shares"][string]["limit"];

function divide(whole: Usage, control: ActiveControl, atMs: number): Limit {
  const { amount, count } = control.velocity ?? {};
  const peak = peakAt(whole, control, atMs);
  return {
    ...(amount !== undefined && { amount: Math.floor((amount - peak.amount) / partCount) }),
    ...(count !== undefined && { count: Math.floor((count - peak.count) / partCount) }),
  };
}

/** The first part has what was counted, and what the others leave. */
function toShare(control: ActiveControl, share: Limit, isFirst: boolean) {
  const { amount, count } = control.velocity ?? {};
  const limit = { ...(amount !== undefined && { amount }), ...(count !== undefined && { count }) };
  const left = (whole: number | undefined, part = 0) =>
    whole === undefined ? undefined : whole - (partCount - 1) * part;
  const first = { amount: left(amount, share.amount), count: left(count, share.count) };
  return { since: getSince(control), limit, share: isFirst ? first : share };
}

/** Periods of the calendar that have begun: all parts count in the same, with the same end. */
function begunPeriods(whole: Usage, controls: readonly ActiveControl[]): Usage["controls"] {
  const begun = controls.flatMap((control): [string, ControlUsage][] => {
    const cells = whole.controls[control.controlId]?.cells[getSince(control)] ?? [];
    const newest = cells.toSorted((a, b) => b.from - a.from)[0];
    if (!newest || !control.velocity || isRolling(control.velocity.window)) return [];
    const empty = { ...newest, amount: 0, count: 0 };
    const since = getSince(control);
    return [[control.controlId, { since, cells: { [since]: [empty] } }]];
  });
  return Object.fromEntries(begun);
}
