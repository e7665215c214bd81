import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { CertifiedKey } from "../../../infra/development/issue-certificate.ts";
import { operate } from "../../harness/administration.ts";
import { alertsOf, deliverAlerts, deliverWaiting } from "../../harness/given-alerts.ts";
import { dayMs, givenAuthority, givenCertificate } from "../../harness/given-certificates.ts";
import { givenCustomer } from "../../harness/given-customer.ts";
import { givenMailbox } from "../../harness/given-mailbox.ts";
import { givenTenant } from "../../harness/given-tenant.ts";
import { storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

const { emailsTo } = givenMailbox();
const customer = givenCustomer();
let authority: CertifiedKey;

beforeAll(async () => {
  authority = await givenAuthority();
});

/** Each test has a year of its own, so that it does not sweep what another has left. */
let year = 2040;
const at = (time: number) => vi.useFakeTimers({ toFake: ["Date"], now: time, shouldAdvanceTime: true });

/** A Tenant that is to be reminded of a certificate right now. */
async function givenReminder(settings: object) {
  const now = Date.UTC(year++, 0, 1);
  at(now);
  const tenant = await givenTenant(1);
  const { tenantId } = tenant;
  const { secret = "" } = await operate("set-notifications", { tenantId, ...settings });
  const notAfter = new Date(now + 40 * dayMs);
  const certificatePem = await givenCertificate(authority, tenant, { notAfter });
  const registered = await operate("register-certificate", { certificatePem });
  at(Date.parse(registered.notAfter) - 30 * dayMs);
  await sweepDeadlines();
  return { ...tenant, ...registered, secret, alerts: await alertsOf(tenantId) };
}

describe("a certificate's reminder by webhook", () => {
  it("is signed, and has the same body in each attempt", async () => {
    const url = `${customer.receiver.origin}/signed`;
    const { alerts, secret, certificateId, serialNumber, notAfter } = await givenReminder({
      channel: "webhook",
      url,
    });
    customer.answer(500);
    await deliverAlerts(alerts);
    customer.answer(204);
    const [waiting] = await deliverWaiting(customer.queues);
    expect(waiting?.delaySeconds).toBeLessThanOrEqual(6);
    await deliverAlerts(alerts);
    const received = customer.receiver.received.filter((one) => one.path === "/signed");
    expect(received).toHaveLength(2);
    expect(new Set(received.map(({ body }) => body.toString())).size).toBe(1);
    for (const { body, headers } of received) {
      expect(new Webhook(secret).verify(body, headers)).toEqual({
        NotificationId: `${certificateId}-30`,
        NotificationType: "CERTIFICATE_EXPIRY",
        DaysRemaining: 30,
        CertSerialNumber: serialNumber,
        CertSubject: expect.stringContaining("O=tnt_"),
        CertNotAfter: notAfter,
        DateCreated: expect.any(String),
      });
      expect(headers["webhook-id"]).toBe(`${certificateId}-30`);
    }
  });

  it("is attempted ten times in three days, by deadlines if the wait is long, and then given up", async () => {
    const url = `${customer.receiver.origin}/dead`;
    const { alerts, tenantId } = await givenReminder({ channel: "webhook", url });
    customer.answer(500);
    await deliverAlerts(alerts);
    const waits: string[] = [];
    for (let attempt = 2; attempt <= 10; attempt += 1) {
      const [queued] = customer.queues.sent.filter(({ queue }) => queue === "alerts");
      if (queued) {
        at(Date.now() + (queued.delaySeconds ?? 0) * 1000);
        waits.push(`queue ${queued.delaySeconds}`);
      } else {
        const rows = (await storedItems(tenantId)).filter(({ kind }) => kind === "retry_delivery");
        expect(rows).toHaveLength(1);
        const dueAt = Date.parse(String(rows[0]?.dueAt).split("#")[0] ?? "");
        at(dueAt - 1);
        await sweepDeadlines();
        expect(customer.queues.sent).toEqual([]);
        at(dueAt);
        await sweepDeadlines();
        waits.push("deadline");
      }
      await deliverWaiting(customer.queues);
    }
    expect(waits).toEqual([
      expect.stringMatching(/^queue [56]$/),
      expect.stringMatching(/^queue 3[0-3]\d$/),
      ...Array(7).fill("deadline"),
    ]);
    expect(customer.receiver.received.filter((one) => one.path === "/dead")).toHaveLength(10);
    expect(customer.queues.sent).toMatchObject([{ queue: "given-up", body: { attempt: 11 } }]);
    expect((await storedItems(tenantId)).filter(({ kind }) => kind === "retry_delivery")).toEqual([]);
  });

  it("is not sent for a certificate that was revoked meanwhile", async () => {
    const url = `${customer.receiver.origin}/revoked`;
    const { alerts, tenantId, certificateId } = await givenReminder({ channel: "webhook", url });
    await operate("revoke-certificate", { tenantId, certificateId });
    await deliverAlerts(alerts);
    expect(customer.receiver.received.filter((one) => one.path === "/revoked")).toEqual([]);
    expect(customer.queues.sent).toEqual([]);
  });
});

describe("a certificate's reminder by email", () => {
  it("is sent once, from the platform's address, and names the certificate and its end", async () => {
    const email = "ops@customer.example";
    const { alerts, serialNumber, notAfter, certificateId } = await givenReminder({
      channel: "email",
      email,
    });
    await deliverAlerts(alerts);
    await deliverAlerts(alerts);
    const [received, ...more] = emailsTo(email);
    expect(more).toEqual([]);
    expect(received).toContain("From: notices@issuing.example\r\n");
    expect(received).toContain("Subject: Your client certificate expires in 30 days\r\n");
    for (const said of [
      serialNumber,
      notAfter,
      `"NotificationId": "${certificateId}-30"`,
      '"DaysRemaining": 30',
    ]) {
      expect(received).toContain(said);
    }
  });

  it("is retried if SES rejects it", async () => {
    const email = "later@customer.example";
    const { alerts } = await givenReminder({ channel: "email", email });
    vi.stubEnv("SENDER_ADDRESS", "nobody");
    await deliverAlerts(alerts);
    expect(emailsTo(email)).toEqual([]);
    vi.unstubAllEnvs();
    await deliverWaiting(customer.queues);
    expect(emailsTo(email)).toHaveLength(1);
  });
});
