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
  account: "A Tenant's own administration, with Tenant-level keys.",
  certificates: "A Tenant's client certificates, with Tenant-level keys.",
  sandbox: "The emulated card network. Not in production.",
  notifications: "Messages that the platform sends.",
};

const requestId = "00000000-0000-4000-8000-000000000000";

/** OpenAPI 3.1. Throws for a route without a recorded event, and for two operations with one id. */
export async function openApiDocument(version: string): Promise<Json> {
  const schemas = await readSchemas(routes.map(({ response }) => response));
  const responses: Json = {};
  const paths = describePaths(schemas, responses);
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
        description: "An environment. On your machine the host is localhost:8443.",
        variables: { host: { default: "localhost:8443", description: "The environment's host." } },
      },
    ],
    security: [{ clientCertificate: [], apiKey: [] }],
    tags: tagsOf(),
    paths,
    webhooks,
    components: {
      securitySchemes,
      parameters: {
        "Idempotency-Key": {
          name: "Idempotency-Key",
          in: "header",
          required: false,
          description:
            "For 24 hours, a request with the same key and body returns the first answer and has no further effect.",
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

function describePaths(schemas: Schemas, responses: Json): Record<string, Json> {
  const recorded = readRecordedRequests();
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
  return paths;
}

const securitySchemes = {
  clientCertificate: {
    type: "mutualTLS",
    description: "A client certificate. O is the Tenant's id, each OU a Program's.",
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "A Program-level key; for `/account`, a Tenant-level key.",
  },
};

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
  "The API uses JSON over mutual TLS. Amounts are integers in minor units, times are ISO 8601 in UTC, and identifiers sort by creation.",
  "Unknown request fields are ignored. New response fields may be added at any time: ignore fields that you do not know.",
  "Every answer has an `X-Request-Id`. 400 means malformed JSON or a wrong type, 422 a wrong value. Both list all faults.",
  "All endpoints that move money accept an `Idempotency-Key`.",
].join("\n\n");

const headers = {
  "X-Request-Id": {
    description: "Identifies the request. Quote it in support tickets.",
    schema: { type: "string" },
  },
  Deprecation: {
    description: "When the endpoint was deprecated (RFC 9745).",
    schema: { type: "string" },
  },
  Link: { description: "Explains the deprecation.", schema: { type: "string" } },
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
      description: "All faults of the request. Only with 400 and 422.",
      items: {
        type: "object",
        properties: {
          path: { type: "string", description: "The place in the request: `body.amount`, `query.limit`." },
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

function webhooksOf(schemas: Schemas): Json {
  const layers = (data: z.ZodType, original: z.ZodType): Json => {
    const inside = json("OriginalDataFromSp", schemas.of(original, "output"));
    const spData = { allOf: [schemas.of(data, "output"), inside] };
    return { allOf: [schemas.of(NotificationEnvelope, "output"), json("SpData", spData)] };
  };
  return {
    hold: receiver("A hold was placed on a Card", layers(HoldData, HoldOriginal)),
    settlement: receiver("A transaction was settled on a Card", layers(SettlementData, SettlementOriginal)),
    deposit: receiver(
      "A deposit on a Card was received, cleared or returned",
      layers(DepositData, DepositOriginal),
    ),
    oneTimePasscode: receiver(
      "A one-time passcode is ready to be fetched",
      schemas.of(OtpCallback, "output"),
    ),
    certificateReminder: receiver(
      "A client certificate expires soon",
      schemas.of(CertificateReminder, "output"),
    ),
    webhookDisabled: receiver(
      "The platform disabled a webhook endpoint",
      schemas.of(WebhookDisabledNotice, "output"),
    ),
  };
}

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
        header("webhook-id", "Identifies the notification. The same for all of its deliveries."),
        header("webhook-timestamp", "When this delivery was sent, in Unix seconds."),
        header(
          "webhook-signature",
          "`v1,` and the Base64 HMAC-SHA256 of id, timestamp and body, once for each valid secret.",
        ),
      ],
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: {
        "2XX": { description: "Received." },
        410: { description: "The receiver is gone: the platform disables the endpoint." },
        default: { description: "Not received. The platform retries the delivery." },
      },
    },
  };
}
