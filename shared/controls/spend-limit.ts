import { type Card, cards, type SpendLimit } from "../cards/card.ts";
import type { Velocity } from "../contract/controls.ts";
import { isCalendarUnit } from "../platform/calendar.ts";
import { toOtherId } from "../platform/id.ts";
import { atMost, isNew } from "../platform/table/condition.ts";
import type { Key } from "../platform/table/keys.ts";
import { readAllItems, toPartitionQuery } from "../platform/table/query.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { readProgram } from "../tenancy/programs/program.ts";
import { type ActiveControl, readProgramControls } from "./rulebooks.ts";
import {
  type ControlScope,
  type ControlsInForce,
  type ControlUsage,
  getSince,
  graceMs,
  isLive,
  type Period,
  type Usage,
  usages,
  usedAt,
} from "./usage.ts";

/** What a limit has counted, and in whose days. */
interface LimitUsage {
  readonly usage: Usage | undefined;
  readonly timeZone: string;
}

/** A Card's limit counts like a control of it that no list has: by the Card's own ULID. */
export function toLimitControl(
  cardId: string,
  { amountMinor, window, countsFrom }: SpendLimit,
): ActiveControl {
  const velocity = { amount: amountMinor, window } as Velocity;
  return { controlId: toOtherId("control", cardId), countsFrom, velocity };
}

/** A Card, and what its limit has counted. */
interface CardWithUsage {
  readonly card: Card | undefined;
  readonly usage: Usage | undefined;
}

/** One consistent read, as of the Card alone. */
export async function readWithUsage(programId: string, cardId: string): Promise<CardWithUsage> {
  const [card, limit] = [cards.key(programId, cardId), usages.limit.key(programId, cardId)];
  const items = await readAllItems(toPartitionQuery(card.pk, card.sk));
  const find = ({ sk }: Key) => items.find((item) => item.sk === sk);
  return { card: cards.at(programId, cardId).parse(find(card)), usage: usages.limit.parse(find(limit)) };
}

/** Where the Card is not read. */
export function readUsage(programId: string, cardId: string): Promise<Usage | undefined> {
  return usages.limit.at(programId, cardId).get();
}

/**
 * In whose days a limit counts. It knows those of the Program as it was set; the rulebook, which
 * is at hand, those of later. So nothing is read for it.
 */
export async function findTimeZone(programId: string, limit: SpendLimit): Promise<string> {
  if (!isCalendarUnit(limit.window)) return anyTimeZone;
  const { laterTimeZone } = await readProgramControls(programId);
  const known = laterTimeZone ?? limit.timeZone;
  return known ?? (await readProgram(programId))?.settings.timeZone ?? anyTimeZone;
}

/** Where no day is counted. */
export const anyTimeZone = "Etc/UTC";

/** The usage that a failed condition has found. */
export function parseLimitUsage(stored: Parameters<typeof usages.limit.parse>[0]): Usage | undefined {
  return usages.limit.parse(stored);
}

/** What is in force for the Card, with its limit. */
export function withSpendLimit(
  controls: ControlsInForce | undefined,
  cardId: string,
  limit: SpendLimit | undefined,
  { usage, timeZone }: LimitUsage,
): ControlsInForce | undefined {
  if (!limit) return controls;
  const control = toLimitControl(cardId, limit);
  const scope = { owner: "limit", ownerId: cardId, controls: [control], usage } as const;
  return { timeZone, ...controls, scopes: [...(controls?.scopes ?? []), scope] };
}

/** Both parts of what is in force: the controls, and the Card's limit. */
export function splitLimit(controls: ControlsInForce) {
  const [limit] = controls.scopes.filter(isLimit);
  return { limit, others: { ...controls, scopes: controls.scopes.filter((scope) => !isLimit(scope)) } };
}

function isLimit({ owner }: ControlScope): boolean {
  return owner === "limit";
}

/** What the limit leaves, also below 0. Undefined if there is none. */
export function findLeft(
  controls: Pick<ControlsInForce, "scopes"> | undefined,
  at: Date,
): number | undefined {
  const scope = controls?.scopes.find(isLimit);
  const [control] = scope?.controls ?? [];
  if (!scope || !control) return undefined;
  return (control.velocity?.amount ?? 0) - usedAt(scope.usage, control, at.getTime()).amount;
}

/** What one period counts more, or less, at its place in the stored list. */
interface Added {
  readonly path: string;
  readonly amount: number;
  readonly count: number;
  readonly period: Period;
}

/**
 * Counts beside others that do so at once: a condition of the write asks only whether the limit
 * leaves enough. A period that begins or is forgotten needs the usage as it was read.
 */
export function countInLimit(
  programId: string,
  { ownerId: cardId, controls: [control] }: ControlScope,
  seen: Usage | undefined,
  after: Usage,
  atMs: number,
): WriteAction {
  if (!control) throw new Error("A limit counts by its own control.");
  const { controlId, velocity } = control;
  const since = String(getSince(control));
  const item = usages.limit.at(programId, cardId);
  const usageAfter = after.controls[controlId];
  const addedMinor = total(usageAfter, since) - total(seen?.controls[controlId], since);
  const added = findAdded(seen, after, controlId, since);
  return added
    ? item.update(
        { increase: toIncrease(added, addedMinor, atMs) },
        {
          layout: seen?.layout,
          ...boundBy(velocity?.amount, seen?.controls[controlId], since, addedMinor, atMs),
        },
      )
    : item.put(
        {
          ...after,
          version: (seen?.version ?? 0) + 1,
          layout: (seen?.layout ?? 0) + 1,
          totalMinor: total(usageAfter, since),
        },
        seen ? { version: seen.version } : isNew,
      );
}

function total(usage: ControlUsage | undefined, since: string): number {
  return sum(usage?.cells[since] ?? []);
}

function sum(cells: readonly ControlUsage["cells"][string][number][]): number {
  return cells.reduce((all, { amount }) => all + amount, 0);
}

/** Undefined unless nothing else has changed than what periods of the present limit count. */
function findAdded(seen: Usage | undefined, after: Usage, controlId: string, since: string) {
  const before = seen?.controls[controlId];
  const now = after.controls[controlId];
  if (seen?.layout === undefined || !before || !now || before.since !== now.since) return undefined;
  const [cells = [], changed = []] = [before.cells[since], now.cells[since]];
  const isOnlyLimit = [seen.controls, before.cells, after.controls, now.cells].every(
    (all) => Object.keys(all).length === 1,
  );
  if (!isOnlyLimit || cells.length !== changed.length) return undefined;
  const added = cells.flatMap((cell, place): Added[] => {
    const own = changed.find(({ from }) => from === cell.from);
    if (!own) return [];
    const path = `controls.${controlId}.cells.${since}[${place}]`;
    return [{ path, amount: own.amount - cell.amount, count: own.count - cell.count, period: cell }];
  });
  return added.length === cells.length ? added : undefined;
}

function toIncrease(added: readonly Added[], totalMinor: number, atMs: number) {
  const changes = added.filter(({ amount, count }) => amount !== 0 || count !== 0);
  // Another process may take it for over, and may have left it out of what the limit has counted.
  const mayBeOver = changes.some(({ period }) => !isLive(period, atMs + graceMs));
  const parts = changes.flatMap(({ path, amount, count }) => [
    ...(amount === 0 ? [] : [[`${path}.amount`, amount] as const]),
    ...(count === 0 ? [] : [[`${path}.count`, count] as const]),
  ]);
  return { version: 1, totalMinor, ...(mayBeOver && { layout: 1 }), ...Object.fromEntries(parts) };
}

/**
 * What is within the limit stays so, whatever others count meanwhile. What was above it as it was
 * decided cannot be declined.
 */
function boundBy(
  limitMinor: number | undefined,
  usage: ControlUsage | undefined,
  since: string,
  addedMinor: number,
  atMs: number,
) {
  const cells = usage?.cells[since] ?? [];
  const overMinor = sum(cells.filter((cell) => !isLive(cell, atMs)));
  if (limitMinor === undefined || addedMinor <= 0 || sum(cells) - overMinor + addedMinor > limitMinor)
    return {};
  return { totalMinor: atMost(limitMinor + overMinor - addedMinor) };
}
