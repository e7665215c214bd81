import { accountAccessRoutes, accountCertificateRoutes } from "./account-access.ts";
import { accountProgramRoutes } from "./account-programs.ts";
import { accountTicketRoutes } from "./account-tickets.ts";
import { accountUpdateRoutes } from "./account-updates.ts";
import { accountNotificationRoutes } from "./alerts.ts";
import { authenticationRoutes, authenticationSandboxRoutes } from "./authentications.ts";
import { authorizationEndpointRoutes } from "./authorization-endpoint.ts";
import { authorizationRoutes } from "./authorizations.ts";
import { bulkRoutes } from "./bulk.ts";
import { cardDataRoutes } from "./card-data.ts";
import { cardholderRoutes } from "./cardholders.ts";
import { cardRoutes } from "./cards.ts";
import { connectionRoutes } from "./connections.ts";
import { controlRoutes } from "./controls.ts";
import { custodySandboxRoutes } from "./custody.ts";
import { disputeRoutes } from "./disputes.ts";
import { type ErrorCode, errorCatalogue } from "./errors.ts";
import { evidenceRoutes } from "./evidence.ts";
import { externalAccountRoutes, externalAccountSandboxRoutes } from "./external-accounts.ts";
import { fundingRoutes } from "./funding.ts";
import { ledgerRoutes } from "./ledger.ts";
import { otpRoutes, threeDsRoutes } from "./otp.ts";
import { payoutRoutes, payoutSandboxRoutes } from "./payouts.ts";
import { plasticRoutes } from "./plastics.ts";
import { pullRoutes, pullSandboxRoutes } from "./pulls.ts";
import { pushProvisioningRoutes, walletSandboxRoutes } from "./push-provisioning.ts";
import { reportRoutes } from "./reports.ts";
import { pathParameterNames, type Route } from "./route.ts";
import { sandboxNetworkRoutes, sandboxRoutes } from "./sandbox.ts";
import { sandboxStateRoutes } from "./sandbox-states.ts";
import { settlementRoutes, settlementSandboxRoutes } from "./settlements.ts";
import { simulationRoutes } from "./simulations.ts";
import { statementRoutes } from "./statements.ts";
import { tokenRoutes, tokenSandboxRoutes } from "./tokens.ts";
import { topUpRoutes } from "./top-ups.ts";
import { transactionRoutes } from "./transactions.ts";
import { depositRoutes, transferRoutes, walletRoutes } from "./wallets.ts";
import { webhookRoutes, webhookSandboxRoutes } from "./webhooks.ts";

/** Only these exist for Tenant-level keys, and only for them. */
export const accountRoutes = [
  ...accountProgramRoutes,
  ...connectionRoutes,
  ...accountAccessRoutes,
  ...accountNotificationRoutes,
  ...accountTicketRoutes,
];

/** Keeps the literal types of all declarations. */
const declaredRoutes = [
  ...cardholderRoutes,
  ...cardRoutes,
  ...cardDataRoutes,
  ...plasticRoutes,
  ...fundingRoutes,
  ...topUpRoutes,
  ...pushProvisioningRoutes,
  ...accountUpdateRoutes,
  ...bulkRoutes,
  ...transactionRoutes,
  ...authorizationRoutes,
  ...walletRoutes,
  ...transferRoutes,
  ...depositRoutes,
  ...payoutRoutes,
  ...pullRoutes,
  ...ledgerRoutes,
  ...reportRoutes,
  ...settlementRoutes,
  ...statementRoutes,
  ...controlRoutes,
  ...authorizationEndpointRoutes,
  ...simulationRoutes,
  ...disputeRoutes,
  ...evidenceRoutes,
  ...otpRoutes,
  ...authenticationRoutes,
  ...tokenRoutes,
  ...externalAccountRoutes,
  ...webhookRoutes,
  ...accountRoutes,
  ...accountCertificateRoutes,
  ...sandboxNetworkRoutes,
  ...custodySandboxRoutes,
  ...sandboxStateRoutes,
  ...walletSandboxRoutes,
  ...threeDsRoutes,
  ...authenticationSandboxRoutes,
  ...tokenSandboxRoutes,
  ...externalAccountSandboxRoutes,
  ...payoutSandboxRoutes,
  ...pullSandboxRoutes,
  ...sandboxRoutes,
  ...webhookSandboxRoutes,
  ...settlementSandboxRoutes,
];
export type DeclaredRoute = (typeof declaredRoutes)[number];

export const routes: readonly Route[] = declaredRoutes;

/** Such as `POST /wallets/transfer`. They have their own rate limit. */
export const fundsMoves: readonly string[] = routes
  .filter((route) => route.movesFunds)
  .map((route) => `${route.method} ${route.path}`);

/** Returns the declared errors, and those that follow from path, query, body and `movesFunds`. */
export function routeErrors(route: Route): ErrorCode[] {
  const implied: ErrorCode[] = pathParameterNames(route.path).length > 0 ? ["NOT_FOUND"] : [];
  if (route.body || route.lines) implied.push("MALFORMED_BODY", "VALIDATION_FAILED");
  else if (route.query || route.movesFunds) implied.push("VALIDATION_FAILED");
  if (route.body && "metadata" in route.body.shape) implied.push("EXTERNAL_ID_EXISTS");
  if (route.formats) implied.push("NOT_ACCEPTABLE", "VALIDATION_FAILED");
  if (route.movesFunds) implied.push("IDEMPOTENCY_MISMATCH", "IDEMPOTENCY_IN_PROGRESS");
  return [...new Set([...implied, ...route.errors])];
}

/** 200 comes first. */
export function routeStatuses(route: Route): number[] {
  const statuses = routeErrors(route).map((code) => errorCatalogue[code].status);
  return [200, ...new Set(statuses.toSorted((a, b) => a - b))];
}
