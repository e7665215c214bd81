import { join } from "node:path";
import { z } from "zod";
import type { FunctionInvoker } from "../local/interfaces.ts";
import { writeWholeFile } from "../local/whole-file.ts";
import { type DevelopmentPki, readCertifiedKey } from "./development-pki.ts";

export interface TruststoreOptions {
  readonly pki: DevelopmentPki;
  readonly functions: FunctionInvoker;
  readonly certificatesFunctionName: string;
}

/** Where the gateway's truststore is kept for whoever wants to check a certificate against it. */
export function truststoreFile(pki: DevelopmentPki): string {
  return join(pki.directory, "truststore.pem");
}

/**
 * The CAs whose clients the gateway lets in, as a deployment would put them into its bucket: those of the environment, whose keys are in KMS, and beside
 * them the development CA, with which certificates can be made by hand.
 */
export async function readTruststore(options: TruststoreOptions): Promise<string> {
  const { pki, functions, certificatesFunctionName } = options;
  const command = { command: "view-truststore", input: {} };
  const { payload, functionError } = await functions.invoke(certificatesFunctionName, command);
  if (functionError !== undefined) {
    throw new Error(`The environment has no certificate authority: ${JSON.stringify(payload)}`);
  }
  const { truststore } = z.object({ truststore: z.string() }).parse(payload);
  const pem = readCertifiedKey(pki.authority).certificatePem + truststore;
  writeWholeFile(truststoreFile(pki), pem, 0o644);
  return pem;
}
