import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type DnsServer, startDnsServer } from "../../../infra/local/dns.ts";
import {
  type GivenTenant,
  givenAuthority,
  givenCertificate,
  givenPepper,
  givenTenant,
  operator,
  type SecretServer,
} from "../given-access.ts";
import { call } from "./authorizer-event.ts";

// Read when the logger is imported: everything is logged, to this process's own console.
vi.hoisted(() => {
  process.env.LOG_LEVEL = "DEBUG";
  process.env.POWERTOOLS_DEV = "true";
});

const ip = "192.0.2.1";

describe("the authorizer's log", () => {
  let dns: DnsServer;
  let pepper: SecretServer;
  let tenant: GivenTenant;
  let certificatePem: string;
  let certificateId: string;
  const lines: string[] = [];

  beforeAll(async () => {
    for (const method of ["debug", "info", "warn", "error", "log"] as const) {
      vi.spyOn(console, method).mockImplementation((line) => void lines.push(String(line)));
    }
    pepper = await givenPepper();
    dns = await startDnsServer({
      names: { [ip]: ["client.demo.test"] },
      addresses: { "client.demo.test": [ip] },
    });
    process.env.DNS_SERVERS = dns.address;
    const authority = await givenAuthority();
    tenant = await givenTenant(1);
    certificatePem = await givenCertificate(authority, tenant);
    ({ certificateId } = await operator("register-certificate", { certificatePem }));
    for (const cidr of [`${ip}/32`, "192.0.2.2/32"]) {
      await operator("allow-ip", { tenantId: tenant.tenantId, cidr });
    }
    lines.length = 0;
  });
  afterEach(() => {
    lines.length = 0;
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await dns.stop();
    await pepper.stop();
  });

  const newKey = () =>
    operator("create-api-key", {
      tenantId: tenant.tenantId,
      programId: tenant.programIds[0],
      name: "key",
    });

  it("tells why a key was refused and whose it is, and never the key", async () => {
    const { apiKey, apiUserId } = await newKey();
    await operator("revoke-api-key", { tenantId: tenant.tenantId, apiUserId });
    lines.length = 0;
    await call({ certificatePem, ip, headers: [["X-API-Key", apiKey]] });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        cause: "KEY_REVOKED",
        requestId: "00000000-0000-4000-8000-000000000000",
        tenantId: tenant.tenantId,
        certificateId,
        apiUserId,
      }),
    ]);
    expect(lines.join()).not.toContain(apiKey.slice(4));
  });

  it("tells an address that is not listed from one without a confirmed name", async () => {
    await call({ certificatePem, ip: "192.0.2.3" });
    await call({ certificatePem, ip: "192.0.2.2" });
    expect(lines.map((line) => (JSON.parse(line) as { cause: string }).cause)).toEqual([
      "IP_NOT_LISTED",
      "IP_NAME_UNCONFIRMED",
    ]);
  });

  it("says nothing of who is let in, and never holds a key or a certificate", async () => {
    const { apiKey } = await newKey();
    lines.length = 0;
    await call({ certificatePem, ip, headers: [["X-API-Key", apiKey]] });
    expect(lines).toEqual([]);
    await call({ certificatePem, ip, headers: [["X-API-Key", `${apiKey}x`]] });
    await call({ certificatePem: "broken", ip, headers: [["X-API-Key", apiKey]] });
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toContain(apiKey.slice(4));
    expect(lines.join()).not.toContain("BEGIN CERTIFICATE");
  });
});
