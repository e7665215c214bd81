import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Platform } from "../../infra/development/platform.ts";
import { givenCard } from "../harness/given-cards.ts";
import { type LiveProgram, operateOn } from "../harness/given-live-program.ts";
import { type Received, type Receiver, startReceiver } from "../harness/receiver.ts";
import { advanceClock } from "../harness/recordings.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

const dayMs = 86_400_000;
const soon = { timeout: 60_000, interval: 50 };

describe("alerts of the running platform", () => {
  let given: GivenPlatform;
  let receiver: Receiver;
  let platform: Platform;
  let program: LiveProgram;

  beforeAll(async () => {
    receiver = await startReceiver();
    given = await givenPlatform({ receivers: [receiver.origin] });
    ({ platform, program } = given);
  });
  afterAll(async () => {
    await given?.stop();
    await receiver?.stop();
  });

  const receivedAt = (where: string) => receiver.received.filter((one) => one.path === where);

  it("a passcode is fetched after its callback, used, and named nowhere else", async () => {
    const { cardId } = await givenCard(program);
    const webhookUrl = `${receiver.origin}/otp`;
    const { body: subscribed } = await program.call("POST /otp/listeners", { body: { cardId, webhookUrl } });
    const { token, secret } = subscribed.data;
    const route = "POST /cards/{cardId}/three-ds-challenges";
    const { body: challenged } = await program.call(route, { path: { cardId }, body: { amount: 4_999 } });
    const { challengeId, expiresAt } = challenged.data;

    await vi.waitFor(() => expect(receivedAt("/otp")).toHaveLength(1), soon);
    const [callback] = receivedAt("/otp");
    expect(new Webhook(secret).verify(callback?.body ?? "", callback?.headers ?? {})).toEqual({ cardId });

    const { body: received } = await program.call("GET /otp/{token}", { path: { token } });
    expect(received.data).toEqual({ status: "received", code: expect.stringMatching(/^\d{6}$/), expiresAt });
    const { code } = received.data;
    const complete = "POST /three-ds-challenges/{challengeId}/complete";
    const completed = await program.call(complete, { path: { challengeId }, body: { code } });
    expect(completed.status).toBe(200);
    const { body: consumed } = await program.call("GET /otp/{token}", { path: { token } });
    expect(consumed.data).toEqual({ status: "consumed", expiresAt });
    expect((await program.call("DELETE /otp/{token}", { path: { token } })).status).toBe(200);
    expect((await program.call("GET /otp/{token}", { path: { token } })).status).toBe(404);

    await platform.settled();
    const { controlUrl } = platform.connection;
    const trace = await (await fetch(`${controlUrl}/trace`)).text();
    const folder = path.join(given.directory, "logs");
    const logs = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), "utf8"));
    expect(logs.join()).toContain("Delivery attempted.");
    for (const place of [trace, ...logs]) {
      expect(place).not.toContain(token);
      expect(place).not.toMatch(new RegExp(`\\b${code}\\b`));
      expect(place).not.toContain(secret);
    }
  });

  it("a moved clock passes each reminder at its own time, in order, and sends it once", async () => {
    const { connection } = platform;
    const { tenantId } = connection;
    const url = `${receiver.origin}/reminders`;
    const settings = { tenantId, channel: "webhook", url };
    const { secret = "" } = await operateOn(connection, "set-notifications", settings);
    const { serialNumber, notAfter } = await register(40);
    const ours = () =>
      receivedAt("/reminders")
        .map((one) => verifiedThen(secret, one))
        .filter(({ CertSerialNumber }) => CertSerialNumber === serialNumber);

    await advanceClock(connection, "50d");
    await vi.waitFor(() => expect(ours()).toHaveLength(3), soon);
    expect(ours().map(({ DaysRemaining }) => DaysRemaining)).toEqual([30, 15, 5]);
    for (const { DaysRemaining, DateCreated } of ours()) {
      const late = Date.parse(String(DateCreated)) - (Date.parse(notAfter) - Number(DaysRemaining) * dayMs);
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThan(61_000);
    }
  });

  it("a reminder that fails for three days is a dead letter, and is sent again after a redrive", async () => {
    const { connection } = platform;
    const { tenantId } = connection;
    const url = `${receiver.origin}/refusing`;
    await operateOn(connection, "set-notifications", { tenantId, channel: "webhook", url });
    receiver.behave((_, response) => response.writeHead(500).end());
    const { serialNumber } = await register(6);
    const ours = () => receivedAt("/refusing").filter(({ body }) => body.includes(serialNumber));
    for (const advance of ["25h", "6s", "6m", "35m", "3h", "6h", "12h", "16h", "23h", "27h"]) {
      await advanceClock(connection, advance);
      await platform.settled();
    }
    await vi.waitFor(() => expect(ours()).toHaveLength(10), soon);
    receiver.behave((_, response) => response.writeHead(204).end());
    const { stdout } = await given.run("operator", "dead-letters", "redrive", "alert-delivery");
    expect(stdout).toBe('{"putBack":1}\n');
    await vi.waitFor(() => expect(ours()).toHaveLength(11), soon);
  });

  it("a reminder is sent by email if the Tenant chose that, and not for a revoked certificate", async () => {
    const { connection } = platform;
    const { tenantId } = connection;
    const email = "ops@customer.example";
    await operateOn(connection, "set-notifications", { tenantId, channel: "email", email });
    const [ending, revoked] = [await register(6), await register(6)];
    await operateOn(connection, "revoke-certificate", { tenantId, certificateId: revoked.certificateId });
    await advanceClock(connection, "2d");
    const mailbox = path.join(given.directory, "mailbox");
    const emailsOf = ({ certificateId }: { certificateId: string }) =>
      readdirSync(mailbox)
        .map((file) => readFileSync(path.join(mailbox, file), "utf8"))
        .filter((one) => one.includes(certificateId));
    await vi.waitFor(() => expect(emailsOf(ending)).toHaveLength(1), soon);
    expect(emailsOf(ending)[0]).toContain(`To: ${email}`);
    expect(emailsOf(ending)[0]).toContain(`"NotificationId": "${ending.certificateId}-5"`);
    await platform.settled();
    expect(emailsOf(revoked)).toEqual([]);
  });

  const register = async (days: number) =>
    operateOn(platform.connection, "register-certificate", {
      certificatePem: await certificateEndingIn(days),
    });

  /** Verifies with the platform's clock: a signature is valid for five minutes. */
  function verifiedThen(secret: string, { body, headers }: Received): Record<string, unknown> {
    vi.useFakeTimers({ toFake: ["Date"], now: Number(headers["webhook-timestamp"]) * 1000 });
    try {
      return new Webhook(secret).verify(body, headers) as Record<string, unknown>;
    } finally {
      vi.useRealTimers();
    }
  }

  async function certificateEndingIn(days: number): Promise<string> {
    const { clock } = platform;
    const notBefore = new Date(clock.now() - dayMs);
    const notAfter = new Date(clock.now() + days * dayMs);
    return (await given.certificateFor({ notBefore, notAfter })).certificatePem;
  }
});
