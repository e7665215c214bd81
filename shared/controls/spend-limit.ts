import type { SpendLimit } from "../cards/card.ts";
import type { Velocity } from "../contract/controls.ts";
import { isCalendarUnit } from "../platform/calendar.ts";
import { toOtherId } from "../platform/id.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { readProgram } from "../tenancy/programs/program.ts";
import { addedToLimit } from "./limit-counter.ts";
import type { ActiveControl } from "./rulebooks.ts";
import { type ControlsInForce, nameOfUsage, type Usage, usages, usedAt } from "./usage.ts";

/** What a limit has counted, and in whose days. */
export interface LimitUsage {
  readonly usage: Usage | undefined;
  readonly timeZone: string;
}

/** A Card's limit counts like a control of it that no list has: by the Card's own ULID. */
function toLimitControl(cardId: string, { amountMinor, window, countsFrom }: SpendLimit): ActiveControl {
  const velocity = { amount: amountMinor, window } as Velocity;
  return { controlId: limitId(cardId), countsFrom, velocity };
}

function limitId(cardId: string): string {
  return toOtherId("control", cardId);
}

/** One round. Only windows of the calendar need the time zone. */
export async function readLimitUsage(
  programId: string,
  cardId: string,
  { window }: SpendLimit,
): Promise<LimitUsage> {
  const [usage, program] = await Promise.all([
    usages.limit.at(programId, limitId(cardId)).get(),
    isCalendarUnit(window) ? readProgram(programId) : undefined,
  ]);
  return { usage, timeZone: program?.settings.timeZone ?? "Etc/UTC" };
}

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
  const scope = { owner: "limit", ownerId: control.controlId, controls: [control], usage } as const;
  return { timeZone, ...controls, scopes: [...(controls?.scopes ?? []), scope] };
}

/** Both parts of what is in force: the controls, and the Card's limit. */
export function splitLimit(controls: ControlsInForce) {
  const isLimit = ({ owner }: ControlsInForce["scopes"][number]) => owner === "limit";
  const [limit] = controls.scopes.filter(isLimit);
  return { limit, others: { ...controls, scopes: controls.scopes.filter((scope) => !isLimit(scope)) } };
}

/** What the limit leaves, also below 0. With `writes`: after these. Undefined if there is none. */
export function findLeft(
  controls: ControlsInForce | undefined,
  at: Date,
  writes: readonly WriteAction[] = [],
): number | undefined {
  const scope = controls && splitLimit(controls).limit;
  const [control] = scope?.controls ?? [];
  if (!scope || !control) return undefined;
  const write = writes.find(({ name }) => name === nameOfUsage("limit"));
  const { amount: usedMinor } = usedAt(scope.usage, control, at.getTime());
  return (control.velocity?.amount ?? 0) - usedMinor - (write ? addedToLimit(write) : 0);
}

/** What the Card has spent of its limit in the present window, and what that leaves. */
export async function viewLimit(programId: string, cardId: string, limit: SpendLimit, at: Date) {
  const usage = await usages.limit.at(programId, limitId(cardId)).get();
  const { amount: usedMinor } = usedAt(usage, toLimitControl(cardId, limit), at.getTime());
  return { usedMinor, leftMinor: limit.amountMinor - usedMinor };
}
