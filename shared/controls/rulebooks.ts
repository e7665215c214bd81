import * as z from "zod";
import type { ControlRules } from "../contract/controls.ts";
import { BoundedMap } from "../platform/bounded-map.ts";
import { monotonicMs, now } from "../platform/clock.ts";
import { log } from "../platform/log.ts";
import { readBatch } from "../platform/table/batch.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { Key } from "../platform/table/keys.ts";
import { type Program, readProgram } from "../tenancy/programs/program.ts";
import { AuthorizationEndpoint } from "./authorization-endpoint.ts";

/** A control in force, as authorizations read it. */
export interface ActiveControl extends ControlRules {
  readonly controlId: string;
  /** ISO 8601 UTC: its activation, or the last change of its window. It counts from then on. */
  readonly countsFrom: string;
}

/** Stored as it was validated: a later rule of the contract must not make a rulebook unreadable. */
const activeControls = z.array(
  z.custom<ActiveControl>((control) => typeof control === "object" && control !== null),
);

/** How many have so many controls: `{"2": 5}`. Those without controls are left out. */
const counts = z.record(z.string(), z.int());
export type Counts = z.output<typeof counts>;

const rulebook = {
  /** Each write puts the whole item and requires the version that it replaces. */
  version: z.int(),
  controls: activeControls,
};

const ProgramRulebook = z.object({
  ...rulebook,
  /** Whether a Card or Cardholder has ever had a control of its own. */
  hasNarrower: z.boolean(),
  /** Cardholders, by their own controls and those of their Card that has the most. */
  most: counts,
  endpoint: AuthorizationEndpoint.optional(),
  /** When it last changed in a way that kept copies must not miss. */
  outdatedAt: z.string().optional(),
  /** The Program's time zone, once it has another than it began with. */
  laterTimeZone: z.string().optional(),
});
export type ProgramRulebook = z.output<typeof ProgramRulebook>;

const CardholderRulebook = z.object({
  ...rulebook,
  /** How many of the Cardholder's Cards have so many controls of their own. */
  cards: counts,
});
export type CardholderRulebook = z.output<typeof CardholderRulebook>;

const CardRulebook = z.object(rulebook);
export type CardRulebook = z.output<typeof CardRulebook>;

/** The controls in force of a Program, a Cardholder or a Card. Absent before the first one. */
export const programRulebooks = defineEntity({
  name: "programControls",
  schema: ProgramRulebook,
  key: (programId: string) => ({ pk: `${programId}#CONTROLS`, sk: "CONTROLS" }),
});

export const cardholderRulebooks = defineEntity({
  name: "cardholderControls",
  schema: CardholderRulebook,
  key: (programId: string, ownerId: string) => ({ pk: `${programId}#${ownerId}`, sk: "CONTROLS" }),
});

export const cardRulebooks = defineEntity({
  name: "cardControls",
  schema: CardRulebook,
  key: cardholderRulebooks.key,
});

export const noProgramControls: ProgramRulebook = { version: 0, controls: [], hasNarrower: false, most: {} };
export const noCardholderControls: CardholderRulebook = { version: 0, controls: [], cards: {} };
export const noCardControls: CardRulebook = { version: 0, controls: [] };

/** A Card and its Cardholder. */
interface CardIds {
  readonly cardId: string;
  readonly cardholderId: string;
}

export interface NarrowerRulebooks {
  readonly card: CardRulebook;
  readonly cardholder: CardholderRulebook;
}

/** The keys of both, for a batch that reads other items with them. */
export function narrowerKeys(programId: string, { cardId, cardholderId }: CardIds): Key[] {
  return [cardRulebooks.at(programId, cardId).key, cardholderRulebooks.at(programId, cardholderId).key];
}

/** Finds both among the items of a batch. */
export function findNarrower(
  items: readonly Readonly<Record<string, unknown>>[],
  programId: string,
  ids: CardIds,
): NarrowerRulebooks {
  const [card, cardholder] = narrowerKeys(programId, ids).map(({ pk, sk }) =>
    items.find((item) => item.pk === pk && item.sk === sk),
  );
  return {
    card: cardRulebooks.parse(card) ?? noCardControls,
    cardholder: cardholderRulebooks.parse(cardholder) ?? noCardholderControls,
  };
}

/** One round trip, strongly consistent. */
export async function readNarrowerControls(programId: string, ids: CardIds): Promise<NarrowerRulebooks> {
  return findNarrower(await readBatch(narrowerKeys(programId, ids)), programId, ids);
}

/** How long a process may use a Program's rulebook after it began to read it. */
export const leaseMs = 2_000;

/** A Program's rulebook and time zone. */
export interface ProgramControls extends ProgramRulebook {
  readonly timeZone: string;
}

interface Lease {
  readonly controls: Promise<ProgramControls>;
  readonly begunAt: number;
  readonly begunMs: number;
  /** By an event that is under way. */
  isRenewed?: boolean;
}

function beginning() {
  return { begunAt: now().getTime(), begunMs: monotonicMs() };
}

/** A rulebook has some hundred bytes for each control, and at most 250 KB. */
const leases = new BoundedMap<string, Lease>(200);

/**
 * The Program's rulebook, at most `leaseMs` old. A change that authorizations must know is answered
 * only when every lease from before it has ended.
 */
export function readProgramControls(programId: string): Promise<ProgramControls> {
  return heldProgramControls(programId) ?? leaseProgramControls(programId, () => readRulebook(programId));
}

async function readRulebook(programId: string): Promise<ProgramControls> {
  const stored = await programRulebooks.at(programId).get();
  // Most Programs have no controls, and need no time zone.
  return toProgramControls(stored, stored && hasControls(stored) ? await readProgram(programId) : undefined);
}

/** Takes one round trip. */
export async function readWithTimeZone(programId: string): Promise<ProgramControls> {
  const [stored, program] = await Promise.all([programRulebooks.at(programId).get(), readProgram(programId)]);
  return toProgramControls(stored, program);
}

/** After so long, a process that is busy renews a lease beside a commit: no event waits for it. */
const renewedAfterMs = 1_000;

/** Renews what is used often. A lease that has ended is left to the next event. Never rejects. */
export async function renewLeaseAhead(programId: string): Promise<void> {
  const lease = leases.get(programId);
  if (!lease || lease.isRenewed || !isValid(lease) || monotonicMs() - lease.begunMs < renewedAfterMs) return;
  lease.isRenewed = true;
  const begun = beginning();
  try {
    const read = hasControls(await lease.controls) ? readWithTimeZone : readRulebook;
    const controls = Promise.resolve(await read(programId));
    // Else it was given up meanwhile, because it is out of date.
    if (leases.get(programId) === lease) leases.set(programId, { ...begun, controls });
  } catch (error) {
    log.info("The lease of the Program's controls was not renewed ahead.", { programId, error });
  }
}

export function toProgramControls(
  stored: ProgramRulebook | undefined,
  program: Program | undefined,
): ProgramControls {
  return { ...(stored ?? noProgramControls), timeZone: program?.settings.timeZone ?? "Etc/UTC" };
}

/** What is kept, while its lease lasts. */
export function heldProgramControls(programId: string): Promise<ProgramControls> | undefined {
  const lease = leases.get(programId);
  return lease && isValid(lease) ? lease.controls : undefined;
}

/** What was read last, however old: a hint of what to read next. */
export function lastProgramControls(programId: string): Promise<ProgramControls> | undefined {
  return leases.get(programId)?.controls;
}

/** Keeps what `read` returns. It must be strongly consistent. */
export function leaseProgramControls(
  programId: string,
  read: () => Promise<ProgramControls>,
): Promise<ProgramControls> {
  const lease = { ...beginning(), controls: read() };
  leases.set(programId, lease);
  lease.controls.catch(() => {
    if (leases.get(programId) === lease) leases.delete(programId);
  });
  return lease.controls;
}

/** The next event reads the rulebook: it has changed. */
export function endLease(programId: string): void {
  leases.delete(programId);
}

function hasControls({ hasNarrower, controls }: ProgramRulebook): boolean {
  return hasNarrower || controls.length > 0;
}

/**
 * By both clocks: the monotonic one stops while Lambda has frozen the process, and the other one
 * may be set back.
 */
function isValid({ begunAt, begunMs }: Lease): boolean {
  const elapsedMs = now().getTime() - begunAt;
  return elapsedMs >= 0 && elapsedMs < leaseMs && monotonicMs() - begunMs < leaseMs;
}

/** Whether anything may be in force for a Card of the Program. No round trip in most calls. */
export async function mayHaveControls(programId: string): Promise<boolean> {
  const last = await lastProgramControls(programId);
  // What was in force may be so still: then the rulebook is read with all else.
  return (last && hasControls(last)) || hasControls(await readProgramControls(programId));
}

export interface ControlledCard extends CardIds {
  readonly programId: string;
}
