import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CertifiedKey,
  issueAuthority,
  issueClientCertificate,
} from "../../infra/local/issue-certificate.ts";
import { runCommand } from "../harness/administration.ts";

/** A Secrets Manager of one secret, in the protocol of the real one, that counts how often it was asked. */
export interface SecretServer {
  readonly reads: () => number;
  stop(): Promise<void>;
}

/** Starts it, and points this process's functions at it for the pepper of the key hashes. */
export async function givenPepper(): Promise<SecretServer> {
  let reads = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      reads += 1;
      response.setHeader("content-type", "application/x-amz-json-1.1");
      response.end(JSON.stringify({ Name: "pepper", SecretString: "pepper of the tests" }));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    KEY_PEPPER_SECRET_ID: "pepper",
  });
  return {
    reads: () => reads,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Runs a command of platform administration as Lambda would. */
export const operator = runCommand;

/** Public keys of the BIP-32 test vectors. */
export const extendedPublicKeys = {
  bitcoin:
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
  ethereum:
    "xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw",
  tron: "xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ",
};

export interface GivenTenant {
  readonly tenantId: string;
  readonly programIds: readonly string[];
}

/** A Tenant with so many Programs. */
export async function givenTenant(programs: number): Promise<GivenTenant> {
  const { tenantId } = await operator("create-tenant", { name: "Tenant" });
  const programIds: string[] = [];
  for (let number = 1; number <= programs; number += 1) {
    const settings = { issuanceApproval: 0, clearingDelaySeconds: 0 };
    const input = { tenantId, name: `Program ${number}`, currency: 2, settings };
    programIds.push((await operator("create-program", input)).programId);
  }
  return { tenantId, programIds };
}

export const dayMs = 86_400_000;

/** Valid from yesterday until tomorrow. */
function currentValidity() {
  return { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + dayMs) };
}

export function givenAuthority(): Promise<CertifiedKey> {
  return issueAuthority("Test CA", {
    notBefore: new Date(Date.now() - 100 * dayMs),
    notAfter: new Date(Date.now() + 100 * dayMs),
  });
}

/** A certificate of the Tenant for all of its Programs and `demo.test`, unless told otherwise. */
export async function givenCertificate(
  authority: CertifiedKey,
  tenant: GivenTenant,
  options: Partial<Parameters<typeof issueClientCertificate>[0]> = {},
): Promise<string> {
  const { certificatePem } = await issueClientCertificate({
    authority,
    ...tenant,
    domains: ["demo.test"],
    ...currentValidity(),
    ...options,
  });
  return certificatePem;
}
