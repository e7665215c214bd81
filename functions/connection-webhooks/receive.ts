import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import type { Webhook } from "../../shared/adapters/processor-port.ts";
import { RefusedInputError } from "../../shared/adapters/refused-input-error.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { publicError, toErrorResponse } from "../../shared/platform/http/response.ts";
import { correlated, log } from "../../shared/platform/log.ts";
import { keepRefused } from "../../shared/platform/refused/refused-input.ts";
import type { Connection } from "../../shared/tenancy/connections/connection.ts";
import { findAccepting } from "../../shared/tenancy/connections/connection-change.ts";
import type { WebhookAnswer, WebhookReceiver } from "./standard-receiver.ts";

/** Far above any event of a connected party. */
export const maximumBodyBytes = 256 * 1024;

/** Verifies a webhook before it is read. What cannot be applied then is kept for the operator. */
export function receive(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const { requestId } = event.requestContext;
  const route = `${event.httpMethod} ${event.resource}`;
  return correlated({ requestId, route }, () => respond(event, requestId));
}

async function respond(event: APIGatewayProxyEvent, requestId: string): Promise<APIGatewayProxyResult> {
  try {
    if (event.resource.startsWith("/kyc/")) return await (await import("./local-page.ts")).servePage(event);
    const { status, body } = await answer(event);
    log.info("The webhook is answered.", { status });
    const headers = { "Content-Type": "application/json", "X-Request-Id": requestId };
    return { statusCode: status, headers, body: JSON.stringify(body) };
  } catch (error) {
    const shown = publicError(error);
    log.info("The webhook is answered.", { status: shown.status, code: shown.code });
    return toErrorResponse(shown, requestId);
  }
}

async function answer(event: APIGatewayProxyEvent): Promise<WebhookAnswer> {
  const { programId = "", connectionId = "" } = event.pathParameters ?? {};
  const connection = await findAccepting(programId, connectionId);
  if (!connection) throw new ApiError("NOT_FOUND");
  const webhook = toWebhook(event);
  const receiver = await importReceiver(connection);
  const { secret } = connection;
  if (secret === undefined || !receiver?.verify(webhook, secret)) return unsigned(event);
  try {
    return await receiver.apply(webhook, { programId, connection });
  } catch (error) {
    if (!(error instanceof RefusedInputError)) throw error;
    await keepRefused({ port: connection.port, reason: error.message, input: webhook.body, programId });
    if (error.answer) return error.answer;
    throw new ApiError(error.code, [{ path: "body", code: "refused", message: error.message }]);
  }
}

/** Not an error of the API's catalogue: its callers have keys. */
function unsigned({ requestContext: { requestId } }: APIGatewayProxyEvent): WebhookAnswer {
  const message = "The signature is missing, wrong or too old.";
  return { status: 401, body: { status: "error", code: "SIGNATURE_INVALID", message, requestId } };
}

/** @throws ApiError PAYLOAD_TOO_LARGE */
function toWebhook({ headers, body, isBase64Encoded }: APIGatewayProxyEvent): Webhook {
  const text = isBase64Encoded ? Buffer.from(body ?? "", "base64").toString() : (body ?? "");
  if (Buffer.byteLength(text) > maximumBodyBytes) throw new ApiError("PAYLOAD_TOO_LARGE");
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { headers: Object.fromEntries(named), body: text };
}

/** Imported with its first webhook. An adapter whose events come another way has none. */
async function importReceiver({ adapter }: Connection): Promise<WebhookReceiver | undefined> {
  switch (adapter) {
    case "marqeta":
      return (await import("./processor-webhook.ts")).marqetaReceiver;
    case "http":
      return (await import("./compliance-webhook.ts")).complianceReceiver;
    case "iso20022":
      return (await import("./bank-webhook.ts")).bankReceiver;
    case "deposits":
      return (await import("./custodian-webhook.ts")).custodianReceiver;
    default:
      return undefined;
  }
}
