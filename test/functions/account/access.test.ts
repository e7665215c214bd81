import { beforeAll, describe, expect, test } from "vitest";
import { allowedIps } from "../../../shared/tenancy/allowlist/ip-allowlist.ts";
import { operate } from "../../harness/administration.ts";
import { allStoredItems } from "../../harness/stored.ts";
import { type GivenAccount, givenAccount, unchanged, verdict } from "./given-account.ts";

let account: GivenAccount;
let other: GivenAccount;
beforeAll(async () => {
  [account, other] = [await givenAccount(), await givenAccount()];
});

const allow = (of: GivenAccount, body: object) => of.call("POST /account/ip-allowlist", { body });

describe("the IP allowlist", () => {
  test.each([
    ["192.0.2.77/24", "192.0.2.0/24"],
    ["198.51.100.7", "198.51.100.7/32"],
    ["2001:DB8:0:0::5/64", "2001:db8::/64"],
    ["2001:db8::1", "2001:db8::1/128"],
    ["203.0.0.0/16", "203.0.0.0/16"],
    ["2a00:1450::/32", "2a00:1450::/32"],
    ["::ffff:192.0.2.9", "192.0.2.9/32"],
  ])("200: %s is %s", async (given, cidr) => {
    const { status, body } = await allow(account, { cidr: given });
    expect([status, body.data?.cidr]).toEqual([200, cidr]);
    expect((await allow(account, { cidr })).body.data).toEqual(body.data);
  });

  test.each([
    "0.0.0.0/0",
    "10.0.0.0/8",
    "192.0.0.0/15",
    "::/0",
    "2000::/3",
    "2a00::/31",
    "::ffff:0.0.0.0/96",
  ])("422: %s is too wide", async (cidr) => {
    expect(await unchanged(() => allow(account, { cidr }))).toEqual([422, "VALIDATION_FAILED", true]);
  });

  test.each([
    "",
    "192.0.2.1/33",
    "192.0.2/24",
    "0x7f.1",
    "example.com",
    "::1/129",
    "192.0.2.1/24/8",
    " 192.0.2.1",
  ])("422: %j is no range", async (cidr) => {
    expect(await unchanged(() => allow(account, { cidr }))).toEqual([422, "VALIDATION_FAILED", true]);
  });

  test("applies to a Program or the whole Tenant until it is deleted", async () => {
    const owner = await givenAccount();
    const programId = await owner.newProgram();
    const { body } = await allow(owner, { cidr: "192.0.2.0/24", programId });
    await allow(owner, { cidr: "192.0.2.0/24" });
    expect(await allowedIps.list(owner.tenantId)).toHaveLength(2);
    const path = { entryId: body.data.entryId };
    const remove = (of: GivenAccount) => of.call("DELETE /account/ip-allowlist/{entryId}", { path });
    expect(await unchanged(() => remove(other))).toEqual([404, "NOT_FOUND", true]);
    expect((await remove(owner)).body.data).toEqual(body.data);
    const [left, ...more] = await allowedIps.list(owner.tenantId);
    expect([left?.cidr, left?.programId, more]).toEqual(["192.0.2.0/24", undefined, []]);
    expect(await unchanged(() => remove(owner))).toEqual([404, "NOT_FOUND", true]);
  });

  test("409 beyond fifty ranges; a deleted one makes room again", async () => {
    const owner = await givenAccount();
    const cidrs = Array.from({ length: 50 }, (_, index) => ({ cidr: `198.51.100.${index}` }));
    for (const body of cidrs) await allow(owner, body);
    const another = { cidr: "203.0.113.1" };
    expect(await unchanged(() => allow(owner, another))).toEqual([409, "LIMIT_REACHED", true]);
    expect(verdict(await allow(owner, { cidr: "198.51.100.7" }))).toEqual([200, "OK"]);
    const { body } = await owner.call("GET /account/ip-allowlist", { query: { limit: "1" } });
    const path = { entryId: body.items[0].entryId };
    await owner.call("DELETE /account/ip-allowlist/{entryId}", { path });
    expect(verdict(await allow(owner, another))).toEqual([200, "OK"]);
  });
});

describe("the notification settings", () => {
  const put = (body: object) => account.call("PUT /account/notification-settings", { body });
  const view = async () => (await account.call("GET /account/notification-settings")).body.data;

  test("show a secret once, when the URL is new", async () => {
    const contact = { channel: "email", email: "contact@customer.example", dateUpdated: expect.any(String) };
    expect(await view()).toEqual(contact);
    const webhook = { channel: "webhook", url: "https://hooks.example.com/reminders" };
    const first = (await put(webhook)).body.data;
    expect(first.secret).toMatch(/^whsec_/);
    expect((await put(webhook)).body.data).not.toHaveProperty("secret");
    expect(await view()).toEqual({ ...webhook, dateUpdated: expect.any(String) });
    const email = { channel: "email", email: "ops@example.com" };
    expect((await put(email)).body.data).toEqual({ ...email, dateUpdated: expect.any(String) });
    expect((await put(webhook)).body.data.secret).not.toBe(first.secret);
  });

  test.each([
    { channel: "email" },
    { channel: "webhook" },
    { channel: "webhook", email: "ops@example.com" },
    { channel: "webhook", url: "http://hooks.example.com" },
    { channel: "webhook", url: "https://127.0.0.1/x" },
    { channel: "email", email: "nobody" },
    { channel: "pigeon" },
    {},
  ])("422: %j", async (body) => {
    expect(await unchanged(() => put(body))).toEqual([422, "VALIDATION_FAILED", true]);
  });
});

describe("the audit log", () => {
  test("has one entry for each change, with its author and both values, and none for a rejected request", async () => {
    const owner = await givenAccount();
    const programId = await owner.newProgram();
    await owner.call("PUT /account/programs/{programId}/settings", {
      path: { programId },
      body: { threeDSecure: true },
    });
    await owner.call("PUT /account/programs/{programId}/settings", {
      path: { programId },
      body: { threeDSecure: "yes" },
    });
    await operate("approve-design", { programId, cardType: 0, name: "House" });
    const created = await owner.call("POST /account/api-users", { body: { name: "Backend" } });
    const path = { apiUserId: created.body.data.apiUserId };
    await owner.call("POST /account/api-users/{apiUserId}/rotate", { path, body: { overlapSeconds: 60 } });
    await owner.call("DELETE /account/api-users/{apiUserId}", { path });
    await owner.call("DELETE /account/api-users/{apiUserId}", { path });
    const entries = await owner.audit();
    expect(entries.map(({ action }) => action)).toEqual([
      "tenant.create",
      "api-user.create",
      "program.create",
      "program.settings.update",
      "card-design.submit",
      "api-user.create",
      "api-user.rotate",
      "api-user.revoke",
    ]);
    const byKey = entries.filter(({ actor }) => actor === owner.apiUserId);
    expect(byKey).toHaveLength(5);
    for (const { actor } of entries) expect(actor).toMatch(/^(apu_|operator:)/);
    const [settings] = entries.filter(({ action }) => action === "program.settings.update");
    expect(settings).toMatchObject({
      subjectId: programId,
      programId,
      before: { threeDSecure: false },
      after: { threeDSecure: true },
      requestId: expect.any(String),
    });
  });

  test("holds no key, no hash and no secret", async () => {
    const owner = await givenAccount();
    const created = await owner.call("POST /account/api-users", { body: { name: "Backend" } });
    const { apiUserId, apiKey } = created.body.data;
    const rotated = await owner.call("POST /account/api-users/{apiUserId}/rotate", { path: { apiUserId } });
    const url = "https://hooks.example.com/reminders";
    const settings = await owner.call("PUT /account/notification-settings", {
      body: { channel: "webhook", url },
    });
    const entries = (await allStoredItems()).filter(({ sk }) => String(sk).startsWith("AUDIT#"));
    const text = JSON.stringify(entries);
    expect(text).toContain(apiUserId);
    expect(text).toContain(url);
    const hashes = (await allStoredItems()).flatMap(({ keyHash }) =>
      keyHash === undefined ? [] : [keyHash],
    );
    expect(hashes.length).toBeGreaterThan(0);
    for (const secret of [apiKey, rotated.body.data.apiKey, settings.body.data.secret, ...hashes]) {
      expect(text).not.toContain(secret);
    }
  });
});
