import * as z from "zod";
import "reflect-metadata";
import { randomBytes, webcrypto, X509Certificate } from "node:crypto";
import {
  PemConverter,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from "@peculiar/x509";
import { HDKey } from "@scure/bip32";
import { Currency } from "../../../shared/contract/enums.ts";
import type { Caller } from "./environment-checks.ts";
import { CallingTenant, type FirstTenant, type FirstTenantRecord } from "./first-tenant-record.ts";

export interface FirstTenantOptions {
  readonly administer: (command: string, input: unknown) => Promise<unknown>;
  readonly record: FirstTenantRecord;
  readonly caller: Caller;
  readonly contactEmail: string;
  /** Whether the smoke test can issue Cards to it. */
  readonly hasSandbox: boolean;
  /** Whether the environment provides account keys for Programs without their own. */
  readonly hasCustodyKeys: boolean;
  readonly truststore: string;
  readonly now: Date;
  readonly say: (line: string) => void;
}

/**
 * Creates the environment's first Tenant, which the smoke test uses. Records each part at once, so
 * that a repetition only creates missing parts.
 */
export async function ensureFirstTenant(options: FirstTenantOptions): Promise<CallingTenant> {
  const { caller, say } = options;
  let tenant = await withoutLost(await ensureTenant(options), options);
  for (const { what, state, make } of parts) {
    const found = state(tenant, options);
    if (found === "there") say(`${what(options)}: already there`);
    if (found !== "missing") continue;
    tenant = await make(tenant, options);
    await options.record.write(tenant);
    say(`${what(options)}: done`);
  }
  await options.administer("allow-ip", { tenantId: tenant.tenantId, cidr: toRange(caller.address) });
  say(`${caller.address} may call`);
  return CallingTenant.parse(tenant);
}

const named = z.string();

async function ensureTenant(options: FirstTenantOptions): Promise<FirstTenant> {
  const { administer, contactEmail, record, say } = options;
  const known = await record.read();
  if (known !== undefined) {
    say(`The platform's own Tenant ${known.tenantId}: already there`);
    return known;
  }
  const Created = z.object({ tenantId: named, apiKey: named });
  const { tenantId, apiKey } = Created.parse(
    await administer("create-tenant", { name: "Platform operations", contactEmail }),
  );
  const tenant = { tenantId, tenantApiKey: apiKey };
  await record.write(tenant);
  say(`The platform's own Tenant ${tenantId}: created`);
  return tenant;
}

/** Removes certificates that the platform does not know, such as after a restore. */
async function withoutLost(tenant: FirstTenant, { administer }: FirstTenantOptions): Promise<FirstTenant> {
  if (tenant.certificate === undefined) return tenant;
  const { tenantId, certificate, superseded = [], ...rest } = tenant;
  const { certificates } = Credentials.parse(await administer("list-credentials", { tenantId }));
  const isKnown = (certificateId: string) => certificates.some((one) => one.certificateId === certificateId);
  return {
    ...rest,
    tenantId,
    ...(isKnown(certificate.certificateId) && { certificate }),
    superseded: superseded.filter(isKnown),
  };
}

const Credentials = z.object({ certificates: z.array(z.object({ certificateId: named })) });

interface Part {
  what(options: FirstTenantOptions): string;
  state(tenant: FirstTenant, options: FirstTenantOptions): "there" | "missing" | "not wanted";
  make(tenant: FirstTenant, options: FirstTenantOptions): Promise<FirstTenant>;
}

const presentIf = (isThere: boolean) => (isThere ? "there" : "missing");

const parts: readonly Part[] = [
  {
    what: () => "Its Program",
    state: ({ programId }) => presentIf(programId !== undefined),
    async make(tenant, { administer, hasCustodyKeys }) {
      const keys = hasCustodyKeys ? {} : { extendedPublicKeys: unusedKeys() };
      const settings = { clearingDelaySeconds: 0, ...keys };
      const input = { tenantId: tenant.tenantId, name: "Smoke test", currency: Currency.usd, settings };
      const Created = z.object({ programId: named, walletId: named });
      return { ...tenant, ...Created.parse(await administer("create-program", input)) };
    },
  },
  {
    what: () => "Its card design",
    state: ({ isDesignApproved = false }, { hasSandbox }) =>
      hasSandbox ? presentIf(isDesignApproved) : "not wanted",
    async make(tenant, { administer }) {
      const design = { programId: tenant.programId, cardType: 0, name: "Smoke test" };
      await administer("approve-design", design);
      return { ...tenant, isDesignApproved: true };
    },
  },
  {
    what: () => "Its Program's API key",
    state: ({ programApiKey }) => presentIf(programApiKey !== undefined),
    async make(tenant, { administer }) {
      const { tenantId, programId } = tenant;
      const Created = z.object({ apiKey: named });
      const input = { tenantId, programId, name: "Smoke test" };
      const { apiKey } = Created.parse(await administer("create-api-key", input));
      return { ...tenant, programApiKey: apiKey };
    },
  },
  {
    what: ({ caller }) => `Its certificate for ${caller.domain}`,
    state: ({ certificate }, { caller, truststore, now }) =>
      presentIf(
        certificate !== undefined &&
          isUsableCertificate(certificate.certificatePem, caller.domain, truststore, now),
      ),
    make: issueCertificate,
  },
  {
    what: () => "The certificate before it, revoked",
    state: ({ superseded = [] }) => (superseded.length > 0 ? "missing" : "not wanted"),
    async make({ superseded = [], ...tenant }, { administer }) {
      for (const certificateId of superseded) {
        await administer("revoke-certificate", { tenantId: tenant.tenantId, certificateId });
      }
      return tenant;
    },
  },
];

async function issueCertificate(tenant: FirstTenant, { administer, caller }: FirstTenantOptions) {
  const { tenantId, programId, certificate: former, superseded = [] } = tenant;
  if (programId === undefined)
    throw new Error("The first Tenant has no Program; its certificate requires one.");
  const { csr, keyPem } = await certificateRequest({ tenantId, programId, domain: caller.domain });
  const Issued = z.object({ certificateId: named, certificate: named });
  const { certificateId, certificate } = Issued.parse(
    await administer("issue-certificate", { tenantId, csr }),
  );
  return {
    ...tenant,
    certificate: { certificateId, certificatePem: certificate, keyPem },
    ...(former && { superseded: [...superseded, former.certificateId] }),
  };
}

/** Account keys of a discarded seed. A Program with these keys must never issue a Card. */
function unusedKeys() {
  const master = HDKey.fromMasterSeed(randomBytes(32));
  return {
    bitcoin: master.derive("m/84'/0'/0'").publicExtendedKey,
    ethereum: master.derive("m/44'/60'/0'").publicExtendedKey,
    tron: master.derive("m/44'/195'/0'").publicExtendedKey,
  };
}

function toRange(address: string): string {
  return `${address}/${address.includes(":") ? 128 : 32}`;
}

interface Holder {
  readonly tenantId: string;
  readonly programId: string;
  readonly domain: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const dayMs = 86_400_000;
const renewalDays = 30;

/** The key never leaves this machine. */
async function certificateRequest({ tenantId, programId, domain }: Holder) {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: [{ O: [tenantId] }, { OU: [programId] }],
    keys,
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: "dns", value: domain }])],
  });
  const key = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { csr: `${request.toString("pem")}\n`, keyPem: `${PemConverter.encode(key, "PRIVATE KEY")}\n` };
}

/** Whether the certificate names the domain, a trusted CA issued it and it does not expire soon. */
export function isUsableCertificate(certificatePem: string, domain: string, truststore: string, now: Date) {
  const certificate = new X509Certificate(certificatePem);
  const names = [...(certificate.subjectAltName ?? "").matchAll(/DNS:([^,\s]+)/g)].map(([, name]) => name);
  const isNamed = names.some((name) => name === domain || domain.endsWith(`.${name}`));
  const lasts = certificate.validToDate.getTime() > now.getTime() + renewalDays * dayMs;
  const authorities = truststore.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return (
    isNamed && lasts && authorities.some((pem) => certificate.verify(new X509Certificate(pem).publicKey))
  );
}
