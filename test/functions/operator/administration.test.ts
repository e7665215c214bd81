import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import { table } from "../../../shared/platform/table/client.ts";
import { allowedIps } from "../../../shared/tenancy/allowlist/ip-allowlist.ts";
import { readProgram } from "../../../shared/tenancy/programs/program.ts";
import { tenants } from "../../../shared/tenancy/tenant.ts";
import { wallets } from "../../../shared/wallets/wallet.ts";
import { operate } from "../../harness/administration.ts";
import { custodyKeys } from "../../harness/engine.ts";
import { type GivenTenant, givenTenant } from "../../harness/given-tenant.ts";
import { storedAccountsItem } from "../../harness/stored.ts";
import { by, expectRejected, unknownTenant } from "./expect-rejected.ts";

describe("the operator function", () => {
  let tenant: GivenTenant;
  let other: GivenTenant;

  beforeAll(async () => {
    tenant = await givenTenant(2);
    other = await givenTenant(1);
  });

  it("rejects an unknown command", async () => {
    await expectRejected("drop-tables", {});
    await expectRejected("toString", {});
    await expectRejected("__proto__", {});
  });

  it("rejects an invalid input with its faults and without its values", async () => {
    await expect(operate("create-api-key", { tenantId: "secret-value", name: "" })).rejects.toThrow(
      /tenantId: .*; name: /,
    );
    await expect(operate("create-api-key", { tenantId: "secret-value", name: "" })).rejects.not.toThrow(
      /secret-value/,
    );
  });

  describe("create-tenant", () => {
    it("makes a Tenant and says who made it", async () => {
      const { tenantId } = await operate("create-tenant", {
        name: "Émile & Co",
        contactEmail: "contact@customer.example",
      });
      expect(await storedAccountsItem(tenants.key(tenantId))).toMatchObject({
        tenantId,
        name: "Émile & Co",
        createdBy: by,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      });
    });
  });

  describe("create-program", () => {
    it("creates a Program with its settings, and its first Wallet in its currency", async () => {
      const { programId, walletId } = await operate("create-program", {
        tenantId: tenant.tenantId,
        name: "Euro",
        currency: 3,
        settings: { extendedPublicKeys: custodyKeys },
      });
      expect(await readProgram(programId)).toMatchObject({
        tenantId: tenant.tenantId,
        currency: 3,
        defaultWalletId: walletId,
        settings: { issuanceApproval: 0, clearingDelaySeconds: 86_400, extendedPublicKeys: custodyKeys },
        createdBy: by,
      });
      const { Item } = await table.send(
        new GetCommand({ TableName: process.env.ISSUING_TABLE, Key: wallets.key(programId, walletId) }),
      );
      expect(Item).toMatchObject({ walletId, currency: 3, availableMinor: 0, ledgerMinor: 0 });
    });

    it("rejects an unknown Tenant and creates no Wallet", () =>
      expectRejected("create-program", {
        tenantId: unknownTenant,
        name: "Nobody's",
        currency: 0,
        settings: { extendedPublicKeys: custodyKeys },
      }));

    it("rejects an extended public key with a wrong character", () =>
      expectRejected("create-program", {
        tenantId: tenant.tenantId,
        name: "Slip",
        currency: 0,
        settings: {
          extendedPublicKeys: { ...custodyKeys, tron: custodyKeys.tron.replace("A", "B") },
        },
      }));
  });

  describe("allow-ip", () => {
    it("keeps one entry for a range in any notation", async () => {
      const { tenantId } = await givenTenant(0);
      for (const cidr of ["2001:db8::/32", "2001:0DB8:0::1/32"]) {
        expect(await operate("allow-ip", { tenantId, cidr })).toEqual({ cidr: "2001:db8::/32" });
      }
      expect(await allowedIps.list(tenantId)).toMatchObject([{ cidr: "2001:db8::/32", createdBy: by }]);
    });

    it("keeps a Program's entry apart from the Tenant's", async () => {
      const owner = await givenTenant(1);
      const [programId] = owner.programIds;
      await operate("allow-ip", { tenantId: owner.tenantId, programId, cidr: "192.0.2.0/24" });
      await operate("allow-ip", { tenantId: owner.tenantId, cidr: "192.0.2.0/24" });
      const entries = await allowedIps.list(owner.tenantId);
      expect(entries.map((entry) => entry.programId)).toEqual(expect.arrayContaining([programId, undefined]));
    });

    it("rejects an unknown Tenant, another Tenant's Program and an invalid range", async () => {
      const { tenantId } = tenant;
      const cidr = "192.0.2.1/32";
      await expectRejected("allow-ip", { tenantId: unknownTenant, cidr });
      await expectRejected("allow-ip", { tenantId, programId: other.programIds[0], cidr });
      for (const wrong of ["192.0.2.1", "192.0.2.1/33", "192.0.2/24", "0x7f.1/8", "::1/129", "any", ""]) {
        await expectRejected("allow-ip", { tenantId, cidr: wrong });
      }
    });
  });
});

it("tickets of unknown Tenants are rejected", async () => {
  const ticket = { tenantId: unknownTenant, ticketId: "tkt_00000000000000000000000000" };
  await expectRejected("view-ticket", ticket);
  await expectRejected("answer-ticket", { ...ticket, message: "x" });
  await expectRejected("resolve-ticket", ticket);
});
