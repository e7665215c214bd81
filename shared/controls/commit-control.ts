import { isDeepStrictEqual } from "node:util";
import { maximumControls } from "../contract/controls.ts";
import type { Metadata } from "../contract/primitives.ts";
import { now, pause, timestamp } from "../platform/clock.ts";
import { limitReached } from "../platform/http/api-error.ts";
import type { ProgramScope } from "../platform/http/request.ts";
import { requireUnique } from "../platform/labels.ts";
import { readBatch } from "../platform/table/batch.ts";
import { type Condition, isNew } from "../platform/table/condition.ts";
import { Conflict, retryDecision } from "../platform/table/retry.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { withinTime } from "../platform/time-budget.ts";
import { type Actor, type AuditAction, auditProgram } from "../tenancy/audit-log.ts";
import {
  type Control,
  controlCreate,
  controlDelete,
  controlPut,
  toActiveControl,
  toControlView,
} from "./control.ts";
import {
  type ActiveControl,
  type CardholderRulebook,
  type CardRulebook,
  type Counts,
  cardholderRulebooks,
  cardRulebooks,
  leaseMs,
  noCardControls,
  noCardholderControls,
  noProgramControls,
  type ProgramRulebook,
  programRulebooks,
} from "./rulebooks.ts";

interface Decided<After> {
  /** As it was read; absent for a new one. */
  readonly before?: Control;
  /** Undefined to delete it. */
  readonly after: After;
  /** What becomes of its labels, of a new one its metadata. */
  readonly labels?: readonly WriteAction[];
  readonly metadata?: Metadata | undefined;
}

interface ControlChange<After> {
  readonly scope: ProgramScope;
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly decide: () => Promise<Decided<After>>;
}

/** With the wait below, it ends before Lambda's timeout of 10 s. */
const retriedMs = 4_000;
/** A change is in force when every lease from before it has ended. */
export const inForceMs = leaseMs + 100;
/** How long after the plan of another change its leases may last: it had this long to commit. */
const othersInForceMs = retriedMs + inForceMs;

/**
 * Changes a control and the rulebook that has it. Decides again after another change of either.
 * When it returns, every process obeys the change.
 * @throws ApiError LIMIT_REACHED; EXTERNAL_ID_EXISTS
 * @throws ContendedError
 */
export async function changeControl<After extends Control | undefined>({
  scope,
  actor,
  action,
  decide,
}: ControlChange<After>): Promise<After> {
  const { programId } = scope;
  const attempt = async () => {
    const { before, after: decided, labels = [], metadata } = await decide();
    const { after, ...rulebooks } = await planChange(programId, before, decided);
    const recordId = (before ?? (after as Control)).entityId;
    const change = {
      before: before ? toControlView(before) : null,
      after: after ? toControlView(after) : null,
    };
    const outcome = await transact([
      before ? controlWrite(programId, before, after) : controlCreate(programId, after as Control, metadata),
      ...labels,
      ...rulebooks.puts,
      auditProgram(actor, scope, action, change, recordId),
    ]);
    if (outcome.committed) return { after, mustWait: rulebooks.mustWait };
    requireUnique(outcome.failedConditions, { recordId });
    return new Conflict(...outcome.failedConditions.keys());
  };
  return (await putInForce(attempt)).after;
}

/**
 * Retries a change of rulebooks. If it must wait, returns when every process obeys the change.
 * @throws ContendedError
 */
export async function putInForce<Done extends { readonly mustWait: boolean }>(
  attempt: () => Promise<Done | Conflict>,
): Promise<Done> {
  const done = await withinTime(retriedMs, () => retryDecision(attempt));
  if (done.mustWait) await pause(inForceMs);
  return done;
}

function controlWrite(programId: string, before: Control, after: Control | undefined): WriteAction {
  return after ? controlPut(programId, before, after) : controlDelete(programId, before);
}

/**
 * What a process may not know yet counts from when all do.
 * @throws ApiError LIMIT_REACHED
 */
async function planChange<After extends Control | undefined>(
  programId: string,
  before: Control | undefined,
  after: After,
) {
  const plan = await planRulebooks(programId, before, after);
  const isActivated = after?.activatedAt !== undefined && before?.activatedAt === undefined;
  if (!plan.outdatesLeases || !isActivated) return { ...plan, after };
  const activatedAt = timestamp(new Date(now().getTime() + inForceMs));
  const later = { ...after, activatedAt };
  return { ...(await planRulebooks(programId, before, later)), after: later };
}

/** @throws ApiError LIMIT_REACHED */
async function planRulebooks(programId: string, before: Control | undefined, after: Control | undefined) {
  const [old, current] = [toActiveControl(before), toActiveControl(after)];
  if (!old && !current) return unchangedRulebooks;
  return planActive({
    programId,
    owner: before ?? (after as Control),
    change: (controls) => replaceActive(controls, old, current),
    isChanged: !isDeepStrictEqual(old, current),
    isAdded: !old,
  });
}

const unchangedRulebooks = { puts: [], outdatesLeases: false, mustWait: false };

interface PlannedControls {
  readonly controls: readonly Control[];
  readonly puts: readonly WriteAction[];
  readonly mustWait: boolean;
}

/**
 * The controls that a Card is issued with, and the rulebooks that have them.
 * @throws ApiError LIMIT_REACHED
 */
export async function planCardControls(
  programId: string,
  owner: Required<ControlOwner>,
  controls: readonly Control[],
): Promise<PlannedControls> {
  const plan = async (planned: readonly Control[]) => {
    const active = planned.flatMap((control) => toActiveControl(control) ?? []);
    if (active.length === 0) return unchangedRulebooks;
    const change = (before: readonly ActiveControl[]) => [...before, ...active];
    return planActive({ programId, owner, change, isChanged: true, isAdded: true });
  };
  const first = await plan(controls);
  if (!first.outdatesLeases) return { ...first, controls };
  const activatedAt = timestamp(new Date(now().getTime() + inForceMs));
  const later = controls.map((control) => ({ ...control, ...(control.activatedAt && { activatedAt }) }));
  return { ...(await plan(later)), controls: later };
}

interface ActiveChange {
  readonly programId: string;
  readonly owner: ControlOwner;
  readonly change: ChangeControls;
  readonly isChanged: boolean;
  readonly isAdded: boolean;
}

/** @throws ApiError LIMIT_REACHED */
async function planActive({ programId, owner, change, isChanged, isAdded }: ActiveChange) {
  const read = await readRulebooks(programId, owner);
  const mayBeUnknown = isRecent(read.program);
  if (!isChanged) return { ...unchangedRulebooks, mustWait: mayBeUnknown };
  const changed = changeRulebooks(read, owner, change);
  if (isAdded && exceedsLimit(changed))
    throw limitReached(maximumControls, "controls in force for a Card", mostInForce(changed, owner));
  const isOutdating = outdatesLeases(read, changed);
  const program = isOutdating ? { ...changed.program, outdatedAt: timestamp() } : changed.program;
  return {
    puts: rulebookPuts(programId, owner, read, { ...changed, program }),
    outdatesLeases: isOutdating,
    mustWait: isOutdating || mayBeUnknown,
  };
}

/** Whether a process may not know the last change of another request yet. */
function isRecent({ outdatedAt }: ProgramRulebook): boolean {
  return outdatedAt !== undefined && now().getTime() - Date.parse(outdatedAt) < othersInForceMs;
}

function replaceActive(
  controls: readonly ActiveControl[],
  old: ActiveControl | undefined,
  current: ActiveControl | undefined,
): ActiveControl[] {
  if (!old) return current ? [...controls, current] : [...controls];
  return controls.flatMap((one) => {
    if (one.controlId !== old.controlId) return [one];
    return current ? [current] : [];
  });
}

/** Whose rulebook has the control: the Card's, the Cardholder's, or by default the Program's. */
export interface ControlOwner {
  readonly cardId?: string | undefined;
  /** A Card's control has it too. */
  readonly cardholderId?: string | undefined;
}

/** The three that a change of one of them may change. */
interface Rulebooks {
  readonly program: ProgramRulebook;
  readonly cardholder: CardholderRulebook;
  readonly card: CardRulebook;
}

/** Strongly consistent, in one round trip. */
async function readRulebooks(programId: string, { cardId, cardholderId }: ControlOwner): Promise<Rulebooks> {
  const program = programRulebooks.at(programId).key;
  const cardholder = cardholderId && cardholderRulebooks.at(programId, cardholderId).key;
  const card = cardId && cardRulebooks.at(programId, cardId).key;
  const items = await readBatch([program, cardholder, card].filter((key) => typeof key === "object"));
  const stored = (key: typeof program | string | undefined) =>
    typeof key === "object" ? items.find(({ pk }) => pk === key.pk) : undefined;
  return {
    program: programRulebooks.parse(stored(program)) ?? noProgramControls,
    cardholder: cardholderRulebooks.parse(stored(cardholder)) ?? noCardholderControls,
    card: cardRulebooks.parse(stored(card)) ?? noCardControls,
  };
}

type ChangeControls = (controls: readonly ActiveControl[]) => ActiveControl[];

/** What is in force after a change of the controls of one of them. */
function changeRulebooks(before: Rulebooks, owner: ControlOwner, change: ChangeControls): Rulebooks {
  const { program, cardholder, card } = before;
  const changed = <R extends CardRulebook>(rulebook: R): R => ({
    ...rulebook,
    controls: change(rulebook.controls),
  });
  if (owner.cardId !== undefined) {
    const after = changed(card);
    const cards = move(cardholder.cards, card.controls.length, after.controls.length);
    return withCardholder({ ...before, card: after }, { ...cardholder, cards });
  }
  if (owner.cardholderId !== undefined) return withCardholder(before, changed(cardholder));
  return { ...before, program: changed(program) };
}

function withCardholder(before: Rulebooks, cardholder: CardholderRulebook): Rulebooks {
  const most = move(before.program.most, mostOfACard(before.cardholder), mostOfACard(cardholder));
  return { ...before, cardholder, program: { ...before.program, most, hasNarrower: true } };
}

/** Whether more controls than permitted apply to a Card of the Program. */
function exceedsLimit({ program }: Rulebooks): boolean {
  return program.controls.length + highest(program.most) > maximumControls;
}

/** How many apply to the Card, or to that of the owner's Cards which has the most. */
function mostInForce({ program, cardholder, card }: Rulebooks, owner: ControlOwner): number {
  const ofProgram = program.controls.length;
  if (owner.cardId !== undefined) return ofProgram + cardholder.controls.length + card.controls.length;
  return ofProgram + (owner.cardholderId === undefined ? highest(program.most) : mostOfACard(cardholder));
}

/** How many controls apply to the Cardholder's Card that has the most, without the Program's. */
function mostOfACard({ controls, cards }: CardholderRulebook): number {
  return controls.length + highest(cards);
}

function highest(counts: Counts): number {
  return Math.max(0, ...Object.keys(counts).map(Number));
}

/** Counts one that had `from` controls as one that has `to`. None is not counted. */
function move(counts: Counts, from: number, to: number): Counts {
  if (from === to) return counts;
  const moved: Counts = { ...counts, [from]: (counts[from] ?? 0) - 1, [to]: (counts[to] ?? 0) + 1 };
  return Object.fromEntries(Object.entries(moved).filter(([n, count]) => n !== "0" && count > 0));
}

/** Puts what changed. Fails if one of these is not as it was read. */
function rulebookPuts(
  programId: string,
  { cardId, cardholderId }: ControlOwner,
  before: Rulebooks,
  after: Rulebooks,
): WriteAction[] {
  const puts: WriteAction[] = [];
  const add = <R extends CardRulebook>(
    at: { put(item: R, condition: Condition<CardRulebook>): WriteAction },
    old: R,
    current: R,
  ) => {
    if (isDeepStrictEqual(old, current)) return;
    const { version } = old;
    puts.push(at.put({ ...current, version: version + 1 }, version === 0 ? isNew : { version }));
  };
  if (cardId !== undefined) add(cardRulebooks.at(programId, cardId), before.card, after.card);
  if (cardholderId !== undefined)
    add(cardholderRulebooks.at(programId, cardholderId), before.cardholder, after.cardholder);
  add(programRulebooks.at(programId), before.program, after.program);
  return puts;
}

/** Limits of Cards know the time zone in which they were set, and read none but this. */
export async function timeZoneWrite(programId: string, laterTimeZone: string): Promise<WriteAction> {
  const rulebook = programRulebooks.at(programId);
  const { version, ...others } = (await rulebook.get()) ?? noProgramControls;
  const asRead = version === 0 ? isNew : { version };
  return rulebook.put({ ...others, version: version + 1, laterTimeZone }, asRead);
}

/** Whether a process that still has the Program's rulebook from before would decide otherwise. */
function outdatesLeases({ program: before }: Rulebooks, { program: after }: Rulebooks): boolean {
  return before.hasNarrower !== after.hasNarrower || !isDeepStrictEqual(before.controls, after.controls);
}
