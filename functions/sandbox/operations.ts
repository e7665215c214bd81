import type { sandboxRoutes } from "../../shared/contract/sandbox.ts";
import type { Operations } from "../../shared/http/request.ts";

/** The type of each of this function's operations, by its route. */
export type SandboxOperations = Operations<(typeof sandboxRoutes)[number]>;
