import * as z from "zod";
import {
  type CallerProof,
  type GivenCommand,
  identityEndpoint,
  identityRequest,
  signedHeaders,
} from "../../contract/caller-proof.ts";
import { now } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { log } from "../../platform/log.ts";
import { sha256 } from "../../platform/sha256.ts";
import { CommandRejected } from "./command-rejected.ts";

/** Older signatures, and those from a clock further ahead, are invalid. */
const lifetimeMs = 300_000;
const timeoutMs = 5_000;

const Identity = z.object({
  GetCallerIdentityResponse: z.object({
    GetCallerIdentityResult: z.object({ Account: z.string(), Arn: z.string().startsWith("arn:") }),
  }),
});

/**
 * The signer's ARN, as STS says.
 * @param functionArn the function's own, which has the environment's region and account
 * @throws CommandRejected unless the signature is of exactly this command, here and now, by an
 * identity of this account
 */
export async function verifyCaller(given: GivenCommand, proof: CallerProof, functionArn: string) {
  const [, , , region = "", account] = functionArn.split(":");
  requireFresh(proof.date);
  requireScope(proof, region);
  const { Account, Arn } = await askSts(given, proof, region);
  if (Account === account) return Arn;
  throw new CommandRejected(`${Arn} is not of this environment's account.`);
}

function requireFresh(date: string): void {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const signedAtMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Math.abs(now().getTime() - signedAtMs) < lifetimeMs) return;
  throw new CommandRejected(
    "The command's signature is older than five minutes, or the clock is wrong: sign again.",
  );
}

const form =
  /^AWS4-HMAC-SHA256 Credential=[\w]{1,128}\/(\d{8})\/([a-z0-9-]+)\/sts\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=[0-9a-f]{64}$/;

function requireScope({ authorization, date, securityToken }: CallerProof, region: string): void {
  const [, day, signedRegion, headers] = form.exec(authorization) ?? [];
  const isScoped = day === date.slice(0, 8) && signedRegion === region;
  if (isScoped && headers === signedHeaders(securityToken !== undefined)) return;
  throw new CommandRejected("The command's signature does not cover the command.");
}

async function askSts(given: GivenCommand, proof: CallerProof, region: string) {
  const endpoint = identityEndpoint(region, environment.endpoints);
  const { method, path, body, headers } = identityRequest(endpoint.host, given, sha256);
  const response = await fetch(new URL(path, endpoint), {
    method,
    body,
    headers: {
      ...headers,
      accept: "application/json",
      authorization: proof.authorization,
      "x-amz-date": proof.date,
      ...(proof.securityToken !== undefined && { "x-amz-security-token": proof.securityToken }),
    },
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    log.warn("STS does not answer.", { error: error instanceof Error ? error.message : String(error) });
    throw new CommandRejected("STS did not identify the signer. Send the command again.");
  });
  if (!response.ok) throw new CommandRejected("STS does not accept the command's signature.");
  const answer = Identity.safeParse(await response.json().catch(() => undefined));
  if (!answer.success) throw new CommandRejected("STS did not identify the signer. Send the command again.");
  return answer.data.GetCallerIdentityResponse.GetCallerIdentityResult;
}
