import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { CertifiedKey } from "../../../infra/development/issue-certificate.ts";
import { CertificateReminder } from "../../../shared/contract/alerts.ts";
import { notificationSettings } from "../../../shared/notifications/delivery/notification-settings.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { operate } from "../../harness/administration.ts";
import { injectFaults } from "../../harness/faults.ts";
import { dayMs, givenAuthority, givenCertificate } from "../../harness/given-certificates.ts";
import { type GivenTenant, givenTenant } from "../../harness/given-tenant.ts";
import { storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

let authority: CertifiedKey;
beforeAll(async () => {
  authority = await givenAuthority();
});
afterEach(() => void vi.useRealTimers());

/** Each test has a year of its own, so that it does not sweep what another has left. */
let year = 2030;
const at = (time: number) => vi.useFakeTimers({ toFake: ["Date"], now: time });

async function given(daysLeft: number, { settings = true } = {}) {
  const now = Date.UTC(year++, 0, 1);
  at(now);
  const tenant = await givenTenant(2);
  const { tenantId } = tenant;
  if (settings) await operate("set-notifications", { tenantId, channel: "email", email: "a@b.example" });
  const registered = await register(tenant, now + daysLeft * dayMs);
  const notAfter = new Date(registered.notAfter).getTime();
  return { ...tenant, ...registered, daysBefore: (days: number) => at(notAfter - days * dayMs) };
}

async function register(tenant: GivenTenant, notAfter: number) {
  const certificatePem = await givenCertificate(authority, tenant, { notAfter: new Date(notAfter) });
  return { certificatePem, ...(await operate("register-certificate", { certificatePem })) };
}

async function sentTo(tenantId: string) {
  const items = await storedItems(tenantId);
  const told = items.filter(({ kind }) => kind === "certificate.expiring");
  return {
    days: told
      .map(({ detail }) => Number((detail as { reminderId: string }).reminderId.split("-")[1]))
      .toSorted((a, b) => b - a),
    bodies: items.filter(({ sk }) => sk === "REMINDER").map(({ body }) => JSON.parse(String(body))),
    deadlines: items.filter(({ sk }) => sk === "DEADLINE").map(({ dueAt }) => String(dueAt).split("#")[0]),
  };
}

describe("reminders of a certificate's end", () => {
  it("are written 30, 15 and 5 days before, each once and never earlier", async () => {
    const { tenantId, programIds, serialNumber, notAfter, certificateId, daysBefore } = await given(90);
    for (const days of [30, 15, 5]) {
      daysBefore(days + 1 / dayMs);
      await sweepDeadlines();
      expect((await sentTo(tenantId)).days).not.toContain(days);
      daysBefore(days);
      await sweepDeadlines();
      await sweepDeadlines();
      expect((await sentTo(tenantId)).days).toContain(days);
    }
    daysBefore(0);
    await sweepDeadlines();
    const { days, bodies, deadlines } = await sentTo(tenantId);
    expect(days).toEqual([30, 15, 5]);
    expect(deadlines).toEqual([]);
    expect(bodies.map(({ DaysRemaining }) => DaysRemaining).toSorted((a, b) => b - a)).toEqual([30, 15, 5]);
    for (const body of bodies) {
      expect(CertificateReminder.parse(body)).toEqual(body);
      expect(body).toMatchObject({
        CertSerialNumber: serialNumber,
        CertNotAfter: notAfter,
        CertSubject: `O=${tenantId}, OU=${programIds[0]}, OU=${programIds[1]}`,
      });
    }
    expect(bodies.map(({ NotificationId }) => NotificationId).toSorted()).toEqual(
      [30, 15, 5].map((one) => `${certificateId}-${one}`).toSorted(),
    );
  });

  it.each([
    [29, [30], 29],
    [15.5, [30], 16],
    [14, [15], 14],
    [4, [5], 4],
    [0.2, [5], 1],
    [0, [], undefined],
    [-10, [], undefined],
  ])(
    "with %d days left after sweeps were down are those that are still true",
    async (left, days, remaining) => {
      const { tenantId, daysBefore } = await given(90);
      daysBefore(left);
      await sweepDeadlines();
      await sweepDeadlines();
      const sent = await sentTo(tenantId);
      expect(sent.days).toEqual(days);
      expect(sent.bodies.map(({ DaysRemaining }) => DaysRemaining)).toEqual(remaining ? [remaining] : []);
    },
  );

  it("continue after a late one at the remaining times", async () => {
    const { tenantId, daysBefore } = await given(90);
    daysBefore(20);
    await sweepDeadlines();
    daysBefore(15);
    await sweepDeadlines();
    daysBefore(5);
    await sweepDeadlines();
    const { days, bodies } = await sentTo(tenantId);
    expect(days).toEqual([30, 15, 5]);
    expect(bodies.map(({ DaysRemaining }) => DaysRemaining).toSorted((a, b) => b - a)).toEqual([20, 15, 5]);
  });

  it("of a certificate that is registered late leave out those whose time has passed", async () => {
    const { tenantId, daysBefore } = await given(12);
    await sweepDeadlines();
    expect((await sentTo(tenantId)).days).toEqual([]);
    daysBefore(5);
    await sweepDeadlines();
    expect((await sentTo(tenantId)).days).toEqual([5]);
    expect((await sentTo((await given(4)).tenantId)).deadlines).toEqual([]);
  });

  it("are not written for a revoked certificate", async () => {
    const { tenantId, certificateId, daysBefore } = await given(90);
    daysBefore(30);
    await sweepDeadlines();
    await operate("revoke-certificate", { tenantId, certificateId });
    for (const days of [15, 5]) {
      daysBefore(days);
      await sweepDeadlines();
    }
    expect(await sentTo(tenantId)).toMatchObject({ days: [30], deadlines: [] });
  });

  it("are sent to a new Tenant's contact", async () => {
    const { tenantId, daysBefore } = await given(90, { settings: false });
    daysBefore(30);
    await sweepDeadlines();
    expect((await sentTo(tenantId)).days).toEqual([30]);
    expect(await notificationSettings.at(tenantId).get()).toMatchObject({
      channel: "email",
      email: "contact@customer.example",
    });
  });

  it("are left out for a Tenant without notification settings, until it has some", async () => {
    const { tenantId, daysBefore } = await given(90, { settings: false });
    const Key = notificationSettings.key(tenantId);
    await table.send(new DeleteCommand({ TableName: process.env.ACCOUNTS_TABLE, Key }));
    daysBefore(30);
    await sweepDeadlines();
    expect((await sentTo(tenantId)).days).toEqual([]);
    await operate("set-notifications", { tenantId, channel: "email", email: "a@b.example" });
    daysBefore(15);
    await sweepDeadlines();
    expect((await sentTo(tenantId)).days).toEqual([15]);
  });

  it("are written for each of two certificates, and not again if one is registered again", async () => {
    const { tenantId, programIds, certificatePem, daysBefore, notAfter } = await given(90);
    await register({ tenantId, programIds }, Date.parse(notAfter));
    await operate("register-certificate", { certificatePem });
    daysBefore(30);
    await sweepDeadlines();
    expect((await sentTo(tenantId)).days).toEqual([30, 30]);
  });

  it("are written once, even by simultaneous sweeps with lost answers", async () => {
    const { tenantId, daysBefore } = await given(90);
    daysBefore(30);
    let calls = 0;
    {
      using _ = injectFaults(({ command }) => {
        if (command !== "TransactWriteItems") return undefined;
        calls += 1;
        return calls === 1 ? "timeout-after-commit" : undefined;
      });
      await Promise.all(Array.from({ length: 6 }, sweepDeadlines));
    }
    const { days, bodies, deadlines } = await sentTo(tenantId);
    expect(days).toEqual([30]);
    expect(bodies).toHaveLength(1);
    expect(deadlines).toHaveLength(1);
  });
});

describe("set-notifications", () => {
  beforeAll(() => void Object.assign(process.env, { ALLOWED_RECEIVERS: "http://127.0.0.1:9999" }));
  const url = "http://127.0.0.1:9999/reminders";

  it("shows the secret of a new URL, and keeps it while the URL stays", async () => {
    const { tenantId } = await givenTenant(0);
    const set = (more: object) => operate("set-notifications", { tenantId, ...more });
    const first = await set({ channel: "webhook", url });
    expect(first).toEqual({ channel: "webhook", secret: expect.stringMatching(/^whsec_/) });
    expect(await set({ channel: "webhook", url })).toEqual({ channel: "webhook" });
    const moved = await set({ channel: "webhook", url: `${url}/2` });
    expect(moved.secret).not.toBe(first.secret);
    expect(await set({ channel: "email", email: "ops@customer.example" })).toEqual({ channel: "email" });
    expect((await set({ channel: "webhook", url: `${url}/2` })).secret).toMatch(/^whsec_/);
  });

  it.each([
    { channel: "webhook", url: "http://127.0.0.1:9998/" },
    { channel: "webhook", url: "https://10.0.0.1/" },
    { channel: "webhook" },
    { channel: "email", email: "nobody" },
    { channel: "email", email: "a@b.example\nBcc: c@d.example" },
    { channel: "pigeon", email: "a@b.example" },
  ])("refuses %j", async (settings) => {
    const { tenantId } = await givenTenant(0);
    await expect(operate("set-notifications", { tenantId, ...settings })).rejects.toThrow();
  });

  it("rejects a Tenant that does not exist", async () => {
    const tenantId = "tnt_0000000000000000000000NB0D";
    await expect(operate("set-notifications", { tenantId, channel: "webhook", url })).rejects.toThrow(
      "does not exist",
    );
  });
});
