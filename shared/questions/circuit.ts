import * as z from "zod";
import { leaseMs } from "../controls/rulebooks.ts";
import { BoundedMap } from "../platform/bounded-map.ts";
import { now, timestamp, unixSeconds } from "../platform/clock.ts";
import { defineEntity } from "../platform/table/entity.ts";

const CircuitFailure = z.enum(["timeout", "connection_error"]);
export type CircuitFailure = z.output<typeof CircuitFailure>;

/** Exists while a receiver is known to be down. Written only on a change, and by each probe. */
const Circuit = z.object({
  url: z.string(),
  /** From then on, one question may probe. */
  openUntil: z.string(),
  /** The last failure before it opened. */
  failure: CircuitFailure,
  /** Long after the last probe: the endpoint may be deleted. */
  expiresAtSeconds: z.int(),
});
type Circuit = z.output<typeof Circuit>;

export const circuits = defineEntity({
  name: "circuit",
  schema: Circuit,
  key: (programId: string) => ({ pk: `${programId}#CONTROLS`, sk: "CIRCUIT" }),
});

/** A changed URL begins anew. */
export interface CircuitId {
  readonly programId: string;
  readonly url: string;
}

interface Known {
  /** When each failure since the last answer came. */
  failedAt: readonly number[];
  circuit: Promise<Circuit | undefined>;
  readAt: number;
}

/** Some hundred bytes each. One that is pushed out begins to count its failures anew. */
const known = new BoundedMap<string, Known>(2_000);

/** What is known is at most `leaseMs` old. */
export function knowCircuit({ programId, url }: CircuitId): Known {
  const one = known.getOrMake(`${programId} ${url}`, () => ({
    failedAt: [],
    circuit: Promise.resolve(undefined),
    readAt: Number.NEGATIVE_INFINITY,
  }));
  const age = now().getTime() - one.readAt;
  if (age < 0 || age >= leaseMs) keepCircuit(one, circuits.at(programId).get());
  return one;
}

function keepCircuit(one: Known, circuit: Promise<Circuit | undefined>): void {
  one.circuit = circuit;
  one.readAt = now().getTime();
  circuit.catch(() => {
    one.readAt = Number.NEGATIVE_INFINITY;
  });
}

/** It opens at so many failures in a row, if they came within this time. */
const failuresToOpen = 5;
const failuresWithinMs = 30_000;
const openMs = 5_000;
const keptMs = 86_400_000;

/** `openedBy` if the receiver must not be asked. Of those that come after `openUntil`, one is. */
export async function admitQuestion(id: CircuitId): Promise<{ readonly openedBy?: CircuitFailure }> {
  const one = knowCircuit(id);
  const circuit = await one.circuit;
  if (circuit?.url !== id.url) return {};
  if (isOpen(circuit)) return { openedBy: circuit.failure };
  const { openUntil, failure } = circuit;
  const claim = circuits.at(id.programId).updateNow({ set: openFor() }, { url: id.url, openUntil });
  const outcome = await claim;
  const stored = outcome.updated ? outcome.item : outcome.stored;
  keepCircuit(one, Promise.resolve(stored));
  return outcome.updated || !stored ? {} : { openedBy: failure };
}

/** A process whose clock was ahead may have opened it: it is over after the usual time. */
function isOpen({ openUntil }: { readonly openUntil: string }): boolean {
  const at = now();
  return openUntil > timestamp(at) && openUntil <= timestamp(new Date(at.getTime() + openMs));
}

function openFor() {
  const at = now().getTime();
  return {
    openUntil: timestamp(new Date(at + openMs)),
    expiresAtSeconds: unixSeconds(new Date(at + keptMs)),
  };
}

/** Closes the circuit. */
export async function recordAnswer(id: CircuitId): Promise<void> {
  const one = knowCircuit(id);
  one.failedAt = [];
  if (!(await one.circuit)) return;
  keepCircuit(one, Promise.resolve(undefined));
  await circuits.at(id.programId).deleteNow();
}

/** Opens it at the last of several in a row. A probe has set the next probe before it asked. */
export async function recordFailure(id: CircuitId, failure: CircuitFailure): Promise<void> {
  const one = knowCircuit(id);
  if ((await one.circuit)?.url === id.url) return;
  const at = now().getTime();
  one.failedAt = [...one.failedAt, at].slice(-failuresToOpen);
  const [first = at] = one.failedAt;
  if (one.failedAt.length < failuresToOpen || at - first > failuresWithinMs) return;
  one.failedAt = [];
  const opened = { url: id.url, failure, ...openFor() };
  // This process knows it at once, however long the write takes.
  keepCircuit(one, Promise.resolve(opened));
  await circuits.at(id.programId).updateNow({ set: opened });
}
