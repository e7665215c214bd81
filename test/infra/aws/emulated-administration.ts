import {
  type CertifiedKey,
  issueAuthority,
  issueClientCertificate,
} from "../../../infra/development/issue-certificate.ts";
import type { EmulatedAwsOptions } from "./emulated-aws.ts";

const dayMs = 86_400_000;
const validity = { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + 90 * dayMs) };

export interface EmulatedAdministration {
  readonly invoke: EmulatedAwsOptions["invoke"];
  /** The commands that were given, in order. */
  readonly commands: string[];
  /** Knows no certificate any more, as after a restore to before it was issued. */
  loseCertificates(): void;
  /** Has another CA sign from now on, and trusts the one before no more. */
  replaceAuthority(): Promise<void>;
}

/**
 * Answers platform administration's commands as the functions do, without a store: what a
 * deployment asks of them.
 */
export async function emulatedAdministration(domain: string): Promise<EmulatedAdministration> {
  const commands: string[] = [];
  let authority: CertifiedKey = await issueAuthority("First CA", validity);
  let certificates = 0;
  const known: { certificateId: string }[] = [];
  const [tenantId, programId] = ["tnt_00000000000000000000000001", "prg_00000000000000000000000001"];
  const outputs: Readonly<Record<string, () => unknown>> = {
    "view-truststore": () => ({ truststore: authority.certificatePem }),
    "create-tenant": () => ({ tenantId, apiUserId: "usr_1", apiKey: "secret-tenant-key" }),
    "create-program": () => ({ programId, walletId: "wlt_1" }),
    "approve-design": () => ({ cardType: 0 }),
    "create-api-key": () => ({ apiUserId: "usr_2", apiKey: "secret-program-key" }),
    "allow-ip": () => ({ cidr: "192.0.2.1/32" }),
    "list-credentials": () => ({ apiUsers: [], certificates: known, ranges: [] }),
    "revoke-certificate": () => ({ certificateId: "crt_1" }),
    "issue-certificate": async () => {
      const holder = { tenantId, programIds: [programId], domains: [domain] };
      const { certificatePem } = await issueClientCertificate({ authority, ...holder, ...validity });
      certificates += 1;
      const certificateId = `crt_${certificates}`;
      known.push({ certificateId });
      return { certificateId, certificate: certificatePem };
    },
  };
  return {
    commands,
    loseCertificates() {
      known.length = 0;
    },
    async replaceAuthority() {
      authority = await issueAuthority("Second CA", validity);
    },
    async invoke(functionName, payload) {
      const { command } = payload as { command: string };
      commands.push(command);
      const isCertificates = ["view-truststore", "issue-certificate"].includes(command);
      const expected = `card-issuing-staging-${isCertificates ? "certificates" : "operator"}`;
      const answer = functionName === expected ? outputs[command] : undefined;
      if (answer === undefined)
        return { output: { errorMessage: `${functionName} has no ${command}` }, isError: true };
      return { output: await answer() };
    },
  };
}
