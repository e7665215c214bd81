import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connection } from "../../infra/development/connection.ts";
import type { CertifiedKey, ClientCertificateRequest } from "../../infra/development/issue-certificate.ts";
import { type Platform, startPlatform } from "../../infra/development/platform.ts";
import type { CommandName, CommandOutput } from "../harness/administration.ts";
import { givenCertifiedKey } from "../harness/given-certificates.ts";
import { operateOn } from "../harness/given-live-program.ts";

/** A platform from the synthesized template. Stopping it removes its directory. */
export interface GivenPlatform {
  readonly platform: Platform;
  readonly connection: Connection;
  /** Invokes the deployed function through Lambda's own API. */
  operate<C extends CommandName>(command: C, input: unknown): Promise<CommandOutput<C>>;
  /** By default for the demo Tenant, its Program and `demo.test`. */
  certificateFor(options?: Partial<ClientCertificateRequest>): Promise<CertifiedKey>;
  /** Answers the certificate's id. */
  register(certificate: CertifiedKey): Promise<string>;
  newProgram(tenantId: string): Promise<string>;
  newKey(tenantId: string, programId?: string): Promise<CommandOutput<"create-api-key">>;
  stop(): Promise<void>;
}

/** `receivers`: origins that may receive webhooks. By default with the bundles of `npm start`. */
export async function givenPlatform(receivers: string[] = [], assembly?: string): Promise<GivenPlatform> {
  const directory = mkdtempSync(join(tmpdir(), "platform-"));
  const platform = await startPlatform({
    ...{ port: 0, directory, dynamodb: "dynoxide", receivers },
    ...(assembly !== undefined && { assembly }),
  });
  const { connection } = platform;
  const authority = {
    certificatePem: readFileSync(connection.ca, "utf8"),
    keyPem: readFileSync(connection.clientCaKey, "utf8"),
  };
  const operate: GivenPlatform["operate"] = (command, input) => operateOn(connection, command, input);
  return {
    platform,
    connection,
    operate,
    certificateFor: (options) =>
      givenCertifiedKey(
        authority,
        { tenantId: connection.tenantId, programIds: [connection.programId] },
        options,
      ),
    register: async ({ certificatePem }) =>
      (await operate("register-certificate", { certificatePem })).certificateId,
    newProgram: async (tenantId) => {
      const settings = { clearingDelaySeconds: 0 };
      const input = { tenantId, name: "Another", currency: 0, settings };
      return (await operate("create-program", input)).programId;
    },
    newKey: (tenantId, programId) =>
      operate("create-api-key", { tenantId, ...(programId && { programId }), name: "key" }),
    stop: async () => {
      await platform.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
