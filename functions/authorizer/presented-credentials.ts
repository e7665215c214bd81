import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";

/** What came with a request; nothing of it is believed yet. */
export interface PresentedCredentials {
  /** The client certificate of the TLS connection. */
  readonly certificatePem: string | undefined;
  /** The connection's own address. A header such as `X-Forwarded-For` is the caller's text and counts for nothing. */
  readonly ip: string;
  /** The values of every `X-API-Key` header. */
  readonly apiKeys: readonly string[];
}

/** Takes the credentials out of the event: header names come as the caller wrote them, and more than once if it likes. */
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
