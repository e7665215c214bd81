import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CertifiedKey } from "../../infra/development/issue-certificate.ts";
import { type GivenRequest, givenRequest } from "../harness/given-certificates.ts";
import { expectCertificateRefused, expectKeyRefused } from "./expect-error.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";
import { send, type TlsRequest } from "./tls-request.ts";

const refusedHandshake = expect.objectContaining({
  code: expect.stringMatching(/^(ECONNRESET|EPROTO|EPIPE|ERR_SSL_.*)$/),
});
let given: GivenPlatform;
let directory: string;
beforeAll(async () => {
  given = await givenPlatform();
  directory = mkdtempSync(join(tmpdir(), "certificates-"));
});
afterAll(() => given?.stop());

/** A Tenant's id, Tenant-level key, and certificate signed by platform administration. */
interface NewTenant {
  readonly tenantId: string;
  readonly tenantKey: string;
  readonly client: CertifiedKey;
}

async function newTenant({ operate }: GivenPlatform): Promise<NewTenant> {
  const { tenantId, apiKey } = await operate("create-tenant", {
    name: "New",
    contactEmail: "contact@customer.example",
  });
  for (const cidr of ["127.0.0.1/32", "::1/128"]) await operate("allow-ip", { tenantId, cidr });
  const { csr, keyPem } = await opensslRequest(tenantId, []);
  const { certificate } = await operate("issue-certificate", { tenantId, csr });
  return { tenantId, tenantKey: apiKey, client: { certificatePem: certificate, keyPem } };
}

/** A request made as in the guide, with openssl; with Node on a machine without it. */
async function opensslRequest(tenantId: string, programIds: readonly string[]): Promise<GivenRequest> {
  const [key, csr] = [join(directory, "new.key"), join(directory, "new.csr")];
  const subject = ["", `O=${tenantId}`, ...programIds.map((programId) => `OU=${programId}`)].join("/");
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key];
  const names = ["-subj", subject, "-addext", "subjectAltName=DNS:demo.test"];
  const said = openssl(["req", "-new", ...curve, "-out", csr, ...names]);
  if (said === undefined) return givenRequest({ tenantId, programIds });
  return { csr: readFileSync(csr, "utf8"), keyPem: readFileSync(key, "utf8") };
}

/** What openssl says; undefined on a machine without it. */
function openssl(words: string[]): string | undefined {
  try {
    return execFileSync("openssl", words, { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

const call = (to: GivenPlatform, client: CertifiedKey, apiKey: string, options: Partial<TlsRequest> = {}) =>
  send(to.connection, { client, path: "/wallets", headers: { "X-API-Key": apiKey }, ...options });

/** With a key, and a certificate that the Tenant requested. */
async function newProgram(tenant: NewTenant) {
  const { tenantId, tenantKey, client } = tenant;
  const post = async (path: string, body: unknown) => {
    const answer = await call(given, client, tenantKey, { method: "POST", path, body });
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
    return answer.body.data;
  };
  const { programId } = await post("/account/programs", { name: "First", currency: 0 });
  const { apiKey } = await post(`/account/programs/${programId}/api-users`, { name: "Backend" });
  const { csr, keyPem } = await opensslRequest(tenantId, [programId]);
  const { certificate, certificateId } = await post("/account/certificates", { csr });
  return { programId, apiKey, certificateId, csr, client: { certificatePem: certificate, keyPem } };
}

describe("a Tenant's certificate", () => {
  it("is issued from a request, is accepted, and is rejected by the next request after its revocation", async () => {
    const tenant = await newTenant(given);
    const program = await newProgram(tenant);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await call(given, program.client, program.apiKey, { agent })).toMatchObject({
      status: 200,
      body: { total: 1 },
    });

    const path = `/account/certificates/${program.certificateId}`;
    const revoked = await call(given, tenant.client, tenant.tenantKey, { method: "DELETE", path });
    expect(revoked.body.data.status).toBe("revoked");
    const next = await call(given, program.client, program.apiKey, { agent });
    expectCertificateRefused(next);
    expect(next.reusedConnection).toBe(true);
    agent.destroy();
    expectCertificateRefused(await call(given, program.client, program.apiKey));
    expect(await call(given, tenant.client, tenant.tenantKey, { path })).toMatchObject({ status: 200 });
  });

  it("is issued once for a repeated request, also where there is no room for another", async () => {
    const tenant = await newTenant(given);
    const { csr, certificateId } = await newProgram(tenant);
    const request = { method: "POST", path: "/account/certificates", body: { csr } };
    const issue = (key: string) =>
      call(given, tenant.client, tenant.tenantKey, {
        ...request,
        headers: { "X-API-Key": tenant.tenantKey, "Idempotency-Key": key },
      });
    const first = await issue("second-certificate");
    expect(first).toMatchObject({ status: 200 });
    expect(first.body.data.certificateId).not.toBe(certificateId);
    expect(await issue("third-certificate")).toMatchObject({ status: 409, body: { code: "LIMIT_REACHED" } });
    expect((await issue("second-certificate")).body).toEqual(first.body);
  });

  it("is verified by Node, and by openssl where there is one, against the CA whose key KMS holds", async () => {
    const { client } = await newProgram(await newTenant(given));
    const { truststore } = await given.operate("view-truststore", {});
    const [certificate, authority] = [client.certificatePem, truststore].map(
      (pem) => new X509Certificate(pem),
    );
    if (!certificate || !authority) throw new Error("There are two.");
    expect(certificate.checkIssued(authority) && certificate.verify(authority.publicKey)).toBe(true);
    const file = join(directory, "client.pem");
    writeFileSync(file, client.certificatePem);
    const purpose = ["-x509_strict", "-purpose", "sslclient", "-CAfile", given.connection.truststore];
    expect(openssl(["verify", ...purpose, file]) ?? ": OK").toContain(": OK");
  });
});

describe("environments", () => {
  let production: GivenPlatform;
  beforeAll(async () => {
    production = await givenPlatform();
  });
  afterAll(() => production?.stop());

  it("share credentials with their sandbox, and with no other environment", async () => {
    const program = await newProgram(await newTenant(given));
    const { client, apiKey } = program;
    expect(await call(given, client, apiKey)).toMatchObject({ status: 200 });
    // An authorization of no card: the sandbox is reached, and has none.
    const path = "/cards/crd_0000000000000000000000NB0D/authorizations";
    const sandbox = { base: "sandboxUrl", method: "POST", path, body: { amount: 1 } } as const;
    expect(await call(given, client, apiKey, sandbox)).toMatchObject({ status: 404 });

    const there = await newTenant(production);
    await expect(call(production, client, apiKey)).rejects.toThrow(refusedHandshake);
    await expect(call(given, there.client, there.tenantKey)).rejects.toThrow(refusedHandshake);
    expectKeyRefused(await call(production, there.client, apiKey));
    const [here, other] = await Promise.all(
      [given, production].map(({ operate }) => operate("view-truststore", {})),
    );
    expect(here?.truststore).not.toBe(other?.truststore);
  });
});

describe("npm run authority", () => {
  const authority = async (...words: string[]) => {
    const { code, stdout, stderr } = await given.run("authority", ...words);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as { status?: string; authorities?: { name: string; status: string }[] };
  };

  it("changes its CA without rejecting any client, and then no longer trusts the first CA", async () => {
    const tenant = await newTenant(given);
    const first = await newProgram(tenant);
    const sessions = new Agent({ keepAlive: false, maxCachedSessions: 10 });
    const gets = async (program: typeof first, agent?: Agent) =>
      (await call(given, program.client, program.apiKey, agent && { agent })).status;
    const issuer = (program: typeof first) => new X509Certificate(program.client.certificatePem).issuer;
    expect(await gets(first, sessions)).toBe(200);

    expect(await authority("trust", "2027")).toMatchObject({ status: "trusted" });
    expect(await authority("issue", "2027")).toMatchObject({ status: "issuing" });
    const second = await newProgram(tenant);
    expect([issuer(first), issuer(second)]).toEqual([
      expect.stringContaining("Client CA 2026"),
      expect.stringContaining("Client CA 2027"),
    ]);
    expect([await gets(first, sessions), await gets(second)]).toEqual([200, 200]);

    await expect(authority("remove", "2026")).rejects.toThrow("may be valid until");
    expect([await gets(first, sessions), await gets(second)]).toEqual([200, 200]);
    expect(await authority("remove", "2026", "--even-in-use")).toMatchObject({ status: "removed" });
    // With the session that it had, and with a new one.
    await expect(gets(first, sessions)).rejects.toThrow(refusedHandshake);
    await expect(gets(first)).rejects.toThrow(refusedHandshake);
    expect(await gets(second)).toBe(200);
    expect(readFileSync(given.connection.truststore, "utf8").match(/BEGIN/g)).toHaveLength(2);

    expect(await authority("trust", "2026")).toMatchObject({ status: "trusted" });
    expect(await gets(first)).toBe(200);
    expect((await authority("list")).authorities).toMatchObject([
      { name: "2026", status: "trusted" },
      { name: "2027", status: "issuing" },
    ]);
  });

  it("says how to use it, and why not", async () => {
    for (const words of [
      [],
      ["list", "2026"],
      ["trust"],
      ["constructor", "2026"],
      ["trust", "2026", "--even-in-use"],
    ]) {
      await expect(authority(...words)).rejects.toThrow("Usage: npm run authority");
    }
    await expect(authority("trust", "2028")).rejects.toThrow("only 2026, 2027");
    await expect(authority("remove", "2027")).rejects.toThrow("2027 is issuing");
  });
});
