import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connection } from "../../infra/development/connection.ts";
import {
  type CertifiedKey,
  type ClientCertificateRequest,
  issueClientCertificate,
} from "../../infra/development/issue-certificate.ts";
import { type Platform, startPlatform } from "../../infra/development/platform.ts";
import type { CommandName, CommandOutput } from "../harness/administration.ts";
import { operator as administer } from "../harness/live-program.ts";

export const dayMs = 86_400_000;
export const valid = { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + dayMs) };

/** A platform of its own, from the synthesized template, in a directory that goes with it. */
export interface GivenPlatform {
  readonly platform: Platform;
  readonly connection: Connection;
  /** Runs a command of platform administration on the deployed function that takes it, through Lambda's own API. */
  operator<C extends CommandName>(command: C, input: unknown): Promise<CommandOutput<C>>;
  /** A certificate of the environment's CA for the demo Tenant, its Program and `demo.test`, unless told otherwise. */
  certificateFor(options?: Partial<ClientCertificateRequest>): Promise<CertifiedKey>;
  /** Answers the certificate's id. */
  register(certificate: CertifiedKey): Promise<string>;
  newProgram(tenantId: string): Promise<string>;
  newKey(tenantId: string, programId?: string): Promise<CommandOutput<"create-api-key">>;
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
  const operator: GivenPlatform["operator"] = (command, input) => administer(connection, command, input);
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
