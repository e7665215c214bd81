import * as z from "zod";

/**
 * Identifies the sender of an administration command by a signed `GetCallerIdentity` request. Its
 * fixed form has no other effect; a signed header binds it to environment, command and input.
 */
export const CallerProof = z.strictObject({
  authorization: z.string().max(1_024),
  /** Such as `20261122T080000Z`. */
  date: z.string().regex(/^\d{8}T\d{6}Z$/),
  securityToken: z.string().max(8_192).optional(),
});
export type CallerProof = z.output<typeof CallerProof>;

export interface GivenCommand {
  readonly environment: string;
  readonly command: string;
  readonly input: unknown;
}

/** Returns lower-case hex. */
type Hash = (text: string) => string;

const body = "Action=GetCallerIdentity&Version=2011-06-15";
const bindingHeader = "x-card-issuing-command";

/** The fixed part of the request, for signing and for sending. */
export function identityRequest(host: string, given: GivenCommand, sha256: Hash) {
  return {
    method: "POST",
    path: "/",
    body,
    headers: {
      "content-type": "application/x-www-form-urlencoded; charset=utf-8",
      host,
      "x-amz-content-sha256": sha256(body),
      [bindingHeader]: `${given.environment}:${digestCommand(given, sha256)}`,
    },
  };
}

/** Exactly these headers must be signed: an unsigned one could have any value. */
export function signedHeaders(hasToken: boolean): string {
  const token = hasToken ? ["x-amz-security-token"] : [];
  return ["content-type", "host", "x-amz-content-sha256", "x-amz-date", ...token, bindingHeader].join(";");
}

/**
 * The region's endpoint, or the one that the SDK's variables name. Signatures for the global
 * endpoint are valid in every region.
 */
export function identityEndpoint(region: string, variables: EndpointVariables): URL {
  const { AWS_ENDPOINT_URL_STS: own, AWS_ENDPOINT_URL: all } = variables;
  return new URL(own || all || `https://sts.${region}.amazonaws.com`);
}

interface EndpointVariables {
  readonly AWS_ENDPOINT_URL_STS?: string | undefined;
  readonly AWS_ENDPOINT_URL?: string | undefined;
}

/** Hashes the input as JSON carries it. */
function digestCommand({ command, input }: GivenCommand, sha256: Hash): string {
  return sha256(JSON.stringify(JSON.parse(JSON.stringify({ command, input }))));
}
