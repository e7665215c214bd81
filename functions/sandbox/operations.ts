import type { sandboxRoutes } from "../../shared/contract/sandbox.ts";
import type { sandboxNetworkRoutes } from "../../shared/contract/sandbox-network.ts";
import type { threeDsRoutes } from "../../shared/contract/three-ds.ts";
import type { webhookSandboxRoutes } from "../../shared/contract/webhooks.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

type SandboxRoute = (
  | typeof sandboxRoutes
  | typeof sandboxNetworkRoutes
  | typeof threeDsRoutes
  | typeof webhookSandboxRoutes
)[number];

export type SandboxOperations = Operations<SandboxRoute>;
