import { isNew } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Counted } from "../transactions/transaction.ts";
import type { ActiveControl } from "./rulebooks.ts";
import {
  type ControlScope,
  type ControlsInForce,
  type ControlUsage,
  conflictsBorne,
  isLive,
  isRolling,
  isUsed,
  nameOfUsage,
  type Period,
  periodAt,
  periodOf,
  type Split,
  sinceOf,
  type Usage,
  usageParts,
  usages,
} from "./usage.ts";

/**
 * Another process's clock may be late: to it, what has just ended still counts. Until then, it may
 * not know a new control.
 */
const graceMs = 60_000;

/** What is approved, or posted without a decision, in minor units. */
export interface Approval {
  readonly transId: string;
  readonly amountMinor: number;
  /** Whether the card is used: not if an approval is increased or settled. */
  readonly isUse: boolean;
  readonly merchantId?: string | undefined;
  /** What a control counts it as beside its amount; undefined if it does not count it here. */
  readonly countOf: (control: ActiveControl) => 0 | 1 | undefined;
}

interface Changed {
  readonly scopes: readonly ControlScope[];
  readonly counted: readonly Counted[];
}

/** Counts in the periods of `atMs`. */
export function countNow({ scopes, timeZone }: ControlsInForce, approval: Approval, atMs: number): Changed {
  const { transId, amountMinor: amount, isUse, countOf } = approval;
  const counted: Counted[] = [];
  const changed = scopes.map((scope) =>
    change(scope, atMs, (usage, control) => {
      const count = countOf(control);
      if (count === undefined) return usage;
      const used = isUse ? firstUse(usage, control, approval) : usage;
      const period = periodOf(usage, control, timeZone, atMs);
      if (!period) return used;
      const since = sinceOf(control);
      counted.push({
        controlId: control.controlId,
        transId,
        // Another process's clock may be ahead: what counts in a period is listed in it.
        at: Math.max(atMs, period.from, since),
        since,
        from: period.from,
        amount,
        count,
      });
      return add(used, since, period, { amount, count });
    }),
  );
  return { scopes: changed, counted };
}

/** Changes what was counted, in its own periods: those that are over stay as they were. */
export function countAgain(
  { scopes }: Pick<ControlsInForce, "scopes">,
  before: readonly Counted[],
  after: readonly Counted[],
  atMs: number,
): readonly ControlScope[] {
  return scopes.map((scope) =>
    change(scope, atMs, (usage, control) =>
      after.reduce((changed, part, index) => {
        const { amount = 0, count = 0 } = before[index] ?? {};
        const delta = { amount: part.amount - amount, count: part.count - count };
        const isCounted = part.controlId === control.controlId && (delta.amount !== 0 || delta.count !== 0);
        if (!isCounted) return changed;
        const own = changed.cells[part.since]?.find(({ from }) => from === part.from);
        // Nothing of the sum of all parts is written: it is a change, so that parts are read.
        if (!own && scope.isReadOnly) return structuredClone(changed);
        const cell = own ?? periodElsewhere(scope, control, changed, part, atMs);
        return cell ? add(changed, part.since, cell, delta) : changed;
      }, usage),
    ),
  );
}

/** The period in which another part of a split usage counted, if it still counts. */
function periodElsewhere(
  { usage }: ControlScope,
  control: ActiveControl,
  { cells }: ControlUsage,
  { since, from }: Counted,
  atMs: number,
): Period | undefined {
  const { window } = control.velocity ?? {};
  if (!usage?.split || !window || since !== sinceOf(control)) return undefined;
  // All parts have begun the newest calendar period. One before it is over, in any time zone.
  const isOver = !isRolling(window) && (cells[since] ?? []).some((cell) => cell.from > from);
  if (isOver) return undefined;
  // By its own beginning: the clock of the process that counted may have been ahead.
  const period = periodAt(window, from, { activatedMs: since, timeZone: usage.split.timeZone });
  return period && isLive(period, atMs) ? { ...period, from } : undefined;
}

/** Each requires the usage that was read. Its failed condition is named after the owner. */
export function usageWrites(
  programId: string,
  before: readonly ControlScope[],
  after: readonly ControlScope[],
): WriteAction[] {
  return after.flatMap(({ owner, ownerId, usage, part = 0 }, index) => {
    const seen = before[index]?.usage;
    if (!usage || usage === seen) return [];
    const next = { ...usage, version: (seen?.version ?? 0) + 1 };
    const asSeen = seen ? { version: seen.version } : isNew;
    if (owner !== "program") return [usages[owner].at(programId, ownerId).put(next, asSeen)];
    return [{ ...usageParts.at(programId, part).put(next, asSeen), givenBackAfter: conflictsBorne(usage) }];
  });
}

/** Whether these writes count more in a part of the Program's usage than it can decide alone. */
export function lacksShare(
  { scopes }: ControlsInForce,
  writes: readonly WriteAction[],
  atMs: number,
): boolean {
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

/** Forgets past periods, and controls that are no longer active: not those it may not know yet. */
function change(
  scope: ControlScope,
  atMs: number,
  changeOne: (usage: ControlUsage, control: ActiveControl) => ControlUsage,
): ControlScope {
  const before = scope.usage?.controls ?? {};
  let hasChanged = false;
  const known = scope.controls.flatMap((control) => {
    const usage = before[control.controlId];
    const after = changeOne(usage ?? { cells: {} }, control);
    hasChanged ||= after !== usage && (usage !== undefined || isUsed(after));
    return isUsed(after) ? [[control.controlId, withoutPast(after, sinceOf(control), atMs)] as const] : [];
  });
  if (!hasChanged) return scope;
  const isKnown = (controlId: string) => scope.controls.some((control) => control.controlId === controlId);
  const unknown = Object.entries(before).filter(
    ([controlId, { since = 0 }]) => !isKnown(controlId) && since > atMs - graceMs,
  );
  const usage = { version: 0, ...scope.usage, controls: Object.fromEntries([...unknown, ...known]) };
  const isLowered = usage.split !== undefined && givesBack(before, usage.controls);
  const lowered = isLowered ? { lowered: (usage.lowered ?? 0) + 1 } : {};
  return { ...scope, usage: { ...usage, ...lowered } };
}

function givesBack(before: Usage["controls"], after: Usage["controls"]): boolean {
  return Object.entries(after).some(([controlId, { cells }]) =>
    Object.entries(cells).some(([since, changed]) =>
      changed.some(({ from, amount, count }) => {
        const was = before[controlId]?.cells[since]?.find((cell) => cell.from === from);
        return amount < (was?.amount ?? 0) || count < (was?.count ?? 0);
      }),
    ),
  );
}

/** Keeps a past period for a moment, and the newest one: the next begins after it. */
function withoutPast(usage: ControlUsage, since: number, atMs: number): ControlUsage {
  const kept = Object.entries(usage.cells).flatMap(([key, cells]) => {
    if (isForgotten(Number(key), since, atMs)) return [];
    const newest = Math.max(...cells.map(({ from }) => from));
    return [[key, cells.filter((cell) => isLive(cell, atMs - graceMs) || cell.from === newest)] as const];
  });
  return { ...usage, since: Math.max(usage.since ?? 0, since), cells: Object.fromEntries(kept) };
}

/** Not what another process may still count under: it may not know yet that `since` has changed. */
function isForgotten(key: number, since: number, atMs: number): boolean {
  return key !== since && Math.max(key, since) < atMs - graceMs;
}

function add(
  usage: ControlUsage,
  since: number,
  { from, until }: Period,
  delta: Pick<Counted, "amount" | "count">,
): ControlUsage {
  const cells = usage.cells[since] ?? [];
  const { amount = 0, count = 0 } = cells.find((cell) => cell.from === from) ?? {};
  const cell = {
    from,
    ...(until !== undefined && { until }),
    amount: amount + delta.amount,
    count: count + delta.count,
  };
  const others = cells.filter((one) => one.from !== from);
  return { ...usage, cells: { ...usage.cells, [since]: [...others, cell] } };
}

function firstUse(
  usage: ControlUsage,
  { singleUse, merchantLock }: ActiveControl,
  { merchantId }: Approval,
): ControlUsage {
  if (!singleUse && !merchantLock) return usage;
  return {
    ...usage,
    ...(singleUse && { approvals: (usage.approvals ?? 0) + 1 }),
    ...(merchantLock && lockedTo(usage, merchantId)),
  };
}

function lockedTo({ merchantId, merchantUses = 0 }: ControlUsage, by: string | undefined) {
  if (merchantId === undefined) return by === undefined ? {} : { merchantId: by, merchantUses: 1 };
  return { merchantId, merchantUses: merchantUses + 1 };
}

/** The controls that a first use marks: a single use, or the merchant. */
export function usedControls({ scopes }: ControlsInForce): string[] {
  return scopes.flatMap(({ controls }) =>
    controls
      .filter(({ singleUse, merchantLock }) => singleUse || merchantLock)
      .map(({ controlId }) => controlId),
  );
}

/** Takes back the use of what was declined in the end. */
export function takeBackUse(
  { scopes }: Pick<ControlsInForce, "scopes">,
  controlIds: readonly string[],
  atMs: number,
): readonly ControlScope[] {
  return scopes.map((scope) =>
    change(scope, atMs, (usage, { controlId }) => {
      if (!controlIds.includes(controlId)) return usage;
      const { approvals, merchantId, merchantUses, ...others } = usage;
      const isUnlocked = merchantUses === 1;
      return {
        ...others,
        ...(approvals !== undefined && { approvals: Math.max(0, approvals - 1) }),
        ...(!isUnlocked && { merchantId }),
        ...(!isUnlocked && merchantUses !== undefined && { merchantUses: merchantUses - 1 }),
      };
    }),
  );
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
  const cells = usage?.controls[control.controlId]?.cells[sinceOf(control)] ?? [];
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
    const isOutdated = since !== sinceOf(control) || limit.amount !== amount || limit.count !== count;
    return isOutdated || is.amount > (share.amount ?? is.amount) || is.count > (share.count ?? is.count);
  });
}

/** Whether it counts in its owner's usage. Else that item is not read. */
export function hasUsage({ velocity }: ActiveControl): boolean {
  return velocity !== undefined && velocity.window !== "authorization";
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
    share: shareOf(whole, control, atMs - graceMs),
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

function shareOf(whole: Usage, control: ActiveControl, atMs: number): Limit {
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
  return { since: sinceOf(control), limit, share: isFirst ? first : share };
}

/** Periods of the calendar that have begun: all parts count in the same, with the same end. */
function begunPeriods(whole: Usage, controls: readonly ActiveControl[]): Usage["controls"] {
  const begun = controls.flatMap((control): [string, ControlUsage][] => {
    const cells = whole.controls[control.controlId]?.cells[sinceOf(control)] ?? [];
    const newest = cells.toSorted((a, b) => b.from - a.from)[0];
    if (!newest || !control.velocity || isRolling(control.velocity.window)) return [];
    const empty = { ...newest, amount: 0, count: 0 };
    const since = sinceOf(control);
    return [[control.controlId, { since, cells: { [since]: [empty] } }]];
  });
  return Object.fromEntries(begun);
}
