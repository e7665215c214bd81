import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Connection } from "../../infra/development/connection.ts";
import { givenAuthority } from "../harness/given-certificates.ts";
import {
  expectAddressRefused,
  expectCertificateRefused,
  expectKeyRefused,
  expectNoOperation,
} from "./expect-error.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";
import { send, type TlsRequest } from "./tls-request.ts";

const [listed, unlisted, nameless] = ["127.0.0.1", "127.0.0.2", "127.0.0.3"] as const;

describe("who gets in", () => {
  let given: GivenPlatform;
  let connection: Connection;
  let programKey: Record<string, string>;
  let tenantKey: Record<string, string>;

  beforeAll(async () => {
    given = await givenPlatform();
    ({ connection } = given);
    programKey = { "X-API-Key": connection.programApiKey };
    tenantKey = { "X-API-Key": connection.tenantApiKey };
  });
  afterAll(() => given?.stop());

  const call = (options: Partial<TlsRequest> = {}) => send(connection, { path: "/wallets", ...options });

  describe("200", () => {
    it("for certificate, address and key, over IPv4 and IPv6", async () => {
      for (const from of [listed, "::1"]) {
        const answer = await call({ from, headers: programKey });
        expect(answer).toMatchObject({ status: 200, body: { status: "success" } });
        expect(answer.body.items).toMatchObject([{ walletId: connection.walletId }]);
      }
    });
  });

  describe("no HTTP response", () => {
    it("without a client certificate, and for one of another environment's CA", async () => {
      const refused = /ECONNRESET|EPROTO|EPIPE|SSL/;
      await expect(call({ client: "none", headers: programKey })).rejects.toThrow(refused);
      const client = await given.certificateFor({ authority: await givenAuthority() });
      await given.register(client);
      await expect(call({ client, headers: programKey })).rejects.toThrow(refused);
    });

    it("for a certificate whose key the caller does not have", async () => {
      const { certificatePem } = await given.certificateFor();
      const { keyPem } = await given.certificateFor();
      await expect(call({ client: { certificatePem, keyPem }, headers: programKey })).rejects.toThrow();
    });
  });

  describe("403 CERTIFICATE_NOT_AUTHORIZED", () => {
    it("for an unregistered certificate of our CA, with any key and address", async () => {
      const client = await given.certificateFor();
      expectCertificateRefused(await call({ client, headers: programKey }));
      expectCertificateRefused(await call({ client }));
      expectCertificateRefused(await call({ client, from: unlisted }));
    });
  });

  it.each([
    ["an address that is not listed", unlisted],
    ["an address that FCrDNS does not confirm", nameless],
  ])("403 IP_NOT_AUTHORIZED for %s, whatever it claims, on any route and on the sandbox", async (_, from) => {
    const headers = { ...programKey, "X-Forwarded-For": listed, Forwarded: `for=${listed}` };
    expectAddressRefused(await call({ from, headers }));
    expectAddressRefused(await call({ from, path: "/nowhere", headers: tenantKey }));
    expectAddressRefused(await call({ from, base: "sandboxUrl", path: "/nowhere" }));
  });

  describe("401", () => {
    it("without a key, and with a wrong one", async () => {
      expectKeyRefused(await call());
      expectKeyRefused(await call({ headers: { "X-API-Key": "" } }));
      expectKeyRefused(await call({ headers: { "X-API-Key": "wrong" } }));
      expectKeyRefused(await call({ headers: { "X-API-Key": `${connection.programApiKey}x` } }));
    });

    it("on a route that does not exist, as on any other", async () => {
      expectKeyRefused(await call({ path: "/nowhere" }));
      expectKeyRefused(await call({ method: "PATCH", path: "/wallets" }));
    });
  });

  describe("an unknown route, after the caller is authorized", () => {
    it("is 404", async () => {
      expectNoOperation(await call({ path: "/nowhere", headers: programKey }));
      expectNoOperation(await call({ path: "/wallets/a/b/c/d", headers: programKey }));
      expectNoOperation(await call({ path: "/", headers: programKey }));
      expectNoOperation(await call({ path: "/nowhere", headers: tenantKey }));
      expectNoOperation(await call({ base: "sandboxUrl", path: "/nowhere", headers: programKey }));
    });

    it("is 404 or 405 if only the method is unknown", async () => {
      const answer = await call({ method: "PATCH", path: "/wallets", headers: programKey });
      expect([404, 405]).toContain(answer.status);
      expect(answer.body).toMatchObject({ status: "error" });
    });
  });

  it("the sandbox checks the same credentials by the same rules", async () => {
    const path = `/wallets/${connection.walletId}/deposits`;
    const deposit = { method: "POST", base: "sandboxUrl", path, body: { amount: 100 } } as const;
    expect(await call({ ...deposit, headers: programKey })).toMatchObject({ status: 200 });
    expectKeyRefused(await call(deposit));
    const client = await given.certificateFor();
    expectCertificateRefused(await call({ ...deposit, headers: programKey, client }));
  });
});
