import { isNew } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Counted } from "../transactions/transaction.ts";
import type { ActiveControl } from "./rulebooks.ts";
import { countInLimit } from "./spend-limit.ts";
import {
  type ControlScope,
  type ControlsInForce,
  type ControlUsage,
  conflictsBorne,
  findPeriod,
  getSince,
  graceMs,
  isLive,
  isRolling,
  isUsed,
  type Period,
  periodAt,
  type Usage,
  usageParts,
  usages,
} from "./usage.ts";

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
      const period = findPeriod(usage, control, timeZone, atMs);
      if (!period) return used;
      const since = getSince(control);
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
  if (!usage?.split || !window || since !== getSince(control)) return undefined;
  // All parts have begun the newest calendar period. One before it is over, in any time zone.
  const isOver = !isRolling(window) && (cells[since] ?? []).some((cell) => cell.from > from);
  if (isOver) return undefined;
  // By its own beginning: the clock of the process that counted may have been ahead.
  const period = periodAt(window, from, { activatedMs: since, timeZone: usage.split.timeZone });
  return period && isLive(period, atMs) ? { ...period, from } : undefined;
}

/**
 * Each requires the usage that was read, or that a Card's limit leaves enough. Its failed condition
 * is named after the owner.
 */
export function usageWrites(
  programId: string,
  before: readonly ControlScope[],
  after: readonly ControlScope[],
  atMs: number,
): WriteAction[] {
  return after.flatMap((scope, index): WriteAction[] => {
    const { owner, ownerId, usage, part = 0 } = scope;
    const seen = before[index]?.usage;
    if (!usage || usage === seen) return [];
    if (owner === "limit") return [countInLimit(programId, scope, seen, usage, atMs)];
    const next = { ...usage, version: (seen?.version ?? 0) + 1 };
    const asSeen = seen ? { version: seen.version } : isNew;
    if (owner !== "program") return [usages[owner].at(programId, ownerId).put(next, asSeen)];
    return [{ ...usageParts.at(programId, part).put(next, asSeen), givenBackAfter: conflictsBorne(usage) }];
  });
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
    return isUsed(after) ? [[control.controlId, withoutPast(after, getSince(control), atMs)] as const] : [];
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

function firstUse(usage: ControlUsage, { singleUse, merchantLock }: ActiveControl, { merchantId }: Approval) {
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

/** Whether it counts in its owner's usage. Else that item is not read. */
export function hasUsage({ velocity }: ActiveControl): boolean {
  return velocity !== undefined && velocity.window !== "authorization";
}
