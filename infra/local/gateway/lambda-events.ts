import type { ReceivedRequest } from "./request.ts";
import type { Method, PathNode, RestApi } from "./rest-api.ts";

export interface MatchedRoute {
  node: PathNode;
  method: Method;
  pathParameters: Record<string, string> | null;
}

export interface RoutedRequest {
  request: ReceivedRequest;
  api: RestApi;
  domainName: string;
  accountId: string;
  region: string;
  resourcePath: string;
  route: MatchedRoute | undefined;
}

/** Who calls neither through IAM nor through Cognito has these, without a value. */
const nobody = Object.fromEntries(
  [
    "cognitoIdentityPoolId accountId cognitoIdentityId caller principalOrgId accessKey userArn user apiKey",
    "cognitoAuthenticationType cognitoAuthenticationProvider apiKeyId",
  ].flatMap((names) => names.split(" ").map((name) => [name, null])),
);

/** Templates read it as `$context`. */
export function requestContext({
  request,
  api,
  domainName,
  accountId,
  route,
}: RoutedRequest): Record<string, unknown> {
  return {
    resourceId: route?.node.resourceId,
    resourcePath: route?.node.path,
    httpMethod: request.httpMethod,
    extendedRequestId: request.extendedRequestId,
    requestTime: logTime(request.timeMs),
    // Includes the custom domain's base path, like the event's own path.
    path: request.path,
    accountId,
    protocol: request.protocol,
    stage: api.stage,
    domainPrefix: domainName.split(".")[0],
    requestTimeEpoch: request.timeMs,
    requestId: request.requestId,
    identity: {
      ...nobody,
      sourceIp: request.sourceIp,
      userAgent: request.headers.findLast(([name]) => name.toLowerCase() === "user-agent")?.[1] ?? null,
      ...(request.clientCertificate && { clientCert: request.clientCertificate }),
    },
    domainName,
    deploymentId: api.deploymentId,
    apiId: api.id,
  };
}

export function methodArn({ request, api, accountId, region, resourcePath }: RoutedRequest): string {
  return `arn:aws:execute-api:${region}:${accountId}:${api.id}/${api.stage}/${request.httpMethod}${resourcePath}`;
}

/** Unlike the proxy event, empty parameter maps are not null. */
export function authorizerEvent(routed: RoutedRequest): Record<string, unknown> {
  const { queryStringParameters, multiValueQueryStringParameters, pathParameters, ...event } =
    commonEvent(routed);
  return {
    type: "REQUEST",
    methodArn: methodArn(routed),
    ...event,
    queryStringParameters: queryStringParameters ?? {},
    multiValueQueryStringParameters: multiValueQueryStringParameters ?? {},
    pathParameters: pathParameters ?? {},
    stageVariables: {},
    requestContext: requestContext(routed),
  };
}

export function proxyEvent(
  routed: RoutedRequest,
  authorizer: Record<string, unknown> | undefined,
): Record<string, unknown> {
  const context = requestContext(routed);
  return {
    ...commonEvent(routed),
    requestContext: authorizer === undefined ? context : { ...context, authorizer },
    ...toBody(routed),
  };
}

/** A binary media type has the bytes as they came. */
function toBody({ api, request: { body, bytes } }: RoutedRequest) {
  if (body === null || !api.isBinary) return { body, isBase64Encoded: false };
  return { body: bytes ?? Buffer.from(body).toString("base64"), isBase64Encoded: true };
}

function commonEvent({ request, route }: RoutedRequest) {
  const query = [...request.query];
  return {
    resource: route?.node.path ?? "",
    path: request.path,
    httpMethod: request.httpMethod,
    headers: Object.fromEntries(request.headers),
    multiValueHeaders: allValues(request.headers),
    queryStringParameters: query.length === 0 ? null : Object.fromEntries(query),
    multiValueQueryStringParameters: query.length === 0 ? null : allValues(query),
    pathParameters: route?.pathParameters ?? null,
    stageVariables: null,
  };
}

function allValues(pairs: [string, string][]): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
}

/** Such as `09/Apr/2015:12:34:56 +0000`. */
function logTime(timeMs: number): string {
  const [, day, month, year, time] = new Date(timeMs).toUTCString().split(" ");
  return `${day}/${month}/${year}:${time} +0000`;
}
