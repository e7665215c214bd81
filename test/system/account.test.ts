import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { person } from "../harness/person.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";
import { send, type TlsRequest } from "./tls-request.ts";

describe("a Tenant that runs itself", () => {
  let given: GivenPlatform;
  beforeAll(async () => {
    given = await givenPlatform();
  });
  afterAll(() => given?.stop());

  it("gets from its first key to its first card, and replaces its keys without a gap", async () => {
    const { connection, operate } = given;
    const { tenantId, apiKey: tenantKey } = await operate("create-tenant", {
      name: "New",
      contactEmail: "contact@customer.example",
    });
    await operate("allow-ip", { tenantId, cidr: "127.0.0.1/32" });
    const first = await given.certificateFor({ tenantId, programIds: [] });
    await given.register(first);
    const caller = (client: TlsRequest["client"], apiKey: string) => {
      return (method: string, path: string, body?: unknown, base: TlsRequest["base"] = "baseUrl") =>
        send(connection, {
          client,
          method,
          path,
          base,
          headers: { "X-API-Key": apiKey },
          ...(body !== undefined && { body }),
        });
    };
    const account = caller(first, tenantKey);

    const program = await account("POST", "/account/programs", {
      name: "First",
      currency: 2,
    });
    expect(program).toMatchObject({ status: 200 });
    const { programId, walletId } = program.body.data as Record<string, string>;
    await operate("set-clearing-delay", { programId, seconds: 0 });
    const base = `/account/programs/${programId}`;
    expect(await account("POST", `${base}/card-designs`, { cardType: 2, name: "Blue" })).toMatchObject({
      status: 200,
    });
    expect((await operate("list-designs", { limit: 100 })).designs).toMatchObject([
      { programId, cardType: 2 },
    ]);
    await operate("approve-design", { programId, cardType: 2 });
    const user = await account("POST", `${base}/api-users`, { name: "Backend" });
    const { apiUserId, apiKey } = user.body.data as Record<string, string>;

    const certificate = await given.certificateFor({ tenantId, programIds: [programId ?? ""] });
    await given.register(certificate);
    const backend = caller(certificate, apiKey ?? "");
    expect(await backend("GET", "/account/programs")).toMatchObject({ status: 404 });
    expect((await backend("GET", "/wallets")).body.items).toMatchObject([{ walletId, walletCurrencyId: 2 }]);
    const cardholder = await backend("POST", "/cardholders", person);
    const { cardholderId } = cardholder.body.data as Record<string, string>;
    await backend("POST", `/cardholders/${cardholderId}/submit`, {});
    await backend("POST", `/cardholders/${cardholderId}/kyc-outcome`, { status: 1 }, "sandboxUrl");
    const card = await backend("POST", "/cards", { cardholderId, cardForm: 0, cardType: 2 });
    expect(card).toMatchObject({ status: 200, body: { data: { cardStatus: 1, issuerCardStatus: 1 } } });
    expect((card.body.data as { cryptoAddresses: unknown[] }).cryptoAddresses).toHaveLength(3);

    const rotated = await account("POST", `${base}/api-users/${apiUserId}/rotate`, { overlapSeconds: 600 });
    const successor = caller(certificate, (rotated.body.data as Record<string, string>).apiKey ?? "");
    expect([(await backend("GET", "/cards")).status, (await successor("GET", "/cards")).status]).toEqual([
      200, 200,
    ]);
    await given.platform.clock.advance(600_000);
    expect([(await backend("GET", "/cards")).status, (await successor("GET", "/cards")).status]).toEqual([
      401, 200,
    ]);
    expect(await account("DELETE", `${base}/api-users/${apiUserId}`)).toMatchObject({ status: 200 });
    expect(await successor("GET", "/cards")).toMatchObject({ status: 401 });

    const { items } = (await account("GET", "/account/audit-log?sort=asc&orderBy=auditId")).body;
    expect((items as { action: string }[]).map(({ action }) => action)).toEqual([
      "tenant.create",
      "api-user.create",
      "ip-allowlist.add",
      "certificate.register",
      "program.create",
      "program.settings.update",
      "card-design.submit",
      "card-design.approve",
      "api-user.create",
      "certificate.register",
      "api-user.rotate",
      "api-user.revoke",
    ]);
  });
});
