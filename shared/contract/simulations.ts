import * as z from "zod";
import { amount, id, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";

/** How far back a simulation can begin. */
export const maximumSimulatedDays = 90;

/** Unknown fields are rejected with 422. */
export const SimulationCreate = z.strictObject({
  /** It begins so many times 24 hours before the request. */
  days: z.int().min(1).max(maximumSimulatedDays),
});

const SimulatedDecline = z.object({
  transId: id("transaction"),
  /** The amount that the network requested, in minor units. */
  amount,
  dateCreated: timestamp,
});

export const SimulationView = z.object({
  /** Absent if the simulation ended within its request. */
  simulationId: id("simulation").optional(),
  controlId: id("control"),
  /** One without progress for an hour is `failed`: repeat it. */
  status: z.enum(["running", "done", "failed"]),
  /** The first moment that is simulated. */
  start: timestamp,
  /** The first one after the simulated time. */
  end: timestamp,
  /** While it runs, from 0 to 100. */
  progressPercent: z.int(),
  /** How many events of the network came, on Cards that the control applies to. */
  events: z.int(),
  /** What the control would have declined. */
  declined: z.object({ count: z.int(), amount }),
  /** The newest 100 of them, newest first. */
  items: z.array(SimulatedDecline),
});
export type SimulationView = z.output<typeof SimulationView>;

const route = routesWith({ api: "platform", function: "controls" });

export const simulationRoutes = [
  route(
    "POST /controls/{controlId}/simulate",
    "write simulateControl",
    "Simulate a spend control on past events",
    { body: SimulationCreate, data: SimulationView, errors: ["SIMULATION_IN_PROGRESS"] },
  ),
  route("GET /simulations/{simulationId}", "read viewSimulation", "View a simulation's progress and result", {
    data: SimulationView,
  }),
] as const;
