import { type ErrorCode, errorCatalogue } from "../../../shared/contract/errors.ts";
import type { Route } from "../../../shared/contract/route.ts";
import { routeErrors, routes } from "../../../shared/contract/routes.ts";
import { accountCases } from "./account-cases.ts";
import { authenticationCases } from "./authentication-cases.ts";
import { authorizationCases } from "./authorization-cases.ts";
import { authorizationEndpointCases } from "./authorization-endpoint-cases.ts";
import { bulkCases } from "./bulk-cases.ts";
import { cardCases } from "./card-cases.ts";
import { cardDataCases } from "./card-data-cases.ts";
import { cardholderCases } from "./cardholder-cases.ts";
import { type Case, type CaseRequest, type EndpointCases, type Preparation, unknownId } from "./case.ts";
import { certificateCases } from "./certificate-cases.ts";
import { controlCases } from "./control-cases.ts";
import { disputeCases } from "./dispute-cases.ts";
import { externalAccountCases } from "./external-account-cases.ts";
import { fundingCases } from "./funding-cases.ts";
import { ledgerCases } from "./ledger-cases.ts";
import { networkCases } from "./network-cases.ts";
import { otpCases, threeDsCases } from "./otp-cases.ts";
import { payoutCases } from "./payout-cases.ts";
import { plasticCases } from "./plastic-cases.ts";
import { pullCases } from "./pull-cases.ts";
import { reportCases } from "./report-cases.ts";
import { sandboxCases } from "./sandbox-cases.ts";
import { settlementCases } from "./settlement-cases.ts";
import { statementCases } from "./statement-cases.ts";
import { tokenCases } from "./token-cases.ts";
import { topUpCases } from "./top-up-cases.ts";
import { walletCases } from "./wallet-cases.ts";
import { webhookCases } from "./webhook-cases.ts";

const endpoints = [
  ...cardholderCases,
  ...cardCases,
  ...cardDataCases,
  ...plasticCases,
  ...fundingCases,
  ...topUpCases,
  ...bulkCases,
  ...statementCases,
  ...settlementCases,
  ...walletCases,
  ...payoutCases,
  ...pullCases,
  ...ledgerCases,
  ...reportCases,
  ...controlCases,
  ...authorizationCases,
  ...authorizationEndpointCases,
  ...disputeCases,
  ...otpCases,
  ...authenticationCases,
  ...tokenCases,
  ...externalAccountCases,
  ...webhookCases,
  ...sandboxCases,
  ...networkCases,
  ...threeDsCases,
  ...accountCases,
  ...certificateCases,
];

/** Every answer that the contract says an endpoint can give. */
export function contractCases(): Case[] {
  return routes.flatMap((route) => {
    const key = `${route.method} ${route.path}`;
    const endpoint = endpoints.find((one) => one.route === key);
    return (["OK", ...routeErrors(route)] as const).map((code) => ({
      route,
      code,
      status: code === "OK" ? 200 : errorCatalogue[code].status,
      prepare: preparation(route, endpoint, code) ?? unknownWay(`${key} answers ${code}`),
      manualIssuance: endpoint?.manualIssuance ?? false,
    }));
  });
}

function preparation(
  route: Route,
  endpoint: EndpointCases | undefined,
  code: Case["code"],
): Preparation | undefined {
  if (!endpoint || code === "OK") return endpoint?.success;
  return endpoint.refusals?.[code] ?? implied(route, endpoint, code);
}

/** An answer without a preparation fails alone, not the whole file. */
function unknownWay(what: string): Preparation {
  return async () => {
    throw new Error(`test/harness/cases does not tell how ${what}.`);
  };
}

/** The refusals that follow from the request that succeeds. */
function implied(route: Route, { success }: EndpointCases, code: ErrorCode): Preparation | undefined {
  switch (code) {
    case "MALFORMED_BODY":
      return async (program) => {
        const request = await success(program);
        // Of lines, a bad one fails alone.
        if (route.lines) return { ...request, headers: { "Content-Type": "application/json" } };
        return { ...request, body: '{"amount": ' };
      };
    case "VALIDATION_FAILED":
      return async (program) => invalid(route, await success(program));
    case "NOT_FOUND":
      return async (program) => unknown(await success(program));
    case "IDEMPOTENCY_MISMATCH":
      return async (program) => {
        const key = { headers: { "Idempotency-Key": "first-request" } };
        await program.call(`${route.method} ${route.path}`, { ...(await success(program)), ...key });
        return { ...(await success(program)), ...key };
      };
    case "IDEMPOTENCY_IN_PROGRESS":
      return async (program) => ({
        ...(await success(program)),
        headers: { "Idempotency-Key": "request-in-flight" },
      });
    default:
      return undefined;
  }
}

/** Every part has wrong values: query, missing fields, too long a key. */
function invalid(route: Route, request: CaseRequest): CaseRequest {
  return {
    ...request,
    ...(route.query && { query: { ...request.query, limit: "0", offset: "-1" } }),
    // Where each field may be left out, the body without any is a right one.
    ...(route.body && { body: "metadata" in route.body.shape ? { externalId: "" } : {} }),
    ...(route.lines && { body: "\n" }),
    ...(route.movesFunds && { headers: { "Idempotency-Key": "k".repeat(256) } }),
  };
}

function unknown(request: CaseRequest): CaseRequest {
  const path = Object.entries(request.path ?? {}).map(([name, id]) => [name, unknownId(id.slice(0, 3))]);
  return { ...request, path: Object.fromEntries(path) };
}
