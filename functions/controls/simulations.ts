import { controls } from "../../shared/controls/control.ts";
import { dayMs, now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { outboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { openScope, simulateAtOnce } from "../../shared/simulations/simulate.ts";
import { simulationPuts, simulations, toSimulationView } from "../../shared/simulations/simulation.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";

/** Changes nothing. What takes longer than a request goes on in the background. */
export const simulateControl: Operations["POST /controls/{controlId}/simulate"] = async ({
  scope: { programId },
  path: { controlId },
  body: { days },
}) => {
  const [control, program] = await Promise.all([
    controls.at(programId, controlId).require(),
    getProgram(programId),
  ]);
  const at = now();
  // With what was decided in this millisecond.
  const until = new Date(at.getTime() + 1);
  const since = new Date(until.getTime() - days * dayMs);
  const scope = await openScope(program, { control, since, until });
  const result = await simulateAtOnce(scope);
  if (result) {
    return toSimulationView({ control, since: timestamp(since), until: timestamp(until), result }, until);
  }
  const simulationId = newId("simulation");
  const { simulation, writes } = simulationPuts(simulationId, scope, at);
  const begun = outboxPut(programId, "control.simulated", { simulationId }, at);
  const outcome = await transact([...writes, begun]);
  if (!outcome.committed) throw new ApiError("SIMULATION_IN_PROGRESS");
  return toSimulationView(simulation, until);
};

export const viewSimulation: Operations["GET /simulations/{simulationId}"] = async ({
  scope: { programId },
  path: { simulationId },
}) => toSimulationView(await simulations.at(programId, simulationId).require(), now());
