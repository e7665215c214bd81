import { GetCommand, QueryCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CertifiedKey } from "../../../infra/local/issue-certificate.ts";
import { readCardDesign } from "../../../shared/program/card-design.ts";
import { readProgram } from "../../../shared/program/program.ts";
import { table } from "../../../shared/table/client.ts";
import { accountsKey, issuingKey } from "../../../shared/table/keys.ts";
import { hashApiKey } from "../../../shared/tenant/api-key.ts";
import { readClientCertificate } from "../../../shared/tenant/client-certificate.ts";
import { readAllowlist } from "../../../shared/tenant/ip-allowlist.ts";
import { lambdaContext } from "../../harness/replay.ts";
import {
  dayMs,
  extendedPublicKeys,
  type GivenTenant,
  givenAuthority,
  givenCertificate,
  givenPepper,
  givenTenant,
  operator,
  type SecretServer,
} from "../given-access.ts";

const nobody = "tnt_00000000000000000000000000";
const noProgram = "prg_00000000000000000000000000";
const by = `operator:${lambdaContext.awsRequestId}`;
const refused = expect.objectContaining({ name: "CommandRefused" });

const stored = async (key: { pk: string; sk: string }) =>
  (await table.send(new GetCommand({ TableName: process.env.ACCOUNTS_TABLE, Key: key }))).Item;
const everything = async () => {
  const tables = [process.env.ACCOUNTS_TABLE, process.env.ISSUING_TABLE];
  const scans = tables.map((TableName) => table.send(new ScanCommand({ TableName })));
  const items = (await Promise.all(scans)).flatMap(({ Items }) => Items ?? []);
  return items.map((item) => JSON.stringify(item, Object.keys(item).toSorted())).toSorted();
};
/** The command is refused, and no item of any table is another than before. */
const refusesAndChangesNothing = async (command: string, input: unknown) => {
  const before = await everything();
  await expect(operator(command as never, input)).rejects.toThrow(refused);
  expect(await everything()).toEqual(before);
};

describe("the operator function", () => {
  let pepper: SecretServer;
  let authority: CertifiedKey;
  let tenant: GivenTenant;
  let other: GivenTenant;

  beforeAll(async () => {
    pepper = await givenPepper();
    authority = await givenAuthority();
    tenant = await givenTenant(2);
    other = await givenTenant(1);
  });
  afterAll(() => pepper.stop());

  it("refuses what is no command", async () => {
    await refusesAndChangesNothing("drop-tables", {});
    await refusesAndChangesNothing("toString", {});
    await refusesAndChangesNothing("__proto__", {});
  });

  it("refuses an input by naming its faults and not its values", async () => {
    await expect(operator("create-api-key", { tenantId: "secret-value", name: "" })).rejects.toThrow(
      /tenantId: .*; name: /,
    );
    await expect(operator("create-api-key", { tenantId: "secret-value", name: "" })).rejects.not.toThrow(
      /secret-value/,
    );
  });

  describe("create-tenant", () => {
    it("makes a Tenant and says who made it", async () => {
      const { tenantId } = await operator("create-tenant", { name: "Émile & Co" });
      expect(await stored(accountsKey.tenant(tenantId))).toMatchObject({
        tenantId,
        name: "Émile & Co",
        createdBy: by,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      });
    });

    it("makes another one each time", async () => {
      const [one, two] = [await givenTenant(0), await givenTenant(0)];
      expect(one.tenantId).not.toBe(two.tenantId);
    });
  });

  describe("create-program", () => {
    it("makes a Program with its settings, and its first Wallet in its currency", async () => {
      const { programId, walletId } = await operator("create-program", {
        tenantId: tenant.tenantId,
        name: "Euro",
        currency: 3,
        settings: { extendedPublicKeys },
      });
      expect(await readProgram(programId)).toMatchObject({
        tenantId: tenant.tenantId,
        currency: 3,
        defaultWalletId: walletId,
        settings: { issuanceApproval: 0, clearingDelaySeconds: 86_400, extendedPublicKeys },
        createdBy: by,
      });
      const { Item } = await table.send(
        new GetCommand({ TableName: process.env.ISSUING_TABLE, Key: issuingKey.wallet(programId, walletId) }),
      );
      expect(Item).toMatchObject({ walletId, currency: 3, availableMinor: 0, ledgerMinor: 0 });
    });

    it("refuses an unknown Tenant, and leaves no Wallet behind", () =>
      refusesAndChangesNothing("create-program", {
        tenantId: nobody,
        name: "Nobody's",
        currency: 0,
        settings: { extendedPublicKeys },
      }));

    it("refuses an extended public key with a slip in it", () =>
      refusesAndChangesNothing("create-program", {
        tenantId: tenant.tenantId,
        name: "Slip",
        currency: 0,
        settings: {
          extendedPublicKeys: { ...extendedPublicKeys, tron: extendedPublicKeys.tron.replace("A", "B") },
        },
      }));
  });

  describe("create-api-key and revoke-api-key", () => {
    it("keep the key under its keyed hash alone", async () => {
      const { apiKey, apiUserId } = await operator("create-api-key", {
        tenantId: tenant.tenantId,
        programId: tenant.programIds[0],
        name: "backend",
      });
      expect(apiKey).toMatch(/^cik_[\w-]{43}$/);
      expect(await stored(accountsKey.apiKey(await hashApiKey(apiKey)))).toMatchObject({
        level: "program",
        programId: tenant.programIds[0],
        currency: 2,
        apiUserId,
        createdBy: by,
      });
      expect((await everything()).join()).not.toContain(apiKey.slice(4));
    });

    it("refuse a Program of another Tenant, an unknown Tenant and an unknown Program", async () => {
      const [programId] = other.programIds;
      await refusesAndChangesNothing("create-api-key", { tenantId: tenant.tenantId, programId, name: "x" });
      await refusesAndChangesNothing("create-api-key", { tenantId: nobody, name: "x" });
      const unknown = { tenantId: tenant.tenantId, programId: noProgram, name: "x" };
      await refusesAndChangesNothing("create-api-key", unknown);
    });

    it("revoke once and for all: the first revocation stands", async () => {
      const { tenantId } = tenant;
      const { apiKey, apiUserId } = await operator("create-api-key", { tenantId, name: "x" });
      await operator("revoke-api-key", { tenantId, apiUserId });
      const key = accountsKey.apiKey(await hashApiKey(apiKey));
      const first = await stored(key);
      expect(first).toMatchObject({ revokedBy: by, revokedAt: expect.any(String) });
      expect(await operator("revoke-api-key", { tenantId, apiUserId })).toEqual({ apiUserId });
      expect(await stored(key)).toEqual(first);
    });

    it("do not revoke another Tenant's key", async () => {
      const { apiUserId } = await operator("create-api-key", { tenantId: other.tenantId, name: "x" });
      await refusesAndChangesNothing("revoke-api-key", { tenantId: tenant.tenantId, apiUserId });
    });
  });

  describe("register-certificate and revoke-certificate", () => {
    it("know a certificate by its fingerprint, and the second registration as the first", async () => {
      const certificatePem = await givenCertificate(authority, tenant);
      const first = await operator("register-certificate", { certificatePem });
      const { fingerprint, notAfter, serialNumber } = readClientCertificate(certificatePem);
      expect(first).toMatchObject({ notAfter: notAfter.toISOString(), serialNumber });
      expect(await stored(accountsKey.certificate(fingerprint))).toMatchObject({
        certificateId: first.certificateId,
        tenantId: tenant.tenantId,
        programIds: tenant.programIds,
        environment: "local",
        createdBy: by,
      });
      const before = await everything();
      expect(await operator("register-certificate", { certificatePem })).toEqual(first);
      expect(await everything()).toEqual(before);
    });

    it("register one certificate once, however many ask at a time", async () => {
      const certificatePem = await givenCertificate(authority, tenant);
      const answers = await Promise.all(
        [...Array(8)].map(() => operator("register-certificate", { certificatePem })),
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

    it("refuse another Tenant's Program, an unknown one, an unknown Tenant", async () => {
      const programIds = [tenant.programIds[0] as string, other.programIds[0] as string];
      const holders = [
        { ...tenant, programIds },
        { ...tenant, programIds: [noProgram] },
        { tenantId: nobody, programIds: tenant.programIds },
      ];
      for (const holder of holders) {
        const certificatePem = await givenCertificate(authority, holder);
        await refusesAndChangesNothing("register-certificate", { certificatePem });
      }
    });

    it("refuse an expired certificate, and what is none", async () => {
      const expired = await givenCertificate(authority, tenant, {
        notBefore: new Date(Date.now() - 2 * dayMs),
        notAfter: new Date(Date.now() - dayMs),
      });
      await refusesAndChangesNothing("register-certificate", { certificatePem: expired });
      await refusesAndChangesNothing("register-certificate", { certificatePem: "certificate" });
    });

    it("revoke once and for all, and only the Tenant's own", async () => {
      const certificatePem = await givenCertificate(authority, tenant);
      const { certificateId } = await operator("register-certificate", { certificatePem });
      await refusesAndChangesNothing("revoke-certificate", { tenantId: other.tenantId, certificateId });
      await operator("revoke-certificate", { tenantId: tenant.tenantId, certificateId });
      const key = accountsKey.certificate(readClientCertificate(certificatePem).fingerprint);
      const first = await stored(key);
      expect(first).toMatchObject({ revokedBy: by });
      await operator("revoke-certificate", { tenantId: tenant.tenantId, certificateId });
      await operator("register-certificate", { certificatePem });
      expect(await stored(key)).toEqual(first);
    });
  });

  describe("allow-ip", () => {
    it("keeps one entry for one range, however it is written", async () => {
      const { tenantId } = await givenTenant(0);
      for (const cidr of ["2001:db8::/32", "2001:0DB8:0::1/32"]) {
        expect(await operator("allow-ip", { tenantId, cidr })).toEqual({ cidr: "2001:db8::/32" });
      }
      expect(await readAllowlist(tenantId)).toMatchObject([{ cidr: "2001:db8::/32", createdBy: by }]);
    });

    it("keeps a Program's entry apart from the Tenant's", async () => {
      const owner = await givenTenant(1);
      const [programId] = owner.programIds;
      await operator("allow-ip", { tenantId: owner.tenantId, programId, cidr: "192.0.2.0/24" });
      await operator("allow-ip", { tenantId: owner.tenantId, cidr: "192.0.2.0/24" });
      const entries = await readAllowlist(owner.tenantId);
      expect(entries.map((entry) => entry.programId)).toEqual(expect.arrayContaining([programId, undefined]));
    });

    it("refuses an unknown Tenant, another Tenant's Program, and what is no range", async () => {
      const { tenantId } = tenant;
      const cidr = "192.0.2.1/32";
      await refusesAndChangesNothing("allow-ip", { tenantId: nobody, cidr });
      await refusesAndChangesNothing("allow-ip", { tenantId, programId: other.programIds[0], cidr });
      for (const wrong of ["192.0.2.1", "192.0.2.1/33", "192.0.2/24", "0x7f.1/8", "::1/129", "any", ""]) {
        await refusesAndChangesNothing("allow-ip", { tenantId, cidr: wrong });
      }
    });

    it("reads every page of a long list", async () => {
      const { tenantId } = await givenTenant(0);
      const cidrs = [...Array(40).keys()].map((number) => `192.0.2.${number}/32`);
      await Promise.all(cidrs.map((cidr) => operator("allow-ip", { tenantId, cidr })));
      table.middlewareStack.add(
        (next, context) => (args) =>
          next(
            context.commandName === "QueryCommand" ? { ...args, input: { ...args.input, Limit: 7 } } : args,
          ),
        { step: "initialize", name: "short-pages" },
      );
      const entries = await readAllowlist(tenantId).finally(() =>
        table.middlewareStack.remove("short-pages"),
      );
      expect(entries.map((entry) => entry.cidr).toSorted()).toEqual(cidrs.toSorted());
    });
  });

  describe("approve-design", () => {
    it("approves a slot, and again", async () => {
      const [programId] = tenant.programIds as [string];
      expect(await readCardDesign(programId, 1)).toBeUndefined();
      expect(await operator("approve-design", { programId, cardType: 1, name: "Blue" })).toEqual({
        cardType: 1,
      });
      await operator("approve-design", { programId, cardType: 1, name: "Green" });
      expect(await readCardDesign(programId, 1)).toMatchObject({ name: "Green", status: 1, updatedBy: by });
    });

    it("refuses an unknown Program and a slot that there is not", async () => {
      await refusesAndChangesNothing("approve-design", { programId: noProgram, cardType: 0, name: "x" });
      const [programId] = tenant.programIds;
      await refusesAndChangesNothing("approve-design", { programId, cardType: 3, name: "x" });
    });
  });
});
