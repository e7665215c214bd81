import { type ErrorCode, errorCatalogue } from "../../../shared/contract/errors.ts";
import { idempotencyKey } from "../../../shared/contract/primitives.ts";
import type { Route } from "../../../shared/contract/route.ts";
import { routes } from "../../../shared/contract/routes.ts";
import { recordedFolder } from "../../harness/cases/recorded-folder.ts";
import { describeFields, type Recorded } from "./describe-fields.ts";
import { readAnswers, readRecordedRequests } from "./examples.ts";
import { operationOf } from "./operation.ts";
import { type Json, readSchemas, type Schemas } from "./schemas.ts";
import { webhooksOf } from "./webhooks.ts";

const tagDescriptions: Readonly<Record<string, string>> = {
  cardholders: "People who hold Cards, and their KYC.",
  cards: "Virtual and physical Cards, their balances, transactions and fees.",
  bulk: "Many Cardholders or Cards by one file of JSON lines.",
  reports: "What a Program has, in files of a span, made once or on a schedule; volumes of a span.",
  vault: "The key for which devices encrypt PINs.",
  wallets: "A Program's money, and its transfers.",
  ledger: "The Program's books, by account.",
  otp: "One-time passcodes of 3-D Secure.",
  statements: "Statements of Cards and Wallets, by month.",
  authentications: "3-D Secure: purchases that were authenticated before they are authorized.",
  "authentication-rules": "The rules that decide authentications.",
  controls: "Spend controls: limits and merchants of the Program, a Cardholder or a Card.",
  tokens: "Digital wallet tokens of Cards: who may have one, what pays with them, and their rules.",
  "external-accounts": "Bank accounts of the Program's customers, to pay to and pull from.",
  pulls: "Pulls from bank accounts into Wallets, by files.",
  payouts: "Payouts from Wallets to bank accounts, by files.",
  disputes: "Disputes of transactions, from the draft to the decision of the network.",
  authorizations: "Who decided on an authorization, and when.",
  "authorization-endpoint": "The Program's own server, which decides on authorizations.",
  webhooks: "Webhook endpoints, notifications and their deliveries.",
  settlements: "A day's settlement, compared with the ledger and with what webhooks delivered.",
  account: "A Tenant's own administration, with Tenant-level keys.",
  certificates: "A Tenant's client certificates, with Tenant-level keys.",
  sandbox: "The emulated card network. Not in production.",
  notifications: "Messages that the platform sends.",
};

const answers = readAnswers();
const requestId = "00000000-0000-4000-8000-000000000000";

/** The version of the API's specification, apart from those of the packages. */
const version = "1.0.1";

/**
 * OpenAPI 3.1. Throws for a route without a recorded event or answer, and for two operations with
 * one id.
 */
export async function openApiDocument(): Promise<Json> {
  const schemas = await readSchemas(routes.map(({ response }) => response));
  const responses: Json = {};
  const paths = describePaths(schemas, responses);
  const webhooks = webhooksOf(schemas);
  describeFields(schemas.components, { paths, webhooks }, recordedBodies(paths, webhooks));
  return {
    openapi: "3.1.1",
    info: {
      title: "Card issuing platform",
      version,
      description: introduction,
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
      contact: { name: "Those who run the environment, by a ticket: POST /account/tickets" },
    },
    servers: [
      {
        url: "https://{host}/v2",
        description: "An environment. On your machine the host is localhost:8443.",
        variables: { host: { default: "localhost:8443" } },
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
            "For 24 hours, a request with the same key and body returns the first answer and has no further effect. An answer with a secret is not kept: then it is 409 `ALREADY_CREATED`.",
          schema: schemas.of(idempotencyKey, "input"),
        },
      },
      headers,
      responses: sorted(responses),
      examples: Object.fromEntries(
        answeredCodes(responses).map((code) => [code, { value: answers.errors[code] ?? errorBody(code) }]),
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
    if (!requests)
      throw new Error(
        `${route.method} ${route.path} has no recorded event: npm run record -- ${recordedFolder(route)}`,
      );
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
  const names = [...new Set([...routes.map((route) => route.function), "notifications"])];
  return names.map((name) => {
    const description = tagDescriptions[name];
    if (description === undefined) throw new Error(`The tag ${name} has no description.`);
    return { name, description };
  });
}

const introduction = [
  "The API uses JSON over mutual TLS. Amounts are integers in minor units, times are ISO 8601 in UTC, and identifiers sort by creation.",
  "Unknown fields of a body are ignored, unless its description says that they are rejected. Unknown query parameters are always rejected. A `PUT` takes what `GET` gave: fields that it only shows are accepted as they are shown, and 422 by name if they were changed. New response fields may be added at any time: ignore fields that you do not know.",
  "Every answer has an `X-Request-Id`. 400 means bytes that are not UTF-8, malformed JSON or a wrong type, 422 a wrong value. Both list all faults, of more than 50 the first ones.",
  "All endpoints that move money or create something accept an `Idempotency-Key`. Every other POST rejects it.",
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
    status: { const: "error", description: "Always `error`." },
    code: {
      type: "string",
      enum: Object.keys(errorCatalogue),
      examples: ["NOT_FOUND"],
      description: "The error, as in the [catalogue](errors.md).",
    },
    message: {
      type: "string",
      description: "The error in words, for people.",
      examples: [errorCatalogue.NOT_FOUND.message],
    },
    requestId: {
      type: "string",
      description: "Identifies the request, as in `X-Request-Id`.",
      examples: [requestId],
    },
    existingId: {
      type: "string",
      description:
        "With `EXTERNAL_ID_EXISTS`: the record that has the `externalId`. With `ACCOUNT_EXISTS`: the external account.",
      examples: ["crd_01J9ZC3P2V8Q4N6T0B5W7XKD1M"],
    },
    attemptsLeft: {
      type: "integer",
      description:
        "With `AMOUNTS_WRONG`: how often other amounts can be told. With 0, the verification has failed.",
      examples: [4],
    },
    errors: {
      type: "array",
      description:
        "All faults of the request: with 400, 415 and 422. With `LOCKED_FIELDS`, those fields. With `ALREADY_CREATED`, what was created.",
      items: {
        type: "object",
        properties: {
          path: {
            type: "string",
            description: "The place in the request: `body.amount`, `query.limit`.",
            examples: ["body.amount"],
          },
          code: { type: "string", description: "The fault, for programs.", examples: ["too_small"] },
          message: {
            type: "string",
            description: "The fault in words.",
            examples: ["must be at least 1"],
          },
        },
        required: ["path", "code", "message"],
      },
    },
  },
  required: ["status", "code", "message", "requestId"],
};

/** The codes of the operations' responses. */
function answeredCodes(responses: Json): ErrorCode[] {
  const codes = new Set(Object.keys(responses).flatMap((name) => name.split(".")));
  return (Object.keys(errorCatalogue) as ErrorCode[]).filter((code) => codes.has(code));
}

function errorBody(code: ErrorCode): Json {
  const { status, message } = errorCatalogue[code];
  const listed = status === 400 || status === 422;
  const fault = { path: "body.amount", code: "too_small", message: "must be at least 1" };
  return { status: "error", code, message, requestId, ...(listed && { errors: [fault] }) };
}

function sorted(components: Json): Json {
  return Object.fromEntries(
    Object.entries(components).toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );
}

/** Requests, answers and notifications, each with its schema. */
function recordedBodies(...places: readonly Record<string, Json>[]): Recorded[] {
  const operations = places
    .flatMap((all) => Object.values(all))
    .flatMap((one) => Object.values(one) as Json[]);
  interface Content {
    readonly content?: {
      "application/json"?: { schema: Json; examples?: { recorded?: { value: unknown } } };
    };
  }
  const contents = operations.flatMap(({ requestBody, responses }) => [
    requestBody as Content | undefined,
    (responses as Record<string, Content>)[200],
  ]);
  return contents.flatMap((one) => {
    const { schema, examples } = one?.content?.["application/json"] ?? {};
    return schema && examples?.recorded ? [[schema, examples.recorded.value] as const] : [];
  });
}
