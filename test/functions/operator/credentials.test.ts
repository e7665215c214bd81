import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import type { CertifiedKey } from "../../../infra/development/issue-certificate.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { apiKeys, hashNewKey } from "../../../shared/tenancy/api-keys/api-key.ts";
import { certificates } from "../../../shared/tenancy/certificates/certificate.ts";
import { readClientCertificate } from "../../../shared/tenancy/certificates/client-certificate.ts";
import { operate } from "../../harness/administration.ts";
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
