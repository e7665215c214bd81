import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { handler as account } from "../../../functions/account/handler.ts";
import { operate } from "../../harness/administration.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { dayMs, givenCertificate } from "../../harness/given-certificates.ts";
import { givenTenant } from "../../harness/given-tenant.ts";
import { replay } from "../../harness/replay.ts";
import { type Call, call } from "./authorizer-event.ts";
import {
  addressRefused,
  certificateRefused,
  type GivenCaller,
  givenCaller,
  ip,
  keyOf,
  keyRefused,
  moveToAnotherEnvironment,
  register,
} from "./given-caller.ts";

// Everything is logged.
process.env.LOG_LEVEL = "DEBUG";

describe("a caller that is refused, and the log of it", () => {
  let caller: GivenCaller;
  const lines: string[] = [];

  beforeAll(async () => {
    for (const stream of [process.stdout, process.stderr])
      vi.spyOn(stream, "write").mockImplementation((line) => lines.push(String(line)) > 0);
    caller = await givenCaller();
  });
  afterEach(() => {
    vi.useRealTimers();
    caller.dns.setAnswering(true);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await caller.stop();
  });

  /** The verdict of a call, and what is logged of it. */
  const judged = async (request: Call) => {
    lines.length = 0;
    const verdict = await call(request);
    return { verdict, logged: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
  };
  const withKey = (apiKey: string, options?: Partial<Call>) => caller.withKey(apiKey, options);
  const registered = async (options: Parameters<typeof givenCertificate>[2] = {}) => {
    const certificatePem = await givenCertificate(caller.authority, caller.tenant, options);
    return { certificatePem, certificateId: await register(certificatePem) };
  };
  const allow = (cidr: string, programId?: string) =>
    operate("allow-ip", { tenantId: caller.tenant.tenantId, cidr, ...(programId && { programId }) });
  const revoke = (apiUserId: string) =>
    operate("revoke-api-key", { tenantId: caller.tenant.tenantId, apiUserId });

  /** For each cause how it comes about, and whose call it is known to be. */
  type Given = { readonly request: Call; readonly certificateId?: string; readonly apiUserId?: string };
  const ofKey = ({ apiKey, apiUserId }: { apiKey: string; apiUserId: string }): Given => ({
    request: withKey(apiKey),
    apiUserId,
  });
  const certificateCauses: Record<string, () => Promise<Given>> = {
    CERTIFICATE_UNKNOWN: async () => ({
      request: withKey("", { certificatePem: await givenCertificate(caller.authority, caller.tenant) }),
    }),
    CERTIFICATE_REVOKED: async () => {
      const { certificatePem, certificateId } = await registered();
      await operate("revoke-certificate", { tenantId: caller.tenant.tenantId, certificateId });
      return { request: withKey("", { certificatePem }), certificateId };
    },
    CERTIFICATE_OF_ANOTHER_ENVIRONMENT: async () => {
      const { certificatePem, certificateId } = await registered();
      await moveToAnotherEnvironment(certificatePem);
      return { request: withKey("", { certificatePem }), certificateId };
    },
    CERTIFICATE_NOT_VALID_NOW: async () => {
      const { certificatePem, certificateId } = await registered();
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * dayMs });
      return { request: withKey("", { certificatePem }), certificateId };
    },
  };
  const laterCauses: Record<string, () => Promise<Given>> = {
    IP_NOT_LISTED: async () => ({ request: withKey("", { ip: "192.0.2.9" }) }),
    IP_NAME_UNCONFIRMED: async () => {
      await allow("192.0.2.3/32");
      return { request: withKey("", { ip: "192.0.2.3" }) };
    },
    DNS_UNAVAILABLE: async () => {
      await allow("192.0.2.4/32");
      caller.dns.setAnswering(false);
      return { request: withKey("", { ip: "192.0.2.4" }) };
    },
    IP_NOT_LISTED_FOR_KEY: async () => {
      await allow("192.0.2.2/32", caller.tenant.programIds[0]);
      const { apiKey, apiUserId } = caller.tenantKey;
      return { request: withKey(apiKey, { ip: "192.0.2.2" }), apiUserId };
    },
    KEY_MISSING: async () => ({ request: { certificatePem: caller.certificatePem, ip } }),
    KEY_REPEATED: async () => ({
      request: withKey("", {
        headers: [
          ["X-API-Key", "a"],
          ["X-API-Key", "b"],
        ],
      }),
    }),
    KEY_MALFORMED: async () => ({ request: withKey("wrong") }),
    KEY_UNKNOWN: async () => ({ request: withKey(`cik_${"A".repeat(43)}`) }),
    KEY_REVOKED: async () => {
      const key = await keyOf(caller.tenant, 0);
      await revoke(key.apiUserId);
      return ofKey(key);
    },
    KEY_ROTATED: async () => {
      const key = await keyOf(caller.tenant);
      await replay(
        account,
        apiEvent({
          route: "POST /account/api-users/{apiUserId}/rotate",
          path: { apiUserId: key.apiUserId },
          caller: { level: "tenant", tenantId: caller.tenant.tenantId },
        }),
      );
      return ofKey(key);
    },
    KEY_OF_ANOTHER_TENANT: async () => ofKey(await keyOf(await givenTenant(1), 0)),
    ACCESS_SUSPENDED: async () => {
      const [, programId] = caller.tenant.programIds;
      await operate("suspend-program", { programId });
      return ofKey(await keyOf(caller.tenant, 1));
    },
    KEY_OF_ANOTHER_PROGRAM: async () => {
      const [programId = ""] = caller.tenant.programIds;
      const { certificatePem, certificateId } = await registered({ programIds: [programId] });
      const { apiKey, apiUserId } = await keyOf(caller.tenant, 1);
      return { request: withKey(apiKey, { certificatePem }), certificateId, apiUserId };
    },
  };

  /** Address and certificate are checked before the key: a right one helps nobody. */
  const withRightKey = (request: Call) => ({
    ...request,
    headers: [["X-API-Key", caller.programKey.apiKey]] as const,
  });
  const verdictOf = (cause: string): object => {
    if (cause.startsWith("CERTIFICATE_")) return certificateRefused;
    if (cause.startsWith("IP_")) return addressRefused;
    if (cause === "DNS_UNAVAILABLE") return { status: 503 };
    return cause === "ACCESS_SUSPENDED" ? { status: 403, code: "SUSPENDED" } : keyRefused;
  };

  /** One line, of all that is known, and of nothing that is not. */
  const expectCause = async (cause: string, request: Call, who: object) => {
    const {
      verdict,
      logged: [line, ...more],
    } = await judged(request);
    expect(verdict).toMatchObject(verdictOf(cause));
    expect(more).toEqual([]);
    if (/^(CERTIFICATE|IP|DNS)_/.test(cause) && cause !== "IP_NOT_LISTED_FOR_KEY")
      expect(await call(withRightKey(request))).toEqual(verdict);
    const { level, message, requestId, cause: told, tenantId, certificateId, apiUserId } = line ?? {};
    expect({ level, message, requestId, cause: told, tenantId, certificateId, apiUserId }).toEqual({
      level: "INFO",
      message: "The caller was rejected.",
      requestId: "00000000-0000-4000-8000-000000000000",
      cause,
      ...who,
    });
  };

  it("says that the certificate was missing or unreadable", async () => {
    await expectCause("CERTIFICATE_MISSING", { ip }, {});
    const empty = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (const certificatePem of ["", "broken", empty])
      await expectCause("CERTIFICATE_UNUSABLE", withKey("", { certificatePem }), {});
  });

  it.each(Object.entries(certificateCauses))(
    "tells %s, and whose certificate it is",
    async (cause, given) => {
      const { request, certificateId } = await given();
      await expectCause(cause, request, { tenantId: caller.tenant.tenantId, certificateId });
    },
  );

  it.each(Object.entries(laterCauses))("logs %s, and the caller", async (cause, given) => {
    const { request, certificateId = caller.certificateId, apiUserId } = await given();
    await expectCause(cause, request, { tenantId: caller.tenant.tenantId, certificateId, apiUserId });
  });

  it("has no line for an authorized caller, and never a key or a certificate", async () => {
    const { apiKey } = caller.programKey;
    expect((await judged(withKey(apiKey))).logged).toEqual([]);
    const told = [
      ...(await judged(withKey(`${apiKey}x`))).logged,
      ...(await judged(withKey(apiKey, { certificatePem: "broken" }))).logged,
      ...(await judged(withKey(apiKey, { ip: "192.0.2.9" }))).logged,
    ];
    expect(told).toHaveLength(3);
    expect(JSON.stringify(told)).not.toContain(apiKey.slice(4));
    expect(JSON.stringify(told)).not.toContain("BEGIN CERTIFICATE");
  });
});
