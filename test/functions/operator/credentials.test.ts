import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { CertifiedKey } from "../../../infra/development/issue-certificate.ts";
import { newId } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { withinTime } from "../../../shared/platform/time-budget.ts";
import { apiKeys, hashNewKey } from "../../../shared/tenancy/api-keys/api-key.ts";
import { certificates } from "../../../shared/tenancy/certificates/certificate.ts";
import { readClientCertificate } from "../../../shared/tenancy/certificates/client-certificate.ts";
import { operate } from "../../harness/administration.ts";
import { injectFaults } from "../../harness/faults.ts";
import { dayMs, givenAuthority, givenCertificate } from "../../harness/given-certificates.ts";
import { type GivenTenant, givenTenant } from "../../harness/given-tenant.ts";
import { allStoredItems, storedAccountsItem } from "../../harness/stored.ts";
import { by, expectRejected, unknownProgram, unknownTenant } from "./expect-rejected.ts";

describe("the operator function", () => {
  let authority: CertifiedKey;
  let tenant: GivenTenant;
  let other: GivenTenant;

  beforeAll(async () => {
    authority = await givenAuthority();
    tenant = await givenTenant(2);
    other = await givenTenant(1);
  });

  describe("create-api-key and revoke-api-key", () => {
    it("keep the key under its keyed hash alone", async () => {
      const { apiKey, apiUserId } = await operate("create-api-key", {
        tenantId: tenant.tenantId,
        programId: tenant.programIds[0],
        name: "backend",
      });
      expect(apiKey).toMatch(/^cik_[\w-]{43}$/);
      const key = apiKeys.key((await hashNewKey(apiKey)).keyHash);
      expect(await storedAccountsItem(key)).toEqual({
        ...key,
        level: "program",
        tenantId: tenant.tenantId,
        programId: tenant.programIds[0],
        currency: 2,
        apiUserId,
        name: "backend",
        createdAt: expect.any(String),
        createdBy: by,
      });
      expect(JSON.stringify(await allStoredItems())).not.toContain(apiKey.slice(4));
    });

    it("reject a Program of another Tenant, an unknown Tenant and an unknown Program", async () => {
      const [programId] = other.programIds;
      await expectRejected("create-api-key", { tenantId: tenant.tenantId, programId, name: "x" });
      await expectRejected("create-api-key", { tenantId: unknownTenant, name: "x" });
      const unknown = { tenantId: tenant.tenantId, programId: unknownProgram, name: "x" };
      await expectRejected("create-api-key", unknown);
    });

    it("revoke once: a second revocation changes nothing", async () => {
      const { tenantId } = tenant;
      const { apiKey, apiUserId } = await operate("create-api-key", { tenantId, name: "x" });
      await operate("revoke-api-key", { tenantId, apiUserId });
      const key = apiKeys.key((await hashNewKey(apiKey)).keyHash);
      const first = await storedAccountsItem(key);
      expect(first).toMatchObject({ revokedBy: by, revokedAt: expect.any(String) });
      expect(await operate("revoke-api-key", { tenantId, apiUserId })).toEqual({ apiUserId });
      expect(await storedAccountsItem(key)).toEqual(first);
    });

    it("do not revoke another Tenant's key", async () => {
      const { apiUserId } = await operate("create-api-key", { tenantId: other.tenantId, name: "x" });
      await expectRejected("revoke-api-key", { tenantId: tenant.tenantId, apiUserId });
    });
  });

  describe("register-certificate and revoke-certificate", () => {
    it("identify a certificate by its fingerprint: a second registration changes nothing", async () => {
      const certificatePem = await givenCertificate(authority, tenant);
      const first = await operate("register-certificate", { certificatePem });
      const { fingerprint, notAfter, serialNumber } = readClientCertificate(certificatePem);
      expect(first).toMatchObject({ notAfter: notAfter.toISOString(), serialNumber });
      expect(await storedAccountsItem(certificates.key(fingerprint))).toMatchObject({
        certificateId: first.certificateId,
        tenantId: tenant.tenantId,
        programIds: tenant.programIds,
        environment: "local",
        createdBy: by,
      });
      const before = await allStoredItems();
      expect(await operate("register-certificate", { certificatePem })).toEqual(first);
      expect(await allStoredItems()).toEqual(before);
    });

    it("register a certificate once, even by simultaneous commands", async () => {
      const certificatePem = await givenCertificate(authority, tenant);
      const answers = await Promise.all(
        [...Array(8)].map(() => operate("register-certificate", { certificatePem })),
      );
      expect(new Set(answers.map(({ certificateId }) => certificateId)).size).toBe(1);
      const { Items } = await table.send(
        new QueryCommand({
          TableName: process.env.ACCOUNTS_TABLE,
          KeyConditionExpression: "pk = :pk AND begins_with(sk, :sk)",
          FilterExpression: "fingerprint = :fingerprint",
          ExpressionAttributeValues: {
            ":pk": tenant.tenantId,
            ":sk": "CERTIFICATE#",
            ":fingerprint": readClientCertificate(certificatePem).fingerprint,
          },
        }),
      );
      expect(Items).toHaveLength(1);
    });

    it("reject another Tenant's Program, an unknown one and an unknown Tenant", async () => {
      const programIds = [tenant.programIds[0] as string, other.programIds[0] as string];
      const holders = [
        { ...tenant, programIds },
        { ...tenant, programIds: [unknownProgram] },
        { tenantId: unknownTenant, programIds: tenant.programIds },
      ];
      for (const holder of holders) {
        const certificatePem = await givenCertificate(authority, holder);
        await expectRejected("register-certificate", { certificatePem });
      }
    });

    it("reject a domain under which strangers have names", async () => {
      for (const domain of ["co.uk", "amazonaws.com"]) {
        const certificatePem = await givenCertificate(authority, tenant, { domains: ["demo.test", domain] });
        await expectRejected("register-certificate", { certificatePem });
      }
    });

    it("reject an expired certificate and text that is not a certificate", async () => {
      const expired = await givenCertificate(authority, tenant, {
        notBefore: new Date(Date.now() - 2 * dayMs),
        notAfter: new Date(Date.now() - dayMs),
      });
      await expectRejected("register-certificate", { certificatePem: expired });
      await expectRejected("register-certificate", { certificatePem: "certificate" });
    });

    it("revoke once and for all, and only the Tenant's own", async () => {
      const certificatePem = await givenCertificate(authority, tenant);
      const { certificateId } = await operate("register-certificate", { certificatePem });
      await expectRejected("revoke-certificate", { tenantId: other.tenantId, certificateId });
      await operate("revoke-certificate", { tenantId: tenant.tenantId, certificateId });
      const key = certificates.key(readClientCertificate(certificatePem).fingerprint);
      const first = await storedAccountsItem(key);
      expect(first).toMatchObject({ revokedBy: by });
      await operate("revoke-certificate", { tenantId: tenant.tenantId, certificateId });
      await operate("register-certificate", { certificatePem });
      expect(await storedAccountsItem(key)).toEqual(first);
    });
  });
});

const itemsUnder = async (pk: string) => (await allStoredItems()).filter((item) => item.pk === pk);

async function auditOf(tenantId: string, prefix: string) {
  const items = await itemsUnder(`${tenantId}#AUDIT`);
  return items
    .filter(({ action }) => String(action).startsWith(prefix))
    .map(({ action, subjectId, after }) => ({ action, subjectId, after }));
}

describe("suspend and resume", () => {
  it("write who is suspended and why into the audit log, once each", async () => {
    const { tenantId, programIds } = await givenTenant(1);
    const [programId] = programIds;
    const first = await operate("suspend-tenant", { tenantId, reason: "Stolen keys" });
    expect(await operate("suspend-tenant", { tenantId })).toEqual(first);
    await operate("suspend-program", { programId });
    await operate("resume-tenant", { tenantId, reason: "Keys replaced" });
    await operate("resume-tenant", { tenantId });
    await operate("resume-program", { programId });
    const { suspendedAt } = first;
    const suspensions = [...(await auditOf(tenantId, "tenant.")), ...(await auditOf(tenantId, "program."))];
    expect(suspensions.filter(({ action }) => !String(action).endsWith(".create"))).toMatchObject([
      { action: "tenant.suspend", subjectId: tenantId, after: { suspendedAt, reason: "Stolen keys" } },
      { action: "tenant.resume", subjectId: tenantId, after: { suspendedAt: null, reason: "Keys replaced" } },
      { action: "program.suspend", subjectId: programId },
      { action: "program.resume", subjectId: programId },
    ]);
  });

  it("loses none of several at once", async () => {
    const { tenantId, programIds } = await givenTenant(4);
    await Promise.all(programIds.map((programId) => operate("suspend-program", { programId })));
    const [found] = (await itemsUnder(tenantId)).filter(({ sk }) => sk === "SUSPENSIONS");
    expect(Object.keys(found?.programs as object).toSorted()).toEqual([...programIds].toSorted());
    expect(await auditOf(tenantId, "program.suspend")).toHaveLength(4);
  });

  it("reject a Tenant and a Program that do not exist", async () => {
    await expect(operate("suspend-tenant", { tenantId: unknownTenant })).rejects.toThrow("does not exist");
    await expect(operate("resume-tenant", { tenantId: unknownTenant })).rejects.toThrow("does not exist");
    const programId = newId("program");
    await expect(operate("suspend-program", { programId })).rejects.toThrow("does not exist");
    await expect(operate("resume-program", { programId })).rejects.toThrow("does not exist");
  });
});

describe("credentials", () => {
  let authority: CertifiedKey;
  beforeAll(async () => {
    authority = await givenAuthority();
  });

  /** A Tenant with keys of both levels, certificates, one of them expired, and ranges. */
  async function given(keys: number): Promise<GivenTenant> {
    const tenant = await givenTenant(1);
    const { tenantId, programIds } = tenant;
    for (let number = 0; number < keys; number += 1) {
      const programId = number % 2 === 0 ? programIds[0] : undefined;
      await operate("create-api-key", { tenantId, ...(programId && { programId }), name: "key" });
    }
    const short = await givenCertificate(authority, tenant, { notAfter: new Date(Date.now() + 60_000) });
    await operate("register-certificate", { certificatePem: short });
    await operate("register-certificate", { certificatePem: await givenCertificate(authority, tenant) });
    await operate("allow-ip", { tenantId, cidr: "192.0.2.0/24" });
    await operate("allow-ip", { tenantId, programId: programIds[0], cidr: "2001:db8::/48" });
    return tenant;
  }

  it("are listed with their state, and without any hash or secret", async () => {
    const { tenantId, programIds } = await given(2);
    const listed = await operate("list-credentials", { tenantId });
    expect(listed.apiUsers).toHaveLength(3);
    expect(listed.certificates.map(({ status }) => status)).toEqual(["active", "active"]);
    expect(listed.ranges).toMatchObject([
      { cidr: "192.0.2.0/24" },
      { cidr: "2001:db8::/48", programId: programIds[0] },
    ]);
    expect(JSON.stringify(listed)).not.toMatch(/keyHash|BEGIN CERTIFICATE/);
  });

  it("are all revoked, expired certificates left as they are, each with its entry in the audit log", async () => {
    const { tenantId } = await given(12);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 60_000 });
    const { revoked } = await operate("revoke-credentials", { tenantId });
    expect(revoked).toEqual({ apiUsers: 13, certificates: 1, ranges: 2 });
    const { apiUsers, certificates, ranges } = await operate("list-credentials", { tenantId });
    const again = await operate("revoke-credentials", { tenantId });
    vi.useRealTimers();
    expect(again.revoked).toEqual({ apiUsers: 0, certificates: 0, ranges: 0 });
    expect(apiUsers.filter(({ dateRevoked }) => dateRevoked === undefined)).toEqual([]);
    expect(certificates.map(({ status }) => status).toSorted()).toEqual(["expired", "revoked"]);
    expect(ranges).toEqual([]);
    expect(await auditOf(tenantId, "api-user.revoke")).toHaveLength(13);
    expect(await auditOf(tenantId, "certificate.revoke")).toHaveLength(1);
    expect(await auditOf(tenantId, "ip-allowlist.remove")).toHaveLength(2);
  });

  it("are all revoked, each once, by a repetition after an interrupted run", async () => {
    const { tenantId } = await given(6);
    {
      using _ = injectFaults(({ command, number }) =>
        command === "TransactWriteItems" && number > 8 ? "throttle" : undefined,
      );
      await expect(withinTime(300, () => operate("revoke-credentials", { tenantId }))).rejects.toThrow();
    }
    await operate("revoke-credentials", { tenantId });
    const { apiUsers, ranges } = await operate("list-credentials", { tenantId });
    expect(apiUsers.every(({ dateRevoked }) => dateRevoked !== undefined)).toBe(true);
    expect(ranges).toEqual([]);
    expect(await auditOf(tenantId, "api-user.revoke")).toHaveLength(7);
  });

  it("are not revoked for a Tenant that does not exist", async () => {
    await expect(operate("list-credentials", { tenantId: unknownTenant })).rejects.toThrow("does not exist");
    await expect(operate("revoke-credentials", { tenantId: unknownTenant })).rejects.toThrow(
      "does not exist",
    );
  });
});

describe("disallow-ip", () => {
  it("removes a range, in any notation, from its own list only", async () => {
    const { tenantId, programIds } = await givenTenant(1);
    const [programId] = programIds;
    await operate("allow-ip", { tenantId, cidr: "192.0.2.0/24" });
    await operate("allow-ip", { tenantId, programId, cidr: "192.0.2.0/24" });
    const { cidr } = await operate("disallow-ip", { tenantId, programId, cidr: "192.0.2.7/24" });
    expect(cidr).toBe("192.0.2.0/24");
    expect((await operate("list-credentials", { tenantId })).ranges).toMatchObject([{ cidr }]);
    await expect(operate("disallow-ip", { tenantId, programId, cidr })).rejects.toThrow("is not allowed");
    await operate("disallow-ip", { tenantId, cidr });
    expect((await operate("list-credentials", { tenantId })).ranges).toEqual([]);
  });
});
