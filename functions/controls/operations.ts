import type { authorizationEndpointRoutes } from "../../shared/contract/authorization-endpoint.ts";
import type { controlRoutes } from "../../shared/contract/controls.ts";
import type { simulationRoutes } from "../../shared/contract/simulations.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

export type ControlOperations = Operations<(typeof controlRoutes)[number]>;
export type EndpointOperations = Operations<(typeof authorizationEndpointRoutes)[number]>;
export type SimulationOperations = Operations<(typeof simulationRoutes)[number]>;
