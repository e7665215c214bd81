import * as z from "zod";
import { cards } from "../cards/card.ts";
import { durationMinutes, type Velocity } from "../contract/controls.ts";
import { calendarPeriod, isCalendarUnit } from "../platform/calendar.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { declareKey } from "../platform/table/keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { ActiveControl } from "./rulebooks.ts";
import { type ControlOwner, nameOfUsage, type ScopeOwner } from "./usage-name.ts";

/** What was counted in one period, in minor units. */
const Cell = z.object({
  from: z.number(),
  until: z.number().optional(),
  amount: z.int(),
  count: z.int(),
});

const ControlUsage = z.object({
  /** When the control began to count, as its last write knew it. */
  since: z.number().optional(),
  /** By when the control began to count, in milliseconds: a new window begins empty. */
  cells: z.record(z.string(), z.array(Cell)),
  /** Approvals ever: what a single use allows one of. */
  approvals: z.int().optional(),
  /** The merchant of the first approval. */
  merchantId: z.string().optional(),
  /** Approvals at that merchant. */
  merchantUses: z.int().optional(),
});
export type ControlUsage = z.output<typeof ControlUsage>;

const Limit = z.object({ amount: z.int().optional(), count: z.int().optional() });

/** A Program's contended usage is split: each part counts up to its share of every limit. */
const Split = z.object({
  /** Grows with each time that the parts are laid out. */
  id: z.int(),
  parts: z.int(),
  /** In milliseconds. */
  laidOutAt: z.number(),
  /** The version of the rulebook from which the shares were made. */
  rulebook: z.int(),
  timeZone: z.string(),
  shares: z.record(z.string(), z.object({ since: z.number(), limit: Limit, share: Limit })),
});
export type Split = z.output<typeof Split>;

/** What all controls of one owner have counted, or a part of it. */
const Usage = z.object({
  version: z.int(),
  controls: z.record(z.string(), ControlUsage),
  split: Split.optional(),
  /** How often a part gave something back. */
  lowered: z.int().optional(),
  /** Nothing is counted until it is laid out anew. */
  closed: z.boolean().optional(),
  /** In milliseconds: when its parts lacked one event's amount. It stays whole for a while. */
  mergedAt: z.number().optional(),
  /** A Card's limit: grows with each write that does more than to count in one of its periods. */
  layout: z.int().optional(),
  /** What all periods of a Card's limit have counted together, in minor units. */
  totalMinor: z.int().optional(),
});
export type Usage = Readonly<z.output<typeof Usage>>;

/** So often an event loses the Program's usage to other writes before it is split. */
export const lossesBeforeSplit = 3;

/** Another part does as well. An event waits for a whole usage, until it is worth splitting. */
export function conflictsBorne(usage: Usage | undefined): number {
  return usage?.split ? 1 : lossesBeforeSplit;
}

const usageKey = declareKey("usage", (programId: string, ownerId: string) => ({
  pk: `${programId}#${ownerId}`,
  sk: "CONTROL_USAGE",
}));

const defineUsage = (owner: ControlOwner) =>
  defineEntity({ name: nameOfUsage(owner), schema: Usage, key: usageKey });

export const usages = {
  program: defineUsage("program"),
  cardholder: defineUsage("cardholder"),
  card: defineUsage("card"),
  /** One query has the Card and this: its sort key begins with the Card's. */
  limit: defineEntity({
    name: nameOfUsage("limit"),
    schema: Usage,
    key: (programId: string, cardId: string) => ({ pk: cards.key(programId, cardId).pk, sk: "CARD_LIMIT" }),
  }),
};

/** The parts of a Program's usage. The first is the item that it has while it is not split. */
export const usageParts = defineEntity({
  name: nameOfUsage("program"),
  schema: Usage,
  key: (programId: string, part: number) =>
    usageKey(programId, part === 0 ? programId : `${programId}#PART#${part}`),
});

/** The active controls of a Program, Cardholder or Card, with their usage. */
export interface ControlScope {
  readonly owner: ScopeOwner;
  readonly ownerId: string;
  readonly controls: readonly ActiveControl[];
  /** Absent until they count something. */
  readonly usage?: Usage | undefined;
  /** Which part of a split usage it is. */
  readonly part?: number | undefined;
  /** The layout of a split usage that was read last: `split.id`. */
  readonly layoutId?: number | undefined;
  /** It may be read, but not counted in: the sum of all parts, or a part that is out of date. */
  readonly isReadOnly?: boolean | undefined;
}

/** All that apply to one Card. */
export interface ControlsInForce {
  readonly timeZone: string;
  readonly scopes: readonly ControlScope[];
  /** The version of the Program's rulebook. */
  readonly rulebook?: number | undefined;
  /** The usage is what this process wrote last: other writes may have changed it. */
  readonly isRemembered?: boolean | undefined;
  /** How often an event has lost the Program's usage to another write. */
  readonly losses?: number | undefined;
  /** Gives it to other events of this process. */
  readonly release?: Release | undefined;
}

/** What the control has counted in its window. */
export function usedAt(usage: Usage | undefined, control: ActiveControl, atMs: number) {
  const cells = usage?.controls[control.controlId]?.cells[getSince(control)] ?? [];
  const live = cells.filter((cell) => isLive(cell, atMs));
  return {
    amount: live.reduce((sum, cell) => sum + cell.amount, 0),
    count: live.reduce((sum, cell) => sum + cell.count, 0),
  };
}

export function getState({ usage }: ControlScope, { controlId }: ActiveControl): ControlUsage {
  return usage?.controls[controlId] ?? { cells: {} };
}

/**
 * Another process's clock may be late: to it, what has just ended still counts. Until then, it may
 * not know a new control.
 */
export const graceMs = 60_000;

/** The window in force, in milliseconds; undefined for a control that counts nothing. */
export function windowAt(
  usage: Usage | undefined,
  control: ActiveControl,
  timeZone: string,
  atMs: number,
): Period | undefined {
  const { window } = control.velocity ?? {};
  const period = findPeriod(usage?.controls[control.controlId] ?? { cells: {} }, control, timeZone, atMs);
  if (!window || !period || !isRolling(window)) return period;
  return { from: rollingStart(window, atMs), until: atMs };
}

/** When the control began to count: at its activation, or with its present window. */
export function getSince({ countsFrom }: ActiveControl): number {
  return Date.parse(countsFrom);
}

export function isUsed({ cells, approvals, merchantId }: ControlUsage): boolean {
  return Object.keys(cells).length > 0 || approvals !== undefined || merchantId !== undefined;
}

export function isLive({ until }: Period, atMs: number): boolean {
  return until === undefined || until > atMs;
}

/** A calendar period that has begun keeps its end if the Program's time zone changes. */
export function findPeriod(
  usage: ControlUsage,
  control: ActiveControl,
  timeZone: string,
  atMs: number,
): Period | undefined {
  const { window } = control.velocity ?? {};
  if (!window) return undefined;
  const since = getSince(control);
  const period = periodAt(window, atMs, { activatedMs: since, timeZone });
  if (!period || isRolling(window)) return period;
  const cells = usage.cells[since] ?? [];
  // What began in another time zone is over before the next period begins.
  const lastEnd = Math.max(0, ...cells.map(({ until = 0 }) => until));
  return cells.find((cell) => isLive(cell, atMs)) ?? { ...period, from: Math.max(period.from, lastEnd) };
}

/** Ends the use of a part: with the event's writes, or because another process uses it. */
export type Release = (end?: { readonly writes?: readonly WriteAction[]; readonly isLost?: boolean }) => void;

/**
 * What is decided in one period counts together. It begins at `from`, and its amounts count until
 * `until`, in milliseconds; those of a lifetime always.
 */
export interface Period {
  readonly from: number;
  readonly until?: number;
}

/** A rolling window moves in so many steps of its length. */
const stepsOfWindow = 120;
const minimumStepMs = 10_000;

interface WindowSettings {
  /** When the control was activated: a lifetime begins. */
  readonly activatedMs: number;
  /** IANA name of the Program's time zone. */
  readonly timeZone: string;
}

/** Undefined for the window of a single authorization, which counts nothing. */
export function periodAt(
  window: Velocity["window"],
  atMs: number,
  { activatedMs, timeZone }: WindowSettings,
): Period | undefined {
  if (window === "authorization") return undefined;
  if (window === "lifetime") return { from: activatedMs };
  if (isCalendarUnit(window)) return calendarPeriod(window, atMs, timeZone);
  const { lengthMs, stepMs } = rollingWindow(window);
  const from = Math.floor(atMs / stepMs) * stepMs;
  return { from, until: from + stepMs + lengthMs };
}

/** When a rolling window begins: nothing older counts. */
export function rollingStart(window: string, atMs: number): number {
  const { lengthMs, stepMs } = rollingWindow(window);
  return Math.floor((atMs - lengthMs) / stepMs) * stepMs;
}

/** A duration: any amount of time back. */
export function isRolling(window: Velocity["window"]): boolean {
  return window.startsWith("P");
}

function rollingWindow(iso: string) {
  const lengthMs = (durationMinutes(iso) ?? 0) * 60_000;
  return { lengthMs, stepMs: Math.max(minimumStepMs, lengthMs / stepsOfWindow) };
}
