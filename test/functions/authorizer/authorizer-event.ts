import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { handler } from "../../../functions/authorizer/handler.ts";

export interface Call {
  readonly certificatePem?: string | undefined;
  readonly ip: string;
  /** Each as it stood in the request: the same name may come twice, in any case. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly query?: Record<string, string>;
}

/** The answer to a call, as a client will see it through the gateway. */
export type Verdict =
  | {
      readonly status: 200;
      readonly context: Record<string, unknown>;
      readonly resource: unknown;
      readonly usageKey: unknown;
    }
  | { readonly status: 403; readonly code: unknown; readonly message: unknown }
  | { readonly status: 401 }
  | { readonly status: 503 };

/** Asks the authorizer as API Gateway does, and reads its answer as API Gateway does. */
export async function call(request: Call): Promise<Verdict> {
  const event = JSON.parse(JSON.stringify(authorizerEvent(request))) as APIGatewayRequestAuthorizerEvent;
  let result: APIGatewayAuthorizerResult;
  try {
    result = await handler(event);
  } catch (error) {
    if (error instanceof Error && error.message === "Unauthorized") return { status: 401 };
    if (error instanceof Error && error.message === "Unavailable") return { status: 503 };
    throw error;
  }
  const { principalId, policyDocument, usageIdentifierKey } = result;
  const context = result.context ?? {};
  const [statement, ...others] = policyDocument.Statement as StatementOfOne[];
  if (!statement || others.length > 0 || !isPolicy(policyDocument.Version, statement) || !principalId) {
    throw new Error("API Gateway takes a policy and whom it is for.");
  }
  for (const value of Object.values(context)) {
    if (typeof value !== "string") throw new Error("API Gateway carries strings alone.");
  }
  if (statement.Effect === "Allow") {
    return { status: 200, context, resource: statement.Resource, usageKey: usageIdentifierKey };
  }
  return { status: 403, code: context.code, message: context.message };
}

interface StatementOfOne {
  readonly Action: string;
  readonly Effect: string;
  readonly Resource: string;
}

/** Anything else API Gateway would answer with 500, or pass over as a policy of nothing. */
function isPolicy(version: string, { Action, Effect }: StatementOfOne): boolean {
  return (
    version === "2012-10-17" && Action === "execute-api:Invoke" && (Effect === "Allow" || Effect === "Deny")
  );
}

/** The event of a REQUEST authorizer behind a custom domain with mutual TLS. */
function authorizerEvent({
  certificatePem,
  ip,
  headers = [],
  query,
}: Call): APIGatewayRequestAuthorizerEvent {
  const names = [...new Set(headers.map(([name]) => name))];
  const valuesOf = (name: string) => headers.filter((header) => header[0] === name).map(([, value]) => value);
  return {
    type: "REQUEST",
    methodArn: "arn:aws:execute-api:eu-west-1:000000000000:abcdef1234/live/GET/cards/crd_*",
    resource: "/cards/{cardId}",
    path: "/v2/cards/crd_*",
    httpMethod: "GET",
    headers: Object.fromEntries(names.map((name) => [name, valuesOf(name).at(-1) ?? ""])),
    multiValueHeaders: Object.fromEntries(names.map((name) => [name, valuesOf(name)])),
    pathParameters: { cardId: "crd_*" },
    queryStringParameters: query ?? null,
    multiValueQueryStringParameters: null,
    stageVariables: null,
    requestContext: {
      accountId: "000000000000",
      apiId: "abcdef1234",
      authorizer: null,
      httpMethod: "GET",
      path: "/v2/cards/crd_*",
      protocol: "HTTP/1.1",
      requestId: "00000000-0000-4000-8000-000000000000",
      requestTimeEpoch: 1_795_161_600_000,
      resourceId: "abc123",
      resourcePath: "/cards/{cardId}",
      stage: "live",
      identity: {
        accessKey: null,
        accountId: null,
        apiKey: null,
        apiKeyId: null,
        caller: null,
        clientCert:
          certificatePem === undefined
            ? null
            : {
                clientCertPem: certificatePem,
                // The authorizer reads the PEM and ignores this.
                subjectDN: "O=tnt_00000000000000000000000000",
                issuerDN: "CN=Test CA",
                serialNumber: "01",
                validity: { notBefore: "", notAfter: "" },
              },
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: ip,
        user: null,
        userAgent: "test",
        userArn: null,
      },
    },
  } as unknown as APIGatewayRequestAuthorizerEvent;
}
