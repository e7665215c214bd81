import { execFileSync } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { certificateStatus } from "../../../shared/contract/account-access.ts";
import { deadlines } from "../../../shared/platform/deadlines.ts";
import { table } from "../../../shared/platform/table/client.ts";
import {
  certificates,
  certificateTransitions,
  tenantCertificates,
} from "../../../shared/tenancy/certificates/certificate.ts";
import { readClientCertificate } from "../../../shared/tenancy/certificates/client-certificate.ts";
import { operate } from "../../harness/administration.ts";
import { givenAuthority, givenCertificate, givenRequest, named } from "../../harness/given-certificates.ts";
import { keyServerFault } from "../../harness/key-server.ts";
import { storedAccountsItem, storedItem } from "../../harness/stored.ts";
import { unchanged, verdict } from "../account/given-account.ts";
import { type GivenApplicant, givenApplicant } from "./given-applicant.ts";

const dayMs = 86_400_000;
let applicant: GivenApplicant;
let authority: X509Certificate;
beforeAll(async () => {
  applicant = await givenApplicant();
  authority = new X509Certificate((await operate("view-truststore", {})).truststore);
});

const rsa = (modulusLength: number) => ({
  name: "RSASSA-PKCS1-v1_5",
  modulusLength,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
});

describe("POST /account/certificates", () => {
  test.each([
    ["P-256", undefined],
    ["RSA of 2048 bits", rsa(2048)],
    ["RSA of 4096 bits", rsa(4096)],
  ])("200: signs a request of %s with the CA's key", async (_, key) => {
    const owner = await givenApplicant();
    const { csr, keyPem } = await givenRequest({
      tenantId: owner.tenantId,
      programIds: [owner.programId],
      domains: ["Hosts.Demo.test", "hosts.demo.test", "demo.test"],
      ...(key && { key }),
    });
    const from = Date.now();
    const { status, body } = await owner.send(csr);
    expect(status).toBe(200);
    const { certificateId, serialNumber, notAfter } = body.data;
    const certificate = new X509Certificate(body.data.certificate);
    expect(certificate.checkIssued(authority) && certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.subject).toBe(`O=${owner.tenantId}\nOU=${owner.programId}`);
    expect(certificate.subjectAltName).toBe("DNS:hosts.demo.test, DNS:demo.test");
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(certificate.serialNumber.toLowerCase()).toBe(serialNumber);
    expect(certificate.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
    expect(certificate.validToDate.toISOString()).toBe(notAfter);
    expect(Math.abs(certificate.validToDate.getTime() - from - 90 * dayMs)).toBeLessThan(10_000);
    expect(certificate.validFromDate.getTime()).toBeLessThan(from);

    const fingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
    expect(await certificates.at(fingerprint).get()).toMatchObject({
      certificateId,
      tenantId: owner.tenantId,
      programIds: [owner.programId],
      environment: "local",
      createdBy: owner.apiUserId,
    });
    expect(readClientCertificate(body.data.certificate)).toMatchObject({ fingerprint, serialNumber });
  });

  test("200: a certificate contains only the checked names, and a serial number of 128 random bits", async () => {
    const owner = await givenApplicant();
    const subject = [named("CN", "evil"), named("O", owner.tenantId), named("OU", owner.programId)];
    const serials = [];
    for (let count = 0; count < 2; count += 1) {
      const { certificate } = await owner.certificate({ subject });
      const made = new X509Certificate(certificate);
      expect(made.subject).toBe(`O=${owner.tenantId}\nOU=${owner.programId}`);
      serials.push(made.serialNumber);
    }
    expect(serials[0]).not.toBe(serials[1]);
    for (const serial of serials) expect(serial).toMatch(/^[0-9A-F]{25,32}$/);
  });

  test("200: openssl verifies it as a client's, where there is one", async () => {
    const directory = mkdtempSync(join(tmpdir(), "verify-"));
    try {
      const { certificate } = await (await givenApplicant()).certificate();
      writeFileSync(join(directory, "ca.pem"), authority.toString());
      writeFileSync(join(directory, "client.pem"), certificate);
      const purpose = ["-purpose", "sslclient", "-x509_strict", "-CAfile", join(directory, "ca.pem")];
      const said = openssl(["verify", ...purpose, join(directory, "client.pem")]);
      expect(said ?? ": OK").toContain(": OK");
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test("200: registration, reminders and the audit log's entry are written together", async () => {
    const owner = await givenApplicant();
    const { certificateId } = await owner.certificate();
    expect(await storedItem(deadlines.key(owner.tenantId, certificateId))).toMatchObject({
      kind: "remind_certificate",
    });
    const [entry] = (await owner.audit()).filter(({ action }) => action === "certificate.register");
    expect(entry).toMatchObject({
      actor: owner.apiUserId,
      subjectId: certificateId,
      before: null,
      after: { certificateId, status: "active", programIds: [owner.programId], domains: ["demo.test"] },
    });
    expect(JSON.stringify(entry)).not.toContain("BEGIN");
    expect(await storedAccountsItem(tenantCertificates.key(owner.tenantId, certificateId))).toMatchObject({
      authority: "first",
    });
  });

  test("409: a third one for the same Programs in any order; not for another set, or after a revocation", async () => {
    const owner = await givenApplicant();
    const both = [owner.programId, await owner.newProgram()];
    const first = await owner.certificate({ programIds: both });
    await owner.certificate({ programIds: both.toReversed() });
    const third = await owner.request({ programIds: both });
    expect(await unchanged(() => owner.send(third))).toEqual([409, "LIMIT_REACHED", true]);
    await owner.certificate({ programIds: [owner.programId] });
    const path = { certificateId: first.certificateId };
    await owner.call("DELETE /account/certificates/{certificateId}", { path });
    expect(verdict(await owner.send(third))).toEqual([200, "OK"]);
  });

  test("409: of many that are asked for at once, two are issued", async () => {
    const owner = await givenApplicant();
    const csr = await owner.request();
    // All have found room before the first of them is written.
    using _ = together(6);
    const answers = await Promise.all(Array.from({ length: 6 }, () => owner.send(csr)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 409, 409, 409, 409]);
    const list = await owner.call("GET /account/certificates", { query: { status: "active" } });
    expect(list.body.total).toBe(2);
  });

  test("a certificate that the platform registered counts, and is never rejected", async () => {
    const owner = await givenApplicant();
    const holder = { tenantId: owner.tenantId, programIds: [owner.programId] };
    const vouched = async () => givenCertificate(await givenAuthority(), holder);
    await operate("register-certificate", { certificatePem: await vouched() });
    await owner.certificate();
    const csr = await owner.request();
    expect(await unchanged(() => owner.send(csr))).toEqual([409, "LIMIT_REACHED", true]);
    await operate("register-certificate", { certificatePem: await vouched() });
    const list = await owner.call("GET /account/certificates", { query: { status: "active" } });
    expect(list.body.total).toBe(3);
  });
});

describe("POST /account/certificates, while KMS does not sign", () => {
  afterEach(() => {
    keyServerFault.on = false;
  });

  test("503: nothing is registered, and no place is taken", async () => {
    const owner = await givenApplicant();
    const csr = await owner.request();
    keyServerFault.on = true;
    expect(await unchanged(() => owner.send(csr))).toEqual([503, "UNAVAILABLE", true]);
    keyServerFault.on = false;
    for (let count = 0; count < 2; count += 1) expect((await owner.send(csr)).status).toBe(200);
  });
});

describe("issue-certificate", () => {
  test("signs a Tenant's first certificate, which may name no Program", async () => {
    const { tenantId } = await operate("create-tenant", {
      name: "New",
      contactEmail: "contact@customer.example",
    });
    const { csr } = await givenRequest({ tenantId, programIds: [] });
    const { certificate, certificateId } = await operate("issue-certificate", { tenantId, csr });
    const { fingerprint, programIds } = readClientCertificate(certificate);
    expect(programIds).toEqual([]);
    expect(await certificates.at(fingerprint).get()).toMatchObject({ certificateId, tenantId });
  });

  test("rejects a request of another Tenant and of an unknown one", async () => {
    const { tenantId } = await operate("create-tenant", {
      name: "New",
      contactEmail: "contact@customer.example",
    });
    const csr = await applicant.request();
    const refused = expect.objectContaining({ name: "CommandRejected" });
    await expect(operate("issue-certificate", { tenantId, csr })).rejects.toThrow(refused);
    const nobody = "tnt_00000000000000000000000000";
    const theirs = await givenRequest({ tenantId: nobody, programIds: [] });
    const input = { tenantId: nobody, csr: theirs.csr };
    await expect(operate("issue-certificate", input)).rejects.toThrow("does not exist");
  });
});

/** Until it is disposed of, no transaction is sent before there are so many to be sent. */
function together(count: number): Disposable {
  const { promise: allAreThere, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  table.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (String(commandName).startsWith("TransactWrite")) {
          waiting += 1;
          if (waiting === count) resolve();
          await allAreThere;
        }
        return next(args);
      },
    { step: "initialize", name: "together" },
  );
  return { [Symbol.dispose]: () => void table.middlewareStack.remove("together") };
}

/** What openssl says; undefined on a machine without it. */
function openssl(words: string[]): string | undefined {
  try {
    return execFileSync("openssl", words, { encoding: "utf8" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

const one = "/account/certificates/{certificateId}" as const;
let owner: GivenApplicant;
beforeAll(async () => {
  owner = await givenApplicant();
});
afterEach(() => vi.useRealTimers());

const view = async (of: GivenApplicant, certificateId: string) =>
  of.call(`GET ${one}`, { path: { certificateId } });
const revoke = (of: GivenApplicant, certificateId: string) =>
  of.call(`DELETE ${one}`, { path: { certificateId } });
const list = async (of: GivenApplicant, query: Record<string, string> = {}) =>
  (await of.call("GET /account/certificates", { query })).body;
const passDays = (days: number) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * dayMs });
};

/** The id of a certificate in the status, as it comes there. */
async function givenIn(status: string): Promise<string> {
  owner = await givenApplicant();
  const { certificateId } = await owner.certificate();
  if (status === "revoked") await revoke(owner, certificateId);
  if (status === "expired") passDays(91);
  return certificateId;
}

describe("GET /account/certificates", () => {
  test("lists only the Tenant's certificates, in the requested order and status", async () => {
    const account = await givenApplicant();
    const first = await account.certificate();
    const second = await account.certificate();
    await revoke(account, first.certificateId);
    const idsOf = (body: { items: { certificateId: string }[] }) =>
      body.items.map(({ certificateId }) => certificateId);
    const both = [first.certificateId, second.certificateId];
    expect(idsOf(await list(account, { sort: "asc" }))).toEqual(both);
    expect(idsOf(await list(account, { orderBy: "certificateId", sort: "desc" }))).toEqual(both.toReversed());
    expect(idsOf(await list(account, { status: "active" }))).toEqual([second.certificateId]);
    expect(idsOf(await list(account, { status: "revoked" }))).toEqual([first.certificateId]);
    expect(await list(account, { status: "expired" })).toMatchObject({ items: [], total: 0 });
    expect(await list(account, { limit: "1", offset: "1", sort: "asc" })).toMatchObject({
      items: [{ certificateId: second.certificateId }],
      total: 2,
      limit: 1,
      offset: 1,
    });
    expect(await list(account, { after: "99999999999" })).toMatchObject({ items: [], total: 0 });
    passDays(91);
    expect((await list(account, { status: "expired" })).total).toBe(1);
  });
});

describe(`GET ${one}`, () => {
  test("shows the certificate again", async () => {
    const account = await givenApplicant();
    const made = await account.certificate();
    expect((await view(account, made.certificateId)).body.data).toEqual(made);
  });
});

describe(`DELETE ${one}`, () => {
  const legal = certificateTransitions.filter(({ trigger }) => trigger === "revoke");

  test.each(certificateStatus.options)("of a certificate that is %s", async (status) => {
    const certificateId = await givenIn(status);
    expect((await view(owner, certificateId)).body.data.status).toBe(status);
    const step = legal.find(({ from }) => from === status);
    if (step) {
      expect((await revoke(owner, certificateId)).body.data).toMatchObject({ status: step.to });
      expect((await view(owner, certificateId)).body.data.status).toBe(step.to);
    } else if (status === "revoked") {
      // Asked for again, it is as it was.
      expect(await unchanged(() => revoke(owner, certificateId))).toEqual([200, "OK", true]);
    } else {
      expect(await unchanged(() => revoke(owner, certificateId))).toEqual([409, "ILLEGAL_TRANSITION", true]);
    }
  });

  test("a revocation outlasts the certificate's time", async () => {
    const certificateId = await givenIn("revoked");
    passDays(91);
    expect((await view(owner, certificateId)).body.data.status).toBe("revoked");
  });

  test("of simultaneous revocations, only the first counts and is in the audit log", async () => {
    const account = await givenApplicant();
    const { certificateId } = await account.certificate();
    const answers = await Promise.all(Array.from({ length: 5 }, () => revoke(account, certificateId)));
    const dates = answers.map(({ body }) => body.data.dateRevoked);
    expect(new Set(dates).size).toBe(1);
    const { tenantId } = account;
    await operate("revoke-certificate", { tenantId, certificateId });
    const entries = (await account.audit()).filter(({ action }) => action === "certificate.revoke");
    expect(entries).toMatchObject([
      {
        actor: account.apiUserId,
        subjectId: certificateId,
        before: { status: "active" },
        after: { status: "revoked", dateRevoked: dates[0] },
      },
    ]);
  });

  test("is what the authorizer reads, too", async () => {
    const account = await givenApplicant();
    const { certificateId } = await account.certificate();
    const { fingerprint } = (await revoke(account, certificateId)).body.data;
    expect(await storedAccountsItem(certificates.key(fingerprint))).toMatchObject({
      revokedAt: expect.any(String),
      revokedBy: account.apiUserId,
    });
  });
});
