import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  type JsonGeneralNames,
  type JsonName,
  PemConverter,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from "@peculiar/x509";
import type { Connection } from "../../infra/development/connection.ts";
import {
  type CertifiedKey,
  type ClientCertificateRequest,
  issueAuthority,
  issueClientCertificate,
} from "../../infra/development/issue-certificate.ts";

export const dayMs = 86_400_000;

/** From this number of days ago until the same number ahead. */
export function validFor(days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - days * dayMs), notAfter: new Date(Date.now() + days * dayMs) };
}

export function givenAuthority(): Promise<CertifiedKey> {
  return issueAuthority("Test CA", validFor(100));
}

/** The CA whose certificates a running local platform accepts. */
export function localAuthority({ ca, clientCaKey }: Pick<Connection, "ca" | "clientCaKey">): CertifiedKey {
  return { certificatePem: readFileSync(ca, "utf8"), keyPem: readFileSync(clientCaKey, "utf8") };
}

type Holder = Pick<ClientCertificateRequest, "tenantId" | "programIds">;

/** By default for all of the Tenant's Programs and `demo.test`, and valid for a day. */
export function givenCertifiedKey(
  authority: CertifiedKey,
  holder: Holder,
  options: Partial<ClientCertificateRequest> = {},
): Promise<CertifiedKey> {
  return issueClientCertificate({ authority, ...holder, domains: ["demo.test"], ...validFor(1), ...options });
}

/** The same without its key. */
export async function givenCertificate(...input: Parameters<typeof givenCertifiedKey>): Promise<string> {
  return (await givenCertifiedKey(...input)).certificatePem;
}

/** By default, the request is for `demo.test` with a P-256 key. */
export interface RequestOptions {
  readonly tenantId: string;
  readonly programIds: readonly string[];
  readonly domains?: readonly string[];
  /** In the place of O and OUs. */
  readonly subject?: JsonName;
  /** In the place of the domains. */
  readonly alternativeNames?: JsonGeneralNames;
  readonly key?: { readonly name: string } & Record<string, unknown>;
}

/** A certificate signing request, and the private key (PKCS#8) of what it asks for, both PEM. */
export interface GivenRequest {
  readonly csr: string;
  readonly keyPem: string;
}

/** One attribute of a subject. */
export function named(type: string, value: string): JsonName[number] {
  return { [type]: [value] };
}

const p256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

export async function givenRequest(options: RequestOptions): Promise<GivenRequest> {
  const { tenantId, programIds, domains = ["demo.test"], key = p256 } = options;
  const keys = (await webcrypto.subtle.generateKey(key, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
  const names = options.alternativeNames ?? domains.map((value) => ({ type: "dns", value }) as const);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: options.subject ?? [{ O: [tenantId] }, ...programIds.map((programId) => ({ OU: [programId] }))],
    keys,
    signingAlgorithm: key,
    ...(names.length > 0 && { extensions: [new SubjectAlternativeNameExtension(names)] }),
  });
  const secret = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { csr: `${request.toString("pem")}\n`, keyPem: `${PemConverter.encode(secret, "PRIVATE KEY")}\n` };
}
