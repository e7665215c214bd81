import type { custodySandboxRoutes } from "../../shared/contract/custody.ts";
import type { threeDsRoutes } from "../../shared/contract/otp.ts";
import type { sandboxNetworkRoutes, sandboxRoutes } from "../../shared/contract/sandbox.ts";
import type { sandboxStateRoutes } from "../../shared/contract/sandbox-states.ts";
import type { settlementSandboxRoutes } from "../../shared/contract/settlements.ts";
import type { webhookSandboxRoutes } from "../../shared/contract/webhooks.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

type SandboxRoute = (
  | typeof sandboxRoutes
  | typeof sandboxNetworkRoutes
  | typeof custodySandboxRoutes
  | typeof sandboxStateRoutes
  | typeof threeDsRoutes
  | typeof webhookSandboxRoutes
  | typeof settlementSandboxRoutes
)[number];

export type SandboxOperations = Operations<SandboxRoute>;
