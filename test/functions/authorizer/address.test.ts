import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { Metrics } from "../../../infra/local/telemetry.ts";
import { operate } from "../../harness/administration.ts";
import { givenCertificate } from "../../harness/given-certificates.ts";
import { type GivenTenant, givenTenant } from "../../harness/given-tenant.ts";
import { call } from "./authorizer-event.ts";
import {
  addressRefused,
  type GivenCaller,
  givenCaller,
  ip,
  keyOf,
  keyRefused,
  register,
} from "./given-caller.ts";

// Measurements alone are written.
process.env.LOG_LEVEL = "ERROR";

describe("the authorizer", () => {
  let caller: GivenCaller;

  beforeAll(async () => {
    caller = await givenCaller();
  });
  afterAll(() => caller.stop());

  describe("403 IP_NOT_AUTHORIZED, with a right key, a wrong one or none", () => {
    it("whatever address the headers claim", async () => {
      const headers = [
        ["X-API-Key", caller.programKey.apiKey],
        ["X-Forwarded-For", ip],
        ["Forwarded", `for=${ip}`],
      ] as const;
      expect(await call({ certificatePem: caller.certificatePem, ip: "192.0.2.2", headers })).toEqual(
        addressRefused,
      );
    });

    it("an address that another Tenant has listed", async () => {
      const other = await givenTenant(1);
      await operate("allow-ip", { tenantId: other.tenantId, cidr: "192.0.2.2/32" });
      expect(await call(caller.withKey(caller.programKey.apiKey, { ip: "192.0.2.2" }))).toEqual(
        addressRefused,
      );
    });
  });

  describe("while DNS does not answer", () => {
    afterEach(() => {
      caller.dns.setAnswering(true);
      vi.useRealTimers();
      vi.restoreAllMocks();
    });
    const minutesLater = (minutes: number) =>
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60_000 });

    it("answers 503 to an address that was never confirmed, whatever the key; within a second", async () => {
      const { tenantId } = caller.tenant;
      await operate("allow-ip", { tenantId, cidr: "192.0.2.192/26" });
      caller.dns.setAnswering(false);
      // Other work only adds to it: one address that is answered in time is enough.
      let quickestMs = Number.POSITIVE_INFINITY;
      for (let host = 192; host < 202 && quickestMs >= 1_000; host += 1) {
        const confirmedNever = { ip: `192.0.2.${host}` };
        const startMs = performance.now();
        expect(await call(caller.withKey(caller.programKey.apiKey, confirmedNever))).toEqual({ status: 503 });
        quickestMs = Math.min(quickestMs, performance.now() - startMs);
        expect(await call(caller.withKey("wrong", confirmedNever))).toEqual({ status: 503 });
      }
      expect(quickestMs).toBeLessThan(1_000);
    });

    it("answers 403 to an address that is not listed: that needs no DNS", async () => {
      caller.dns.setAnswering(false);
      expect(await call(caller.withKey(caller.programKey.apiKey, { ip: "192.0.2.9" }))).toEqual(
        addressRefused,
      );
    });

    it("accepts an address that was confirmed within ten minutes, and counts it", async () => {
      const request = caller.withKey(caller.programKey.apiKey);
      expect(await call(request)).toMatchObject({ status: 200 });
      caller.dns.setAnswering(false);
      minutesLater(2);
      const lines: string[] = [];
      vi.spyOn(process.stdout, "write").mockImplementation((chunk) => lines.push(String(chunk)) > 0);
      expect(await call(request)).toMatchObject({ status: 200 });
      expect(await call(caller.withKey("wrong"))).toEqual(keyRefused);
      const metrics = new Metrics();
      for (const line of lines) metrics.hear(line);
      expect(metrics.all().faults).toEqual([]);
      expect(metrics.all().metrics).toMatchObject([{ name: "AllowedWithoutDns", sum: 1 }]);
      expect(
        lines.map((line) => JSON.parse(line)).filter(({ AllowedWithoutDns }) => AllowedWithoutDns),
      ).toEqual([
        expect.objectContaining({
          message: "DNS does not answer: an earlier confirmation counts.",
          tenantId: caller.tenant.tenantId,
        }),
      ]);
      minutesLater(10);
      expect(await call(request)).toEqual({ status: 503 });
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
      pem = await givenCertificate(caller.authority, owner, { programIds: [listed, unlisted] });
      await register(pem);
      await operate("allow-ip", { tenantId: owner.tenantId, programId: listed, cidr: `${ip}/32` });
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
      expect(await callWith(caller.programKey.apiKey)).toEqual(keyRefused);
    });

    it("opens nothing on a certificate that does not name that Program: 403", async () => {
      const other = await givenCertificate(caller.authority, owner, {
        programIds: [owner.programIds[1] as string],
      });
      await register(other);
      const { apiKey } = await keyOf(owner, 0);
      const headers = [["X-API-Key", apiKey]] as const;
      expect(await call({ certificatePem: other, ip, headers })).toEqual(addressRefused);
      expect(await call({ certificatePem: other, ip })).toEqual(addressRefused);
    });
  });
});
