import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connection } from "../../infra/development/connection.ts";
import type { CertifiedKey, ClientCertificateRequest } from "../../infra/development/issue-certificate.ts";
import { type Platform, startPlatform } from "../../infra/development/platform.ts";
import type { CommandName, CommandOutput } from "../harness/administration.ts";
import { givenCertifiedKey, localAuthority } from "../harness/given-certificates.ts";
import { demoProgram, type LiveProgram, operateOn } from "../harness/given-live-program.ts";
import { ended } from "../harness/run-program.ts";

/** A platform from the synthesized template. Stopping it removes its directory. */
export interface GivenPlatform {
  readonly platform: Platform;
  readonly connection: Connection;
  readonly directory: string;
  /** The demo's. */
  readonly program: LiveProgram;
  /** Runs a command of `infra/commands` on this machine. */
  run(command: string, ...words: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Invokes the deployed function through Lambda's own API. */
  operate<C extends CommandName>(command: C, input: unknown): Promise<CommandOutput<C>>;
  /** By default for the demo Tenant, its Program and `demo.test`. */
  certificateFor(options?: Partial<ClientCertificateRequest>): Promise<CertifiedKey>;
  /** Answers the certificate's id. */
  register(certificate: CertifiedKey): Promise<string>;
  newProgram(tenantId: string): Promise<string>;
  stop(): Promise<void>;
}

type Options = Partial<Parameters<typeof startPlatform>[0]>;

/** By default without origins that may receive webhooks, and with the bundles of `npm start`. */
export async function givenPlatform(options: Options = {}): Promise<GivenPlatform> {
  const directory = mkdtempSync(join(tmpdir(), "platform-"));
  const usual = { port: 0, directory, dynamodb: "dynoxide", receivers: [] };
  const platform = await startPlatform({ ...usual, ...options });
  const { connection } = platform;
  const program = demoProgram(connection);
  const authority = localAuthority(connection);
  const operate: GivenPlatform["operate"] = (command, input) => operateOn(connection, command, input);
  return {
    platform,
    connection,
    directory,
    program,
    run: async (command, ...words) => {
      const child = spawn(process.execPath, [`infra/commands/${command}.ts`, ...words], {
        env: { ...process.env, LOCAL_DIR: directory },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const { status: code, stdout, stderr } = await ended(child);
      return { code, stdout, stderr };
    },
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
    stop: async () => {
      await program.close();
      await platform.stop();
    },
  };
}
