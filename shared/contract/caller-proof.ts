import * as z from "zod";

/**
 * How a command of platform administration says who gives it: with the signature of a `GetCallerIdentity` request to STS, which
 * the command's function sends in the caller's place. Everything of the request but the signature is fixed here, so that it can
 * ask for nothing else and go nowhere else; one signed header binds it to the environment, the command and its input.
 */
export const CallerProof = z.strictObject({
  authorization: z.string().max(1_024),
  /** `20261122T080000Z` */
  date: z.string().regex(/^\d{8}T\d{6}Z$/),
  securityToken: z.string().max(8_192).optional(),
});
export type CallerProof = z.output<typeof CallerProof>;

/** What is signed for. */
export interface GivenCommand {
  readonly environment: string;
  readonly command: string;
  readonly input: unknown;
}

/** In lower-case hex. */
type Hash = (text: string) => string;

const body = "Action=GetCallerIdentity&Version=2011-06-15";
const bindingHeader = "x-card-issuing-command";

/** The request, as far as it is not the caller's: what is signed, and what is sent. */
export function identityRequest(host: string, given: GivenCommand, sha256: Hash) {
  return {
    method: "POST",
    path: "/",
    body,
    headers: {
      "content-type": "application/x-www-form-urlencoded; charset=utf-8",
      host,
      "x-amz-content-sha256": sha256(body),
      [bindingHeader]: `${given.environment}:${digestOf(given, sha256)}`,
    },
  };
}

/** Exactly these headers have to be signed: one that is left out could be anything. */
export function signedHeaders(hasToken: boolean): string {
  const token = hasToken ? ["x-amz-security-token"] : [];
  return ["content-type", "host", "x-amz-content-sha256", "x-amz-date", ...token, bindingHeader].join(";");
}

/** The endpoint of a region: never the global one, whose signatures would hold in any region. */
export function identityEndpoint(region: string, override: string | undefined): URL {
  return new URL(override ?? `https://sts.${region}.amazonaws.com`);
}

/** Hashes the input as it arrives: without what JSON cannot carry. */
function digestOf({ command, input }: GivenCommand, sha256: Hash): string {
  return sha256(JSON.stringify(JSON.parse(JSON.stringify({ command, input }))));
}
