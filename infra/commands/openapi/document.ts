import type { z } from "zod";
import { CertificateReminder, WebhookDisabledNotice } from "../../../shared/contract/alerts.ts";
import { type ErrorCode, errorCatalogue } from "../../../shared/contract/errors.ts";
import {
  DepositData,
  DepositOriginal,
  HoldData,
  HoldOriginal,
  NotificationEnvelope,
  SettlementData,
  SettlementOriginal,
} from "../../../shared/contract/notifications.ts";
import { OtpCallback } from "../../../shared/contract/otp.ts";
import { idempotencyKey } from "../../../shared/contract/primitives.ts";
import type { Route } from "../../../shared/contract/route.ts";
import { routes } from "../../../shared/contract/routes.ts";
import { describeFields } from "./field-descriptions.ts";
import { operationOf, readRecordedRequests, tagOf } from "./operation.ts";
import { type Json, readSchemas, type Schemas } from "./schemas.ts";

const tagDescriptions: Readonly<Record<string, string>> = {
  cardholders: "People who hold Cards, and their KYC.",
  cards: "Virtual and physical Cards, their balances, transactions and fees.",
  wallets: "A Program's money, and its transfers.",
  otp: "One-time passcodes of 3-D Secure.",
  webhooks: "Webhook endpoints, notifications and their deliveries.",
  account: "A Tenant's own administration, by Tenant-level keys.",
  certificates: "Client certificates of a Tenant, by Tenant-level keys.",
  sandbox: "The emulated card network. Not in production.",
  notifications: "What the platform sends.",
};

/** The request id in all error examples. */
const requestId = "00000000-0000-4000-8000-000000000000";

/**
 * Describes the contract as OpenAPI 3.1, with recorded events as examples, and the webhooks. Throws
 * for a route without a recorded event, and for two operations with one id.
 */
export async function openApiDocument(version: string): Promise<Json> {
  const schemas = await readSchemas(routes.map(({ response }) => response));
  const recorded = readRecordedRequests();
  const responses: Json = {};
  const paths: Record<string, Json> = {};
  const operationIds = new Set<unknown>();
  for (const route of routes) {
    const requests = recorded.get(`${route.function} ${route.method} ${route.path}`);
    if (!requests) throw new Error(`${route.method} ${route.path} has no recorded event.`);
    const operation = operationOf(route, requests, { schemas, responses });
    if (operationIds.has(operation.operationId))
      throw new Error(`Two routes have the operation id ${operation.operationId}.`);
    operationIds.add(operation.operationId);
    const path = pathOf(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation };
  }
  const webhooks = webhooksOf(schemas);
  describeFields(schemas.components, paths);
  return {
    openapi: "3.1.1",
    info: {
      title: "Card issuing platform",
      version,
      description: introduction,
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [
      {
        url: "https://{host}/v2",
        description: "An environment; on a laptop the host is localhost:8443.",
        variables: { host: { default: "localhost:8443", description: "The environment's host." } },
      },
    ],
    security: [{ clientCertificate: [], apiKey: [] }],
    tags: tagsOf(),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        clientCertificate: {
          type: "mutualTLS",
          description: "A certificate whose O is the Tenant and whose OUs are its Programs.",
        },
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "A Program-level key, or a Tenant-level one for `/account`.",
        },
      },
      parameters: {
        "Idempotency-Key": {
          name: "Idempotency-Key",
          in: "header",
          required: false,
          description: "The same key with the same body gets the first answer again, for 24 hours.",
          schema: schemas.of(idempotencyKey, "input"),
        },
      },
      headers,
      responses: sorted(responses),
      examples: Object.fromEntries(
        (Object.keys(errorCatalogue) as ErrorCode[]).map((code) => [code, { value: errorBody(code) }]),
      ),
      schemas: { ...sorted(schemas.components), Error: errorSchema },
    },
  };
}

function pathOf({ api, path }: Route): string {
  return api === "sandbox" ? `/sandbox${path}` : path;
}

function tagsOf(): Json[] {
  const names = [...new Set([...routes.map(tagOf), "notifications"])];
  return names.map((name) => {
    const description = tagDescriptions[name];
    if (description === undefined) throw new Error(`The tag ${name} has no description.`);
    return { name, description };
  });
}

const introduction = [
  "JSON over mutual TLS. Amounts are integers of minor units, times ISO 8601 in UTC, identifiers prefixed and ordered by creation.",
  "Unknown request fields are ignored, and answers may grow: pass over what you do not know.",
  "Every answer has an `X-Request-Id`. 400 is for what is malformed or of a wrong type, 422 for a wrong value; both list every fault.",
  "Every write that moves money takes an `Idempotency-Key`.",
].join("\n\n");

const headers = {
  "X-Request-Id": { description: "Names the request in the platform's logs.", schema: { type: "string" } },
  Deprecation: {
    description: "Since when the endpoint is deprecated (RFC 9745).",
    schema: { type: "string" },
  },
  Link: { description: "Where the deprecation is explained.", schema: { type: "string" } },
};

const errorSchema = {
  type: "object",
  properties: {
    status: { const: "error" },
    code: { type: "string", enum: Object.keys(errorCatalogue) },
    message: { type: "string" },
    requestId: { type: "string" },
    errors: {
      type: "array",
      description: "Every fault of the request; only with 400 and 422.",
      items: {
        type: "object",
        properties: {
          path: { type: "string", description: "Where: `body.amount`, `query.limit`." },
          code: { type: "string" },
          message: { type: "string" },
        },
        required: ["path", "code", "message"],
      },
    },
  },
  required: ["status", "code", "message", "requestId"],
};

function errorBody(code: ErrorCode): Json {
  const { status, message } = errorCatalogue[code];
  const listed = status === 400 || status === 422;
  const fault = { path: "body.amount", code: "too_small", message: "Too small: expected number to be >=1" };
  return { status: "error", code, message, requestId, ...(listed && { errors: [fault] }) };
}

function sorted(components: Json): Json {
  return Object.fromEntries(
    Object.entries(components).toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );
}

/** Describes the webhooks to a Program's and a Tenant's receivers, signed by Standard Webhooks. */
function webhooksOf(schemas: Schemas): Json {
  const layers = (data: z.ZodType, original: z.ZodType): Json => {
    const inside = json("OriginalDataFromSp", schemas.of(original, "output"));
    const spData = { allOf: [schemas.of(data, "output"), inside] };
    return { allOf: [schemas.of(NotificationEnvelope, "output"), json("SpData", spData)] };
  };
  return {
    hold: receiver("Money is held on a Card", layers(HoldData, HoldOriginal)),
    settlement: receiver("A transaction is settled on a Card", layers(SettlementData, SettlementOriginal)),
    deposit: receiver(
      "A deposit on a Card is pending, cleared or returned",
      layers(DepositData, DepositOriginal),
    ),
    oneTimePasscode: receiver("A one-time passcode can be fetched", schemas.of(OtpCallback, "output")),
    certificateReminder: receiver("A certificate ends soon", schemas.of(CertificateReminder, "output")),
    webhookDisabled: receiver("A webhook endpoint is off", schemas.of(WebhookDisabledNotice, "output")),
  };
}

/** A string field that contains JSON. */
function json(field: string, contentSchema: Json): Json {
  const schema = { type: "string", contentMediaType: "application/json", contentSchema };
  return { type: "object", properties: { [field]: schema } };
}

function receiver(summary: string, schema: Json): Json {
  const header = (name: string, description: string) => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  });
  return {
    post: {
      operationId: `receive${summary.replace(/(?:^|[ -])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
      summary,
      tags: ["notifications"],
      security: [],
      parameters: [
        header("webhook-id", "The same on every delivery of the same notification."),
        header("webhook-timestamp", "When this delivery was sent, Unix seconds."),
        header(
          "webhook-signature",
          "`v1,` and the Base64 HMAC-SHA256 of id, timestamp and body; one for each valid secret.",
        ),
      ],
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: {
        "2XX": { description: "Received." },
        410: { description: "The receiver wants no more: the endpoint is switched off." },
        default: { description: "Sent again later." },
      },
    },
  };
}
