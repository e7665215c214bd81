import { type ErrorCode, errorCatalogue } from "../../../shared/contract/errors.ts";
import type { Route } from "../../../shared/contract/route.ts";
import { routeErrors, routes } from "../../../shared/contract/routes.ts";
import { accountCases } from "./account-cases.ts";
import { authenticationCases } from "./authentication-cases.ts";
import { authorizationCases } from "./authorization-cases.ts";
import { bulkCases } from "./bulk-cases.ts";
import { cardCases } from "./card-cases.ts";
import { cardDataCases } from "./card-data-cases.ts";
import { cardholderCases } from "./cardholder-cases.ts";
import {
  again,
  and,
  blocked,
  type Case,
  type CaseRequest,
  type EndpointCases,
  externalIdTaken,
  type Preparation,
  type Refusal,
  toPreparation,
  unknownId,
} from "./case.ts";
import { certificateCases } from "./certificate-cases.ts";
import { controlCases } from "./control-cases.ts";
import { disputeCases } from "./dispute-cases.ts";
import { externalAccountCases } from "./external-account-cases.ts";
import { fundingCases } from "./funding-cases.ts";
import { networkCases } from "./network-cases.ts";
import { otpCases } from "./otp-cases.ts";
import { payoutCases } from "./payout-cases.ts";
import { plasticCases } from "./plastic-cases.ts";
import { pullCases } from "./pull-cases.ts";
import { reportCases } from "./report-cases.ts";
import { sandboxCases } from "./sandbox-cases.ts";
import { settlementCases } from "./settlement-cases.ts";
import { statementCases } from "./statement-cases.ts";
import { tokenCases } from "./token-cases.ts";
import { walletCases } from "./wallet-cases.ts";
import { webhookCases } from "./webhook-cases.ts";

const endpoints: EndpointCases = {
  ...cardholderCases,
  ...cardCases,
  ...cardDataCases,
  ...plasticCases,
  ...fundingCases,
  ...bulkCases,
  ...statementCases,
  ...settlementCases,
  ...walletCases,
  ...payoutCases,
  ...pullCases,
  ...reportCases,
  ...controlCases,
  ...authorizationCases,
  ...disputeCases,
  ...otpCases,
  ...authenticationCases,
  ...tokenCases,
  ...externalAccountCases,
  ...webhookCases,
  ...sandboxCases,
  ...networkCases,
  ...accountCases,
  ...certificateCases,
};

/** Its Program asks for manual approval of issuances. */
const manualIssuance = "POST /cards/{cardId}/approval";

/** Every answer that the contract says an endpoint can give. */
export function contractCases(): Case[] {
  return routes.flatMap((route) => {
    const key = `${route.method} ${route.path}` as const;
    return (["OK", ...routeErrors(route)] as const).map((code) => ({
      route,
      code,
      status: code === "OK" ? 200 : errorCatalogue[code].status,
      prepare: preparation(route, code) ?? unknownWay(`${key} answers ${code}`),
      manualIssuance: key === manualIssuance,
    }));
  });
}

function preparation(route: Route, code: Case["code"]): Preparation | undefined {
  const key = `${route.method} ${route.path}` as const;
  const endpoint = endpoints[key];
  if (!endpoint) return undefined;
  const [first, refusals = {}] = Array.isArray(endpoint) ? endpoint : [endpoint];
  const success = toPreparation(first);
  if (code === "OK") return success;
  const refusal = refusals[code] ?? implied(route, success, code);
  return typeof refusal === "function"
    ? (program) => refusal(program, { route: key, success })
    : refusal && toPreparation(refusal);
}

/** An answer without a preparation fails alone, not the whole file. */
function unknownWay(what: string): Preparation {
  return async () => {
    throw new Error(`test/harness/cases does not tell how ${what}.`);
  };
}

/** The refusals that follow from the request that succeeds. */
function implied(route: Route, success: Preparation, code: ErrorCode): Refusal | undefined {
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
      return and(success, { headers: { "Idempotency-Key": "request-in-flight" } });
    case "EXTERNAL_ID_EXISTS":
      return externalIdTaken();
    case "CARD_BLOCKED":
      return blocked();
    case "ILLEGAL_TRANSITION":
    case "ACCOUNT_EXISTS":
    case "KEY_USED":
    case "NONCE_USED":
      return again();
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
