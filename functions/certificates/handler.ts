import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const certificates = () => import("./certificates.ts");

const api = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/account-access.ts")).accountCertificateRoutes, {
    "GET /account/certificates": async () => (await certificates()).listCertificates,
    "POST /account/certificates": async () => (await import("./issue.ts")).issueCertificate,
    "GET /account/certificates/{certificateId}": async () => (await certificates()).viewCertificate,
    "DELETE /account/certificates/{certificateId}": async () => (await certificates()).revokeCertificate,
  }),
);

/**
 * The one function that can sign with a CA's key: for the API, and by direct invocation with
 * `{command, input}`. Only API Gateway sets a request context, whatever its caller wrote.
 * @throws CommandRejected
 */
export function handler(event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult>;
export function handler(event: { readonly command: string }, context: Context): Promise<unknown>;
export async function handler(
  event: APIGatewayProxyEvent | { readonly command: string },
  context: Context,
): Promise<unknown> {
  if ("requestContext" in event) return api(event, context);
  const { administration } = await import("./administration.ts");
  return administration(event, context);
}
