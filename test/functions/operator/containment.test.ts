import { beforeAll, describe, expect, it, vi } from "vitest";
import type { CertifiedKey } from "../../../infra/development/issue-certificate.ts";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../../harness/administration.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenAuthority, givenCertificate } from "../../harness/given-certificates.ts";
import { type GivenTenant, givenTenant } from "../../harness/given-tenant.ts";
import { allStoredItems } from "../../harness/stored.ts";
import { unknownTenant } from "./expect-rejected.ts";

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
      await expect(operate("revoke-credentials", { tenantId })).rejects.toThrow();
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
