import { createHash } from "node:crypto";
import { GetCommand, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type DnsServer, startDnsServer } from "../../../infra/local/dns.ts";
import type { CertifiedKey } from "../../../infra/local/issue-certificate.ts";
import { AuthorizerContext } from "../../../shared/contract/authorizer-context.ts";
import { table } from "../../../shared/table/client.ts";
import { accountsKey } from "../../../shared/table/keys.ts";
import { readClientCertificate } from "../../../shared/tenant/client-certificate.ts";
import { measure } from "../../harness/measure.ts";
import {
  dayMs,
  type GivenTenant,
  givenAuthority,
  givenCertificate,
  givenPepper,
  givenTenant,
  operator,
  type SecretServer,
} from "../given-access.ts";
import { type Call, call } from "./authorizer-event.ts";

const certificateRefused = {
  status: 403,
  code: "CERTIFICATE_NOT_AUTHORIZED",
  message: "The client certificate is not authorized.",
};
const addressRefused = {
  status: 403,
  code: "IP_NOT_AUTHORIZED",
  message: "No Authorized IPs configured",
};
const keyRefused = { status: 401 };

const ip = "192.0.2.1";

describe("the authorizer", () => {
  let dns: DnsServer;
  let pepper: SecretServer;
  let authority: CertifiedKey;
  let tenant: GivenTenant;
  let certificatePem: string;
  let programKey: { apiUserId: string; apiKey: string };
  let tenantKey: { apiUserId: string; apiKey: string };

  const register = async (pem: string) =>
    (await operator("register-certificate", { certificatePem: pem })).certificateId;
  const keyOf = (owner: GivenTenant, program?: number) =>
    operator("create-api-key", {
      tenantId: owner.tenantId,
      ...(program !== undefined && { programId: owner.programIds[program] }),
      name: "key",
    });
  const withKey = (apiKey: string, options: Partial<Call> = {}): Call => ({
    certificatePem,
    ip,
    headers: [["X-API-Key", apiKey]],
    ...options,
  });

  beforeAll(async () => {
    pepper = await givenPepper();
    dns = await startDnsServer({
      names: Object.fromEntries([ip, "192.0.2.2", "192.0.2.4"].map((one) => [one, ["client.demo.test"]])),
      addresses: { "client.demo.test": [ip, "192.0.2.2", "192.0.2.4"] },
    });
    process.env.DNS_SERVERS = dns.address;
    authority = await givenAuthority();
    tenant = await givenTenant(2);
    certificatePem = await givenCertificate(authority, tenant);
    await register(certificatePem);
    await operator("allow-ip", { tenantId: tenant.tenantId, cidr: `${ip}/32` });
    programKey = await keyOf(tenant, 0);
    tenantKey = await keyOf(tenant);
  });
  afterAll(async () => {
    await dns.stop();
    await pepper.stop();
  });

  describe("lets in", () => {
    it("a Program-level key with its Program's scope and currency, for the whole stage", async () => {
      const verdict = await call(withKey(programKey.apiKey));
      expect(verdict).toEqual({
        status: 200,
        resource: "arn:aws:execute-api:eu-west-1:000000000000:abcdef1234/live/*",
        context: {
          level: "program",
          tenantId: tenant.tenantId,
          programId: tenant.programIds[0],
          currency: "2",
          apiUserId: programKey.apiUserId,
        },
      });
      const context = verdict.status === 200 && verdict.context;
      expect(AuthorizerContext.parse(context)).toMatchObject({ currency: 2 });
    });

    it("a Tenant-level key on any certificate of the Tenant", async () => {
      const verdict = await call(withKey(tenantKey.apiKey));
      expect(verdict).toMatchObject({
        status: 200,
        context: { level: "tenant", tenantId: tenant.tenantId, apiUserId: tenantKey.apiUserId },
      });
      expect(verdict).not.toHaveProperty("context.programId");
    });

    it("a key in a header of any case", async () => {
      for (const name of ["x-api-key", "X-API-KEY", "x-Api-kEy"]) {
        const headers = [[name, programKey.apiKey]] as const;
        expect(await call(withKey("", { headers }))).toMatchObject({ status: 200 });
      }
    });

    it("with one round trip to the table, and the pepper read once", async () => {
      const { cost } = await measure(() => call(withKey(programKey.apiKey)));
      expect(cost.roundTrips).toBe(1);
      expect(cost.calls.toSorted()).toEqual(["BatchGetItem", "Query"]);
      expect(pepper.reads()).toBe(1);
    });
  });

  describe("403 CERTIFICATE_NOT_AUTHORIZED, with a right key or none", () => {
    const refusesCertificate = async (pem: string | undefined) => {
      expect(await call(withKey(programKey.apiKey, { certificatePem: pem }))).toEqual(certificateRefused);
      expect(await call({ certificatePem: pem, ip })).toEqual(certificateRefused);
    };

    it("no certificate at all", () => refusesCertificate(undefined));

    it("what is no certificate", async () => {
      await refusesCertificate("");
      await refusesCertificate("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    });

    it("one that nobody registered, though our CA signed it for the same holder", async () =>
      refusesCertificate(await givenCertificate(authority, tenant)));

    it("a revoked one, on the very next request", async () => {
      const pem = await givenCertificate(authority, tenant);
      const revoked = await register(pem);
      expect(await call(withKey(programKey.apiKey, { certificatePem: pem }))).toMatchObject({ status: 200 });
      await operator("revoke-certificate", { tenantId: tenant.tenantId, certificateId: revoked });
      await refusesCertificate(pem);
    });

    it("a revoked one that is registered again", async () => {
      const pem = await givenCertificate(authority, tenant);
      const revoked = await register(pem);
      await operator("revoke-certificate", { tenantId: tenant.tenantId, certificateId: revoked });
      expect(await register(pem)).toBe(revoked);
      await refusesCertificate(pem);
    });

    it("one that is not valid yet", async () => {
      const validity = {
        notBefore: new Date(Date.now() + dayMs),
        notAfter: new Date(Date.now() + 2 * dayMs),
      };
      const pem = await givenCertificate(authority, tenant, validity);
      await register(pem);
      await refusesCertificate(pem);
    });

    it("one that is expired by the platform's clock", async () => {
      const pem = await givenCertificate(authority, tenant);
      await register(pem);
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * dayMs });
      await refusesCertificate(pem);
      vi.useRealTimers();
      expect(await call(withKey(programKey.apiKey, { certificatePem: pem }))).toMatchObject({ status: 200 });
    });

    it("one that is registered in another environment", async () => {
      const pem = await givenCertificate(authority, tenant);
      process.env.ENVIRONMENT_NAME = "production";
      await register(pem);
      process.env.ENVIRONMENT_NAME = "local";
      await refusesCertificate(pem);
    });
  });

  describe("403 IP_NOT_AUTHORIZED, with a right key, a wrong one or none", () => {
    it("an address that is not listed", async () => {
      const other = { ip: "192.0.2.2" };
      expect(await call(withKey(programKey.apiKey, other))).toEqual(addressRefused);
      expect(await call(withKey(tenantKey.apiKey, other))).toEqual(addressRefused);
      expect(await call(withKey("wrong", other))).toEqual(addressRefused);
      expect(await call({ certificatePem, ...other })).toEqual(addressRefused);
    });

    it("an address that is listed and has no name", async () => {
      const { tenantId } = tenant;
      await operator("allow-ip", { tenantId, cidr: "192.0.2.3/32" });
      expect(await call(withKey(programKey.apiKey, { ip: "192.0.2.3" }))).toEqual(addressRefused);
      expect(await call({ certificatePem, ip: "192.0.2.3" })).toEqual(addressRefused);
    });

    it("an address whose name nobody can tell, since DNS is dead; within a second", async () => {
      const { tenantId } = tenant;
      await operator("allow-ip", { tenantId, cidr: "192.0.2.4/32" });
      dns.setAnswering(false);
      const startMs = performance.now();
      expect(await call(withKey(programKey.apiKey, { ip: "192.0.2.4" }))).toEqual(addressRefused);
      expect(performance.now() - startMs).toBeLessThan(1_000);
      expect(await call({ certificatePem, ip: "192.0.2.4" })).toEqual(addressRefused);
      dns.setAnswering(true);
    });

    it("whatever address the headers claim", async () => {
      const headers = [
        ["X-API-Key", programKey.apiKey],
        ["X-Forwarded-For", ip],
        ["Forwarded", `for=${ip}`],
      ] as const;
      expect(await call({ certificatePem, ip: "192.0.2.2", headers })).toEqual(addressRefused);
    });

    it("an address that another Tenant has listed", async () => {
      const other = await givenTenant(1);
      await operator("allow-ip", { tenantId: other.tenantId, cidr: "192.0.2.2/32" });
      expect(await call(withKey(programKey.apiKey, { ip: "192.0.2.2" }))).toEqual(addressRefused);
    });
  });

  describe("an address that is listed for one Program", () => {
    let owner: GivenTenant;
    let pem: string;
    const callWith = (apiKey: string | undefined) =>
      call({ certificatePem: pem, ip, headers: apiKey === undefined ? [] : [["X-API-Key", apiKey]] });

    beforeAll(async () => {
      owner = await givenTenant(3);
      const [listed, unlisted] = owner.programIds as [string, string];
      pem = await givenCertificate(authority, owner, { programIds: [listed, unlisted] });
      await register(pem);
      await operator("allow-ip", { tenantId: owner.tenantId, programId: listed, cidr: `${ip}/32` });
    });

    it("opens that Program", async () => {
      const { apiKey } = await keyOf(owner, 0);
      expect(await callWith(apiKey)).toMatchObject({
        status: 200,
        context: { programId: owner.programIds[0] },
      });
    });

    it("does not open another Program, nor the Tenant's level: 403", async () => {
      expect(await callWith((await keyOf(owner, 1)).apiKey)).toEqual(addressRefused);
      expect(await callWith((await keyOf(owner)).apiKey)).toEqual(addressRefused);
    });

    it("answers 401 without a right key, as an address of the whole Tenant does", async () => {
      expect(await callWith(undefined)).toEqual(keyRefused);
      expect(await callWith((await keyOf(owner, 2)).apiKey)).toEqual(keyRefused);
      expect(await callWith(programKey.apiKey)).toEqual(keyRefused);
    });

    it("opens nothing on a certificate that does not name that Program: 403", async () => {
      const other = await givenCertificate(authority, owner, {
        programIds: [owner.programIds[1] as string],
      });
      await register(other);
      const { apiKey } = await keyOf(owner, 0);
      const headers = [["X-API-Key", apiKey]] as const;
      expect(await call({ certificatePem: other, ip, headers })).toEqual(addressRefused);
      expect(await call({ certificatePem: other, ip })).toEqual(addressRefused);
    });
  });

  describe("401", () => {
    it("without a key", async () => {
      expect(await call({ certificatePem, ip })).toEqual(keyRefused);
    });

    it("for what is no key, and for one that nobody has", async () => {
      const unknown = `cik_${"A".repeat(43)}`;
      for (const value of [
        "",
        " ",
        "wrong",
        "\0",
        "é",
        `${programKey.apiKey} `,
        "a".repeat(9_000),
        unknown,
      ]) {
        expect(await call(withKey(value))).toEqual(keyRefused);
      }
    });

    it("for a revoked key, on the very next request", async () => {
      const key = await keyOf(tenant, 0);
      expect(await call(withKey(key.apiKey))).toMatchObject({ status: 200 });
      await operator("revoke-api-key", { tenantId: tenant.tenantId, apiUserId: key.apiUserId });
      expect(await call(withKey(key.apiKey))).toEqual(keyRefused);
    });

    it("for another Tenant's keys, of both levels", async () => {
      const other = await givenTenant(1);
      expect(await call(withKey((await keyOf(other, 0)).apiKey))).toEqual(keyRefused);
      expect(await call(withKey((await keyOf(other)).apiKey))).toEqual(keyRefused);
    });

    it("for a Program that the certificate's OU does not name", async () => {
      const [named] = tenant.programIds as [string];
      const pem = await givenCertificate(authority, tenant, { programIds: [named] });
      await register(pem);
      const { apiKey } = await keyOf(tenant, 1);
      expect(await call(withKey(apiKey, { certificatePem: pem }))).toEqual(keyRefused);
      expect(await call(withKey(apiKey))).toMatchObject({ status: 200 });
    });

    it("for a key sent twice, in one name or two, though both are right", async () => {
      const { apiKey } = programKey;
      for (const names of [
        ["X-API-Key", "X-API-Key"],
        ["X-API-Key", "x-api-key"],
      ]) {
        const headers = names.map((name) => [name, apiKey] as const);
        expect(await call(withKey("", { headers }))).toEqual(keyRefused);
      }
      expect(await call(withKey(`${apiKey}, ${apiKey}`))).toEqual(keyRefused);
    });

    it("for a key anywhere but in its header", async () => {
      const { apiKey } = programKey;
      const headers = [
        ["Authorization", `Bearer ${apiKey}`],
        ["X-API-Key-", apiKey],
        [" X-API-Key", apiKey],
        ["Cookie", `X-API-Key=${apiKey}`],
      ] as const;
      expect(await call({ certificatePem, ip, headers, query: { "X-API-Key": apiKey } })).toEqual(keyRefused);
    });
  });

  describe("a table that does not answer", () => {
    it("lets nobody in, and blames nobody", async () => {
      const tableName = process.env.ACCOUNTS_TABLE;
      process.env.ACCOUNTS_TABLE = "no-such-table";
      await expect(call(withKey(programKey.apiKey))).rejects.toThrow();
      process.env.ACCOUNTS_TABLE = tableName;
    });

    it("is asked again for what it left out, since an unread certificate is not an unknown one", async () => {
      let answered = 0;
      table.middlewareStack.add(
        (next, context) => async (args) => {
          const answer = await next(args);
          if (context.commandName !== "BatchGetItemCommand" || ++answered > 1) return answer;
          const { RequestItems } = args.input as { RequestItems: unknown };
          return { ...answer, output: { ...answer.output, Responses: {}, UnprocessedKeys: RequestItems } };
        },
        { step: "initialize", priority: "low", name: "throttled" },
      );
      try {
        expect(await call(withKey(programKey.apiKey))).toMatchObject({ status: 200 });
        expect(answered).toBe(2);
      } finally {
        table.middlewareStack.remove("throttled");
      }
    });
  });

  describe("what is stored", () => {
    it("holds no API key, nor a hash that can be made without the pepper", async () => {
      const { Items } = await table.send(new ScanCommand({ TableName: process.env.ACCOUNTS_TABLE }));
      const text = JSON.stringify(Items);
      expect(text).toContain(programKey.apiUserId);
      expect(text).not.toContain(programKey.apiKey);
      expect(text).not.toContain(createHash("sha256").update(programKey.apiKey).digest("hex"));
    });

    it("opens nothing where it is not what the schema says", async () => {
      const pem = await givenCertificate(authority, tenant);
      await register(pem);
      const TableName = process.env.ACCOUNTS_TABLE;
      const Key = accountsKey.certificate(readClientCertificate(pem).fingerprint);
      const { Item } = await table.send(new GetCommand({ TableName, Key }));
      await table.send(new PutCommand({ TableName, Item: { ...Item, revokedAt: "soon" } }));
      await expect(call(withKey(programKey.apiKey, { certificatePem: pem }))).rejects.toThrow("revokedAt");
    });
  });
});
