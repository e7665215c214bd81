import { BoundedMap } from "../platform/bounded-map.ts";
import { monotonicMs, now, pause } from "../platform/clock.ts";
import { randomInteger } from "../platform/id.ts";
import { log } from "../platform/log.ts";
import { readBatch } from "../platform/table/batch.ts";
import { absent, all, exists, isNew } from "../platform/table/condition.ts";
import { optionally, soon } from "../platform/table/retry.ts";
import { transact } from "../platform/table/transact.ts";
import { withinTime } from "../platform/time-budget.ts";
import { addUpUsage, layOut, merged, writtenUsage } from "./shares.ts";
import { type ControlsInForce, type Release, type Usage, usageParts } from "./usage.ts";

/** Laying out takes some ten milliseconds. One that takes longer has been interrupted. */
const layOutTimeoutMs = 1_000;

/** One of this process at a time for each Program. */
const underWay = new Map<string, Promise<Usage | undefined>>();

/**
 * Divides what a Program may still count over its parts anew, or merges them if some would have
 * little. Returns what they have counted; undefined if another process was faster.
 * @throws ContendedError when the time for retries is up
 */
export function layOutUsage(
  programId: string,
  controls: ControlsInForce,
  amountMinor = 0,
): Promise<Usage | undefined> {
  const other = underWay.get(programId);
  if (other) return other.then(ignore, ignore);
  const mine = closeAndLayOut(programId, controls, amountMinor).finally(() => underWay.delete(programId));
  underWay.set(programId, mine);
  return mine;
}

const ignore = () => undefined;

/**
 * Closed parts stay as they are: any process that finds them may finish the layout. If they are
 * laid out otherwise than they were read, another was faster.
 */
async function closeAndLayOut(programId: string, controls: ControlsInForce, amountMinor: number) {
  const layoutId = controls.scopes.find(({ owner }) => owner === "program")?.layoutId;
  const first = await close(programId, 0, layoutId);
  if (!first) return undefined;
  if (!first.isMine && (await isOpened(programId))) return undefined;
  const others = Array.from({ length: (first.usage.split?.parts ?? 1) - 1 }, (_, index) =>
    close(programId, index + 1, layoutId),
  );
  const found = [first, ...(await Promise.all(others))];
  const parts = found.flatMap((one) => (one ? [one.usage] : []));
  if (parts.length < found.length) return undefined;
  const whole = addUpUsage(parts);
  const at = now().getTime();
  const isPoor = parts.length > 1 && amountMinor !== merged;
  const laidOut = layOut({ ...whole, ...(isPoor && { mergedAt: at }) }, controls, amountMinor, at);
  const actions = Array.from({ length: Math.max(parts.length, laidOut.length) }, (_, part) => {
    const [before, after] = [parts[part], laidOut[part]];
    const item = usageParts.at(programId, part);
    // Overwrites parts of an earlier split: the whole usage is in the first.
    const leftover = first.usage.split ? isNew : undefined;
    const asFound = before ? { version: before.version } : leftover;
    return after ? item.put(after, asFound) : item.delete(asFound);
  });
  const { committed } = await transact(actions);
  if (!committed) return undefined;
  learnSplit(programId, laidOut.length - 1, laidOut.at(-1));
  log.info("The usage of the Program's controls is laid out.", { programId, parts: laidOut.length });
  return whole;
}

/** The part, closed by this call or before. Undefined if it is gone or laid out anew already. */
async function close(programId: string, part: number, layoutId: number | undefined) {
  const isOpen = all<Usage>(exists, { closed: absent, "split.id": layoutId });
  const change = { set: { closed: true }, increase: { version: 1 } };
  const outcome = await usageParts.at(programId, part).updateNow(change, isOpen, soon);
  const usage = outcome.updated ? outcome.item : outcome.stored;
  return usage?.closed && usage.split?.id === layoutId ? { usage, isMine: outcome.updated } : undefined;
}

/** Waits while another process lays the usage out. False if that process was interrupted. */
async function isOpened(programId: string): Promise<boolean> {
  const startedMs = monotonicMs();
  for (let reads = 1; monotonicMs() - startedMs < layOutTimeoutMs; reads += 1) {
    await pause(randomInteger(4, Math.min(50, 8 * 2 ** reads)));
    if (!(await usageParts.at(programId, 0).get())?.closed) return true;
  }
  return false;
}

/** An event can do without the split: it tries no longer than this. Never rejects. */
const splittingMs = 500;

export async function trySplitUsage(programId: string, controls: ControlsInForce, amountMinor: number) {
  try {
    const split = () => layOutUsage(programId, controls, amountMinor);
    await optionally(() => withinTime(splittingMs, split));
  } catch (error) {
    log.warn("The usage of the Program's controls was not split.", { programId, error });
  }
}

function toPartKeys(programId: string, { split }: Usage) {
  return Array.from({ length: split?.parts ?? 1 }, (_, part) => usageParts.at(programId, part).key);
}

async function readParts(programId: string, seen: Usage): Promise<Usage[] | undefined> {
  const items = await readBatch(toPartKeys(programId, seen));
  const parts = items.map((item) => usageParts.parse(item));
  return isWhole(parts, seen) ? parts : undefined;
}

function isWhole(parts: readonly Usage[], { split: seen }: Usage): boolean {
  return parts.length === seen?.parts && parts.every(({ split }) => split?.id === seen.id);
}

/**
 * What all parts have counted at least, at a moment between two readings: then what it declines was
 * too much. Undefined if one gave something back meanwhile, or if they were laid out anew.
 */
export async function readCountedAtLeast(programId: string, seen: Usage): Promise<Usage | undefined> {
  const before = await readParts(programId, seen);
  const after = before && (await readParts(programId, seen));
  if (!after) return undefined;
  return sumUp(before, "lowered") === sumUp(after, "lowered") ? addUpUsage(before) : undefined;
}

/**
 * What all parts have counted at the moment between two readings. Undefined if one was written
 * meanwhile. Not a transactional read: with many rolling windows, all parts have more than 4 MB.
 */
export async function readPartsTogether(programId: string, seen: Usage): Promise<Usage | undefined> {
  const before = await readParts(programId, seen);
  const after = before && (await readParts(programId, seen));
  return after && sumUp(before, "version") === sumUp(after, "version") ? addUpUsage(after) : undefined;
}

/** Both only grow. */
function sumUp(parts: readonly Usage[], field: "lowered" | "version"): number {
  return parts.reduce((sum, part) => sum + (part[field] ?? 0), 0);
}

/** A part that an event of this process counts in. */
interface TakenPart {
  readonly part: number;
  readonly layoutId: number;
  /** As this process knows it, or as it was laid out, unless another write came between. */
  readonly usage: Usage | undefined;
  readonly release: Release;
}

/** What this process knows of a Program whose usage is split. */
class SplitProgram {
  readonly layoutId: number;
  /** The best first: a process keeps to its parts, so that processes soon use different ones. */
  #parts: number[];
  readonly #taken = new Set<number>();
  /** Undefined where a part must be read. */
  readonly #known = new Map<number, Usage | undefined>();
  /** What all parts but the first are laid out as. */
  #laidOut: Usage | undefined;

  constructor(layoutId: number, parts: number) {
    this.layoutId = layoutId;
    this.#parts = shuffle(Array.from({ length: parts }, (_, part) => part));
  }

  learn(part: number, usage: Usage): void {
    if (!usage.closed) this.#known.set(part, usage);
    if (part > 0 && usage.version === this.layoutId) this.#laidOut ??= usage;
  }

  take(): TakenPart {
    const free = this.#parts.find((part) => !this.#taken.has(part));
    const part = free ?? this.#parts[randomInteger(0, this.#parts.length)] ?? 0;
    this.#taken.add(part);
    const usage = this.#known.has(part) ? this.#known.get(part) : this.#untouched(part);
    const release: Release = ({ writes = [], isLost } = {}) => {
      const written = writtenUsage(writes);
      this.#taken.delete(part);
      if (!written && !isLost) return;
      const others = this.#parts.filter((other) => other !== part);
      this.#parts = written ? [part, ...others] : [...others, part];
      this.#known.set(part, written);
    };
    return { part, layoutId: this.layoutId, usage, release };
  }

  /** Where another process has written it, the condition on its version fails, and returns it. */
  #untouched(part: number): Usage | undefined {
    return part > 0 ? this.#laidOut : undefined;
  }
}

/** The keys are Programs' ids. */
const splitPrograms = new BoundedMap<string, SplitProgram>(200);

/** As far as this process knows. */
export function isSplit(programId: string): boolean {
  return splitPrograms.get(programId) !== undefined;
}

/** Undefined if the Program's usage is not split, as far as this process knows. */
export function takePart(programId: string): TakenPart | undefined {
  return splitPrograms.get(programId)?.take();
}

/** A part as it was read or laid out last. Without one, the usage is not split. */
export function learnSplit(programId: string, part = 0, usage?: Usage): void {
  const { split } = usage ?? {};
  if (!usage || !split) {
    splitPrograms.delete(programId);
    return;
  }
  const known = splitPrograms.get(programId);
  const program = known?.layoutId === split.id ? known : new SplitProgram(split.id, split.parts);
  if (program !== known) splitPrograms.set(programId, program);
  program.learn(part, usage);
}

function shuffle(parts: readonly number[]): number[] {
  return parts
    .map((part) => ({ part, place: randomInteger(0, 2 ** 32) }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ part }) => part);
}
