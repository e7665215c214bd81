import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AuthorizerContext } from "../../../shared/contract/authorizer-context.ts";
import { usageKey } from "../../../shared/contract/rate-limits.ts";
import { operate } from "../../harness/administration.ts";
import { dayMs, givenCertificate } from "../../harness/given-certificates.ts";
import { measure } from "../../harness/measure.ts";
import { pepperReads } from "../../harness/pepper.ts";
import { call } from "./authorizer-event.ts";
import {
  certificateRefused,
  type GivenCaller,
  givenCaller,
  ip,
  keyRefused,
  moveToAnotherEnvironment,
  register,
} from "./given-caller.ts";

describe("the authorizer", () => {
  let caller: GivenCaller;

  beforeAll(async () => {
    caller = await givenCaller();
  });
  afterEach(() => void vi.useRealTimers());
  afterAll(() => caller.stop());

  describe("accepts", () => {
    it("a Program-level key with its Program's scope and currency, for the whole stage", async () => {
      const verdict = await call(caller.withKey(caller.programKey.apiKey));
      expect(verdict).toEqual({
        status: 200,
        resource: "arn:aws:execute-api:eu-west-1:000000000000:abcdef1234/live/*",
        usageKey: usageKey(caller.tenant.programIds[0] ?? "", "reads"),
        context: {
          level: "program",
          tenantId: caller.tenant.tenantId,
          programId: caller.tenant.programIds[0],
          currency: "2",
          apiUserId: caller.programKey.apiUserId,
        },
      });
      const context = verdict.status === 200 && verdict.context;
      expect(AuthorizerContext.parse(context)).toMatchObject({ currency: 2 });
    });

    it("a Tenant-level key on any certificate of the Tenant", async () => {
      const verdict = await call(caller.withKey(caller.tenantKey.apiKey));
      expect(verdict).toMatchObject({
        status: 200,
        context: { level: "tenant", tenantId: caller.tenant.tenantId, apiUserId: caller.tenantKey.apiUserId },
      });
      expect(verdict).not.toHaveProperty("context.programId");
    });

    it("a Tenant-level key alone on a certificate that names no Program", async () => {
      const pem = await givenCertificate(caller.authority, caller.tenant, { programIds: [] });
      await register(pem);
      const on = (apiKey: string) => call(caller.withKey(apiKey, { certificatePem: pem }));
      expect(await on(caller.tenantKey.apiKey)).toMatchObject({ status: 200, context: { level: "tenant" } });
      expect(await on(caller.programKey.apiKey)).toEqual(keyRefused);
    });

    it("a key in a header of any case", async () => {
      for (const name of ["x-api-key", "X-API-KEY", "x-Api-kEy"]) {
        const headers = [[name, caller.programKey.apiKey]] as const;
        expect(await call(caller.withKey("", { headers }))).toMatchObject({ status: 200 });
      }
    });

    it("with one round trip to the table, and the pepper not read again", async () => {
      await call(caller.withKey(caller.programKey.apiKey));
      const reads = pepperReads();
      const { cost } = await measure(() => call(caller.withKey(caller.programKey.apiKey)));
      expect(cost.roundTrips).toBe(1);
      expect(cost.calls.toSorted()).toEqual(["BatchGetItem", "Query"]);
      expect(pepperReads()).toBe(reads);
    });
  });

  describe("403 CERTIFICATE_NOT_AUTHORIZED, with a right key or none", () => {
    const refusesCertificate = async (pem: string | undefined) => {
      expect(await call(caller.withKey(caller.programKey.apiKey, { certificatePem: pem }))).toEqual(
        certificateRefused,
      );
      expect(await call({ certificatePem: pem, ip })).toEqual(certificateRefused);
    };

    it("no certificate", () => refusesCertificate(undefined));

    it("text that is not a certificate", async () => {
      await refusesCertificate("");
      await refusesCertificate("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    });

    it("an unregistered one that our CA signed for the same holder", async () =>
      refusesCertificate(await givenCertificate(caller.authority, caller.tenant)));

    it("a revoked one, on the very next request", async () => {
      const pem = await givenCertificate(caller.authority, caller.tenant);
      const revoked = await register(pem);
      expect(await call(caller.withKey(caller.programKey.apiKey, { certificatePem: pem }))).toMatchObject({
        status: 200,
      });
      await operate("revoke-certificate", { tenantId: caller.tenant.tenantId, certificateId: revoked });
      await refusesCertificate(pem);
    });

    it("a revoked one that is registered again", async () => {
      const pem = await givenCertificate(caller.authority, caller.tenant);
      const revoked = await register(pem);
      await operate("revoke-certificate", { tenantId: caller.tenant.tenantId, certificateId: revoked });
      expect(await register(pem)).toBe(revoked);
      await refusesCertificate(pem);
    });

    it("one that is not valid yet", async () => {
      const validity = {
        notBefore: new Date(Date.now() + dayMs),
        notAfter: new Date(Date.now() + 2 * dayMs),
      };
      const pem = await givenCertificate(caller.authority, caller.tenant, validity);
      await register(pem);
      await refusesCertificate(pem);
    });

    it("one that is expired by the platform's clock", async () => {
      const pem = await givenCertificate(caller.authority, caller.tenant);
      await register(pem);
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * dayMs });
      await refusesCertificate(pem);
      vi.useRealTimers();
      expect(await call(caller.withKey(caller.programKey.apiKey, { certificatePem: pem }))).toMatchObject({
        status: 200,
      });
    });

    it("one outside its time, which begins and ends to the millisecond", async () => {
      const notBefore = new Date(Math.floor(Date.now() / 1000) * 1000 + dayMs);
      const notAfter = new Date(notBefore.getTime() + dayMs);
      const pem = await givenCertificate(caller.authority, caller.tenant, { notBefore, notAfter });
      await register(pem);
      const at = (ms: number) => {
        vi.useFakeTimers({ toFake: ["Date"], now: ms });
        return call(caller.withKey(caller.programKey.apiKey, { certificatePem: pem }));
      };
      expect(await at(notBefore.getTime() - 1)).toEqual(certificateRefused);
      expect(await at(notBefore.getTime())).toMatchObject({ status: 200 });
      expect(await at(notAfter.getTime() - 1)).toMatchObject({ status: 200 });
      expect(await at(notAfter.getTime())).toEqual(certificateRefused);
    });

    it("one that is registered in another environment", async () => {
      const pem = await givenCertificate(caller.authority, caller.tenant);
      await register(pem);
      await moveToAnotherEnvironment(pem);
      await refusesCertificate(pem);
    });
  });
});
