import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";

/** The credentials of a request, not yet verified. */
export interface PresentedCredentials {
  readonly certificatePem: string | undefined;
  /** The connection's own address. Headers such as `X-Forwarded-For` are the caller's text and ignored. */
  readonly ip: string;
  /** The values of every `X-API-Key` header. */
  readonly apiKeys: readonly string[];
}

/** Header names arrive as the caller wrote them, possibly several times. */
export function presentedCredentials(event: APIGatewayRequestAuthorizerEvent): PresentedCredentials {
  const { identity } = event.requestContext;
  return {
    certificatePem: identity.clientCert?.clientCertPem,
    ip: identity.sourceIp,
    apiKeys: apiKeysOf(event.multiValueHeaders) ?? apiKeysOf(event.headers) ?? [],
  };
}

type Headers = Partial<Record<string, string | string[]>>;

function apiKeysOf(headers: Headers | null): string[] | undefined {
  const named = Object.entries(headers ?? {}).filter(([name]) => name.toLowerCase() === "x-api-key");
  const values = named.flatMap(([, value]) => value ?? []);
  return values.length > 0 ? values : undefined;
}
