import type { controlRoutes } from "../../shared/contract/controls.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

export type ControlOperations = Operations<(typeof controlRoutes)[number]>;
