import { createHash } from "node:crypto";
import { GetCommand, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { table } from "../../../shared/platform/table/client.ts";
import { certificates } from "../../../shared/tenancy/certificates/certificate.ts";
import { readClientCertificate } from "../../../shared/tenancy/certificates/client-certificate.ts";
import { operate } from "../../harness/administration.ts";
import { givenCertificate } from "../../harness/given-certificates.ts";
import { givenTenant } from "../../harness/given-tenant.ts";
import { call } from "./authorizer-event.ts";
import { type GivenCaller, givenCaller, ip, keyOf, keyRefused, register } from "./given-caller.ts";

describe("the authorizer", () => {
  let caller: GivenCaller;

  beforeAll(async () => {
    caller = await givenCaller();
  });
  afterAll(() => caller.stop());

  describe("401", () => {
    it("without a key", async () => {
      expect(await call({ certificatePem: caller.certificatePem, ip })).toEqual(keyRefused);
    });

    it("for a malformed key and for an unknown one", async () => {
      const unknown = `cik_${"A".repeat(43)}`;
      for (const value of [
        "",
        " ",
        "wrong",
        "\0",
        "é",
        `${caller.programKey.apiKey} `,
        "a".repeat(9_000),
        unknown,
      ]) {
        expect(await call(caller.withKey(value))).toEqual(keyRefused);
      }
    });

    it("for a revoked key, on the very next request", async () => {
      const key = await keyOf(caller.tenant, 0);
      expect(await call(caller.withKey(key.apiKey))).toMatchObject({ status: 200 });
      await operate("revoke-api-key", { tenantId: caller.tenant.tenantId, apiUserId: key.apiUserId });
      expect(await call(caller.withKey(key.apiKey))).toEqual(keyRefused);
    });

    it("for another Tenant's keys, of both levels", async () => {
      const other = await givenTenant(1);
      expect(await call(caller.withKey((await keyOf(other, 0)).apiKey))).toEqual(keyRefused);
      expect(await call(caller.withKey((await keyOf(other)).apiKey))).toEqual(keyRefused);
    });

    it("for a Program that the certificate's OU does not name", async () => {
      const [named] = caller.tenant.programIds as [string];
      const pem = await givenCertificate(caller.authority, caller.tenant, { programIds: [named] });
      await register(pem);
      const { apiKey } = await keyOf(caller.tenant, 1);
      expect(await call(caller.withKey(apiKey, { certificatePem: pem }))).toEqual(keyRefused);
      expect(await call(caller.withKey(apiKey))).toMatchObject({ status: 200 });
    });

    it("for a key sent twice, in one name or two, though both are right", async () => {
      const { apiKey } = caller.programKey;
      for (const names of [
        ["X-API-Key", "X-API-Key"],
        ["X-API-Key", "x-api-key"],
      ]) {
        const headers = names.map((name) => [name, apiKey] as const);
        expect(await call(caller.withKey("", { headers }))).toEqual(keyRefused);
      }
      expect(await call(caller.withKey(`${apiKey}, ${apiKey}`))).toEqual(keyRefused);
    });

    it("for a key anywhere but in its header", async () => {
      const { apiKey } = caller.programKey;
      const headers = [
        ["Authorization", `Bearer ${apiKey}`],
        ["X-API-Key-", apiKey],
        [" X-API-Key", apiKey],
        ["Cookie", `X-API-Key=${apiKey}`],
      ] as const;
      expect(
        await call({ certificatePem: caller.certificatePem, ip, headers, query: { "X-API-Key": apiKey } }),
      ).toEqual(keyRefused);
    });
  });

  describe("stored items", () => {
    it("holds no API key, nor a hash that can be made without the pepper", async () => {
      const { Items } = await table.send(new ScanCommand({ TableName: process.env.ACCOUNTS_TABLE }));
      const text = JSON.stringify(Items);
      expect(text).toContain(caller.programKey.apiUserId);
      expect(text).not.toContain(caller.programKey.apiKey);
      expect(text).not.toContain(createHash("sha256").update(caller.programKey.apiKey).digest("hex"));
    });

    it("make the authorizer fail if one does not match its schema", async () => {
      const pem = await givenCertificate(caller.authority, caller.tenant);
      await register(pem);
      const TableName = process.env.ACCOUNTS_TABLE;
      const Key = certificates.key(readClientCertificate(pem).fingerprint);
      const { Item } = await table.send(new GetCommand({ TableName, Key }));
      await table.send(new PutCommand({ TableName, Item: { ...Item, revokedAt: "soon" } }));
      await expect(call(caller.withKey(caller.programKey.apiKey, { certificatePem: pem }))).rejects.toThrow(
        "revokedAt",
      );
    });
  });
});
