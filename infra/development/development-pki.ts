import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { writeWholeFile } from "../local/files.ts";
import type { FunctionInvoker } from "../local/interfaces.ts";
import {
  type CertifiedKey,
  issueAuthority,
  issueClientCertificate,
  issueLeaf,
  type LeafRequest,
  type Validity,
} from "./issue-certificate.ts";

/** Absolute paths of a certificate and its key, both PEM. Only the owner can read the key. */
export interface CertifiedKeyFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/**
 * The development CA signs the server certificate of gateway and network listener, the demo
 * client's and the card network's.
 */
export interface DevelopmentPki {
  readonly directory: string;
  readonly authority: CertifiedKeyFiles;
  readonly server: CertifiedKeyFiles;
  readonly network: CertifiedKeyFiles;
}

export interface Holder {
  readonly tenantId: string;
  readonly programIds: readonly string[];
  readonly domain: string;
}

const serverNames = [
  { type: "dns", value: "localhost" },
  { type: "dns", value: "sandbox.localhost" },
  { type: "ip", value: "127.0.0.1" },
  { type: "ip", value: "::1" },
] as const;

const dayMs = 86_400_000;
const authorityDays = 20 * 365;
const leafDays = 825;
/** A start replaces certificates that expire sooner. */
const renewalDays = 30;

/** The common name of the card network's certificate. */
export const networkClient = "card-network";

/** Creates this machine's CA and its certificates once, and replaces them before they expire. */
export async function ensureDevelopmentPki(directory: string, now: Date): Promise<DevelopmentPki> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const authority = toFiles(directory, "ca");
  if (!isUsable(authority, now)) {
    write(authority, await issueAuthority("Development CA", validityFrom(now, authorityDays)));
  }
  const ensure = async (name: string, leaf: Pick<LeafRequest, "subject" | "alternativeNames" | "usage">) => {
    const files = toFiles(directory, name);
    const request = { authority: readCertifiedKey(authority), ...leaf, ...validityFrom(now, leafDays) };
    if (!isUsable(files, now, authority)) write(files, await issueLeaf(request));
    return files;
  };
  const server = await ensure("server", {
    subject: [{ CN: ["localhost"] }],
    alternativeNames: [...serverNames],
    usage: "serverAuth",
  });
  const network = await ensure("network", {
    subject: [{ CN: [networkClient] }],
    alternativeNames: [],
    usage: "clientAuth",
  });
  return { directory, authority, server, network };
}

/** Returns the demo client's certificate: the existing one if it matches, otherwise a new one. */
export async function ensureClientCertificate(
  pki: DevelopmentPki,
  holder: Holder,
  now: Date,
): Promise<CertifiedKeyFiles> {
  const client = toFiles(pki.directory, "client");
  if (!isUsable(client, now, pki.authority) || !isFor(client, holder)) {
    const { tenantId, programIds, domain } = holder;
    const authority = readCertifiedKey(pki.authority);
    const validity = validityFrom(now, leafDays);
    write(
      client,
      await issueClientCertificate({ authority, tenantId, programIds, domains: [domain], ...validity }),
    );
  }
  return client;
}

/**
 * Valid by the machine's clock, which TLS uses, and by the virtual one, which the authorizer uses.
 */
function validityFrom(now: Date, days: number): Validity {
  const notBefore = new Date(Math.min(now.getTime(), Date.now()) - dayMs);
  return { notBefore, notAfter: new Date(now.getTime() + days * dayMs) };
}

function toFiles(directory: string, name: string): CertifiedKeyFiles {
  return { certificateFile: resolve(directory, `${name}.pem`), keyFile: resolve(directory, `${name}.key`) };
}

export function readCertifiedKey(files: CertifiedKeyFiles): CertifiedKey {
  return {
    certificatePem: readFileSync(files.certificateFile, "utf8"),
    keyPem: readFileSync(files.keyFile, "utf8"),
  };
}

/** Writes the key first: a key without its certificate is replaced. */
function write({ certificateFile, keyFile }: CertifiedKeyFiles, made: CertifiedKey): void {
  writeWholeFile(keyFile, made.keyPem, 0o600);
  writeWholeFile(certificateFile, made.certificatePem, 0o644);
}

function isUsable(files: CertifiedKeyFiles, now: Date, issuer?: CertifiedKeyFiles): boolean {
  if (!existsSync(files.certificateFile) || !existsSync(files.keyFile)) return false;
  const { certificatePem, keyPem } = readCertifiedKey(files);
  const certificate = new X509Certificate(certificatePem);
  const lasts = certificate.validToDate.getTime() > now.getTime() + renewalDays * dayMs;
  const isSigned =
    !issuer || certificate.verify(new X509Certificate(readCertifiedKey(issuer).certificatePem).publicKey);
  return lasts && isSigned && certificate.checkPrivateKey(createPrivateKey(keyPem));
}

function isFor(files: CertifiedKeyFiles, holder: Holder): boolean {
  const { subject, subjectAltName } = new X509Certificate(readCertifiedKey(files).certificatePem);
  const units = holder.programIds.map((programId) => `OU=${programId}`);
  return (
    subject === [`O=${holder.tenantId}`, ...units].join("\n") && subjectAltName === `DNS:${holder.domain}`
  );
}

interface TruststoreOptions {
  readonly pki: DevelopmentPki;
  readonly functions: FunctionInvoker;
  readonly certificatesFunctionName: string;
}

export function truststoreFile(pki: DevelopmentPki): string {
  return join(pki.directory, "truststore.pem");
}

/** The gateway trusts the environment's CAs, whose keys are in KMS, and the development CA. */
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
