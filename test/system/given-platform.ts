import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connection } from "../../infra/local/connection.ts";
import {
  type CertifiedKey,
  type ClientCertificateRequest,
  issueClientCertificate,
} from "../../infra/local/issue-certificate.ts";
import { type Platform, startPlatform } from "../../infra/local/platform.ts";
import {
  type OperatorCommand,
  type OperatorOutput,
  operatorCommands,
} from "../../shared/contract/operator.ts";

export const dayMs = 86_400_000;
export const valid = { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + dayMs) };

/** A platform of its own, from the synthesized template, in a directory that goes with it. */
export interface GivenPlatform {
  readonly platform: Platform;
  readonly connection: Connection;
  /** Runs a command of the deployed operator function, through Lambda's own API. */
  operator<C extends OperatorCommand>(command: C, input: unknown): Promise<OperatorOutput<C>>;
  /** A certificate of the environment's CA for the demo Tenant, its Program and `demo.test`, unless told otherwise. */
  certificateFor(options?: Partial<ClientCertificateRequest>): Promise<CertifiedKey>;
  /** Answers the certificate's id. */
  register(certificate: CertifiedKey): Promise<string>;
  newProgram(tenantId: string): Promise<string>;
  newKey(tenantId: string, programId?: string): Promise<OperatorOutput<"create-api-key">>;
  stop(): Promise<void>;
}

export async function givenPlatform(): Promise<GivenPlatform> {
  const directory = mkdtempSync(join(tmpdir(), "platform-"));
  const platform = await startPlatform({ port: 0, directory, dynamodb: "dynoxide", receivers: [] });
  const { connection } = platform;
  const authority = {
    certificatePem: readFileSync(connection.ca, "utf8"),
    keyPem: readFileSync(connection.clientCaKey, "utf8"),
  };
  const operator: GivenPlatform["operator"] = async (command, input) => {
    const body = JSON.stringify({ command, input });
    const response = await fetch(connection.operatorUrl, { method: "POST", body });
    const payload: unknown = await response.json();
    if (response.headers.has("x-amz-function-error")) throw new Error(JSON.stringify(payload));
    return operatorCommands[command].output.parse(payload) as never;
  };
  return {
    platform,
    connection,
    operator,
    certificateFor: (options) =>
      issueClientCertificate({
        authority,
        tenantId: connection.tenantId,
        programIds: [connection.programId],
        domains: ["demo.test"],
        ...valid,
        ...options,
      }),
    register: async ({ certificatePem }) =>
      (await operator("register-certificate", { certificatePem })).certificateId,
    newProgram: async (tenantId) => {
      const settings = { clearingDelaySeconds: 0 };
      const input = { tenantId, name: "Another", currency: 0, settings };
      return (await operator("create-program", input)).programId;
    },
    newKey: (tenantId, programId) =>
      operator("create-api-key", { tenantId, ...(programId && { programId }), name: "key" }),
    stop: async () => {
      await platform.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
