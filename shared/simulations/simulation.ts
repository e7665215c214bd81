import * as z from "zod";
import { ProgramSettings } from "../contract/account-programs.ts";
import type { SimulationView } from "../contract/simulations.ts";
import type { Control } from "../controls/control.ts";
import { timestamp, unixSeconds } from "../platform/clock.ts";
import { runsUntilAt } from "../platform/queue/steps.ts";
import { any, atMost, isNew } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { noEvents, SimulationResult } from "./result.ts";
import type { ProgramSide, SimulationScope } from "./simulate.ts";

const keptMs = 7 * 86_400_000;

/** A simulation in the background. */
const Simulation = z.object({
  programId: z.string(),
  simulationId: z.string(),
  /** As it was when the simulation began. */
  control: z.custom<Control>((control) => typeof control === "object" && control !== null),
  since: z.string(),
  until: z.string(),
  side: z.custom<ProgramSide>((side) => typeof side === "object" && side !== null),
  settings: ProgramSettings.pick({ partialApproval: true, feeSchedule: true }),
  /** How many messages it has taken. */
  step: z.int(),
  progressPercent: z.int(),
  /** Absent until it is done. */
  result: SimulationResult.optional(),
  /** Counts as running until then; each step extends it. */
  runsUntil: z.string(),
  expiresAtSeconds: z.int(),
});
export type Simulation = Readonly<z.output<typeof Simulation>>;

export const simulations = defineEntity({
  name: "simulation",
  schema: Simulation,
  key: (programId: string, simulationId: string) => ({
    pk: `${programId}#SIMULATION#${simulationId}`,
    sk: "SIMULATION",
  }),
});

/** One runs at a time for each Program. */
const CurrentSimulation = z.object({
  simulationId: z.string(),
  runsUntil: z.string(),
  expiresAtSeconds: z.int(),
});
const currentSimulations = defineEntity({
  name: "currentSimulation",
  schema: CurrentSimulation,
  key: (programId: string) => ({ pk: `${programId}#SIMULATION#`, sk: "CURRENT" }),
});

export function simulationPuts(
  simulationId: string,
  { since, until, ...scope }: SimulationScope,
  at: Date,
): { readonly simulation: Simulation; readonly writes: WriteAction[] } {
  const { programId } = scope;
  const runsUntil = runsUntilAt(at);
  const expiresAtSeconds = unixSeconds(new Date(at.getTime() + keptMs));
  const simulation: Simulation = {
    ...scope,
    simulationId,
    since: timestamp(since),
    until: timestamp(until),
    step: 0,
    progressPercent: 0,
    runsUntil,
    expiresAtSeconds,
  };
  const isFree = any<z.output<typeof CurrentSimulation>>(isNew, { runsUntil: atMost(timestamp(at)) });
  return {
    simulation,
    writes: [
      simulations.at(programId, simulationId).put(simulation),
      currentSimulations.at(programId).put({ simulationId, runsUntil, expiresAtSeconds }, isFree),
    ],
  };
}

/** False if it has already advanced further, or is done. With a result, it is. */
export async function advanceSimulation(
  { programId, simulationId, step }: Pick<Simulation, "programId" | "simulationId" | "step">,
  progress: Pick<Simulation, "progressPercent" | "result">,
  at: Date,
): Promise<boolean> {
  const runsUntil = progress.result ? timestamp(at) : runsUntilAt(at);
  const isNext = { step: atMost(step), result: undefined };
  const { committed } = await transact([
    simulations.at(programId, simulationId).update({ set: { ...progress, step, runsUntil } }, isNext),
    currentSimulations.at(programId).update({ set: { runsUntil } }, { simulationId }),
  ]);
  return committed;
}

export function toScope({ since, until, ...scope }: Simulation): SimulationScope {
  return { ...scope, since: new Date(since), until: new Date(until) };
}

export function toSimulationView(
  simulation: Pick<Simulation, "control" | "since" | "until"> & Partial<Simulation>,
  at: Date,
): SimulationView {
  const { simulationId, control, since, until, result, progressPercent = 0, runsUntil = "" } = simulation;
  const { events, declined, items } = result ?? noEvents;
  const status = runsUntil > timestamp(at) ? "running" : "failed";
  return {
    ...(simulationId !== undefined && { simulationId }),
    controlId: control.entityId,
    status: result ? "done" : status,
    start: since,
    end: until,
    progressPercent: result ? 100 : progressPercent,
    events,
    declined,
    items: items.toReversed(),
  };
}
