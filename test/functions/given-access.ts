import {
  type CertifiedKey,
  issueAuthority,
  issueClientCertificate,
} from "../../infra/development/issue-certificate.ts";
import { runCommand } from "../harness/administration.ts";

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
  const { tenantId } = await operator("create-tenant", {
    name: "Tenant",
    contactEmail: "contact@customer.example",
  });
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
