import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { CertifiedKey } from "../../../infra/development/issue-certificate.ts";
import { type DnsServer, startDnsServer } from "../../../infra/local/dns.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { certificates } from "../../../shared/tenancy/certificates/certificate.ts";
import { readClientCertificate } from "../../../shared/tenancy/certificates/client-certificate.ts";
import { operate } from "../../harness/administration.ts";
import { givenAuthority, givenCertificate } from "../../harness/given-certificates.ts";
import { type GivenTenant, givenTenant } from "../../harness/given-tenant.ts";
import type { Call } from "./authorizer-event.ts";

/** The one address that the caller's Tenant has listed. */
export const ip = "192.0.2.1";

export const certificateRefused = {
  status: 403,
  code: "CERTIFICATE_NOT_AUTHORIZED",
  message: "The client certificate is not authorized.",
};
export const addressRefused = {
  status: 403,
  code: "IP_NOT_AUTHORIZED",
  message: "No Authorized IPs configured",
};
export const keyRefused = { status: 401 };

type Key = { readonly apiUserId: string; readonly apiKey: string };

/** A Tenant of two Programs with everything that it takes to get in. */
export interface GivenCaller {
  readonly dns: DnsServer;
  readonly authority: CertifiedKey;
  readonly tenant: GivenTenant;
  readonly certificatePem: string;
  readonly certificateId: string;
  /** Of the first Program. */
  readonly programKey: Key;
  readonly tenantKey: Key;
  /** A call with this key and the caller's certificate and address. */
  withKey(apiKey: string, options?: Partial<Call>): Call;
  stop(): Promise<void>;
}

export async function givenCaller(): Promise<GivenCaller> {
  const named = [ip, "192.0.2.2", "192.0.2.4"];
  const dns = await startDnsServer({
    names: Object.fromEntries(named.map((one) => [one, ["client.demo.test"]])),
    addresses: { "client.demo.test": named },
  });
  process.env.DNS_SERVERS = dns.address;
  const authority = await givenAuthority();
  const tenant = await givenTenant(2);
  const certificatePem = await givenCertificate(authority, tenant);
  const certificateId = await register(certificatePem);
  await operate("allow-ip", { tenantId: tenant.tenantId, cidr: `${ip}/32` });
  return {
    dns,
    authority,
    tenant,
    certificatePem,
    certificateId,
    programKey: await keyOf(tenant, 0),
    tenantKey: await keyOf(tenant),
    withKey: (apiKey, options) => ({ certificatePem, ip, headers: [["X-API-Key", apiKey]], ...options }),
    stop: dns.stop,
  };
}

/** Answers the certificate's id. */
export async function register(certificatePem: string): Promise<string> {
  return (await operate("register-certificate", { certificatePem })).certificateId;
}

/** The certificate as if it had been registered in production. */
export async function moveToAnotherEnvironment(certificatePem: string): Promise<void> {
  await table.send(
    new UpdateCommand({
      TableName: process.env.ACCOUNTS_TABLE,
      Key: certificates.key(readClientCertificate(certificatePem).fingerprint),
      UpdateExpression: "SET environment = :other",
      ExpressionAttributeValues: { ":other": "production" },
      ConditionExpression: "attribute_exists(pk)",
    }),
  );
}

/** A new key of one of the Tenant's Programs, by its number from 0, or of the Tenant itself. */
export function keyOf({ tenantId, programIds }: GivenTenant, program?: number): Promise<Key> {
  const programId = program === undefined ? undefined : programIds[program];
  return operate("create-api-key", { tenantId, ...(programId && { programId }), name: "key" });
}
