import { createHash } from "node:crypto";
import { STSClient } from "@aws-sdk/client-sts";
import {
  type CallerProof,
  type GivenCommand,
  identityEndpoint,
  identityRequest,
} from "../../shared/contract/caller-proof.ts";

/**
 * Signs a command with the caller's AWS credentials, so that the function can verify the caller.
 */
export async function signCommand(
  region: string,
  given: GivenCommand,
  sts = new STSClient({ region }),
): Promise<CallerProof> {
  const { host, hostname, protocol, port } = identityEndpoint(region, process.env.AWS_ENDPOINT_URL_STS);
  const signer = await sts.config.signer();
  const { headers } = await signer.sign({
    ...identityRequest(host, given, sha256),
    protocol,
    hostname,
    ...(port !== "" && { port: Number(port) }),
    query: {},
  });
  const { authorization = "", "x-amz-date": date = "", "x-amz-security-token": securityToken } = headers;
  return { authorization, date, ...(securityToken !== undefined && { securityToken }) };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
