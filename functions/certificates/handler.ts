import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { commandHandler } from "../../shared/administration/command-handler.ts";
import { apiHandler, endpoints } from "../../shared/http/api-handler.ts";

const api = apiHandler(
  endpoints(
    async () => (await import("../../shared/contract/account-certificates.ts")).accountCertificateRoutes,
    {
      "GET /account/certificates": async () => (await import("./list-certificates.ts")).listCertificates,
      "POST /account/certificates": async () => (await import("./issue-certificate.ts")).issueCertificate,
      "GET /account/certificates/{certificateId}": async () =>
        (await import("./view-certificate.ts")).viewCertificate,
      "DELETE /account/certificates/{certificateId}": async () =>
        (await import("./revoke-certificate.ts")).revokeCertificate,
    },
  ),
);

const administration = commandHandler(
  async () => (await import("../../shared/contract/authority.ts")).authorityCommands,
  {
    "issue-certificate": async () => (await import("./issue-for-tenant.ts")).issueForTenant,
    "list-authorities": async () => (await import("./authority-changes.ts")).listAuthorities,
    "trust-authority": async () => (await import("./authority-changes.ts")).trustAuthority,
    "issue-with-authority": async () => (await import("./authority-changes.ts")).issueWithAuthority,
    "remove-authority": async () => (await import("./authority-changes.ts")).removeAuthority,
    "view-truststore": async () => (await import("./authority-changes.ts")).viewTruststore,
  },
);

/**
 * The one function that can have a CA's key sign: for Tenants by the API, for platform administration by direct invocation with `{command, input}`. What
 * API Gateway sends has a request context, whatever its caller wrote.
 *
 * @throws CommandRefused
 */
export function handler(event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult>;
export function handler(event: { readonly command: string }, context: Context): Promise<unknown>;
export function handler(
  event: APIGatewayProxyEvent | { readonly command: string },
  context: Context,
): Promise<unknown> {
  return "requestContext" in event ? api(event, context) : administration(event, context);
}
