import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type GivenProgram, givenProgram } from "../../harness/given-cards.ts";
import { useReceiverHosts } from "../../harness/receiver-hosts.ts";
import { storedItems } from "../../harness/stored.ts";

const url = "https://hooks.example.com/card-events";

describe("webhook endpoints", () => {
  let program: GivenProgram;
  const hosts = useReceiverHosts("hooks.example.com");
  beforeEach(async () => {
    program = await givenProgram();
  });

  const create = (body: object = {}) =>
    program.call("POST /webhooks", { body: { url, eventTypes: [1, 2], ...body } });

  describe("POST /webhooks", () => {
    it("returns the active endpoint with its secret", async () => {
      const { status, body } = await create();
      expect(status).toBe(200);
      expect(body.data).toEqual({
        webhookId: expect.stringMatching(/^whk_/),
        url,
        eventTypes: [1, 2],
        includeTransfers: true,
        active: true,
        dateCreated: expect.any(String),
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      });
    });

    it("subscribes to types 1 to 4 by default, and to 6 if it is named", async () => {
      expect((await create({ eventTypes: undefined })).body.data.eventTypes).toEqual([1, 2, 3, 4]);
      expect((await create({ eventTypes: [4, 6] })).body.data.eventTypes).toEqual([4, 6]);
    });

    it("answers the sixth with 409 LIMIT_REACHED, even if ten arrive at once", async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => create()));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
      const refused = answers.filter(({ status }) => status === 409);
      const told = "LIMIT_REACHED: At most 5 webhook endpoints are allowed, and there are 5.";
      expect(new Set(refused.map(({ body }) => `${body.code}: ${body.message}`))).toEqual(new Set([told]));
      const { items } = (await program.call("GET /webhooks")).body;
      const [{ webhookId }] = items;
      await program.call("DELETE /webhooks/{webhookId}", { path: { webhookId } });
      expect((await create()).status).toBe(200);
      expect((await create()).status).toBe(409);
    });

    it("takes the receiver's secret, of 24 to 64 bytes", async () => {
      const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;
      for (const bytes of [24, 25, 32, 64])
        expect((await create({ secret: secretOf(bytes) })).body.data.secret).toBe(secretOf(bytes));
      const wrong = [secretOf(23), secretOf(65), "whsec_", "hunter2", secretOf(32).slice(6)];
      for (const secret of wrong) {
        const { status, body } = await create({ secret });
        expect([status, body.errors[0].path], secret).toEqual([422, "body.secret"]);
        expect(JSON.stringify(body)).not.toContain(secret.slice(8) || "no secret");
      }
    });

    it("names the origins that a laptop allows beside public hosts", async () => {
      vi.stubEnv("ALLOWED_RECEIVERS", "http://127.0.0.1:8490");
      const { body } = await create({ url: "http://127.0.0.1:3000/hooks" });
      expect(body.errors).toEqual([
        {
          path: "body.url",
          code: "not_https",
          message: "must be an https URL, or begin with one of LOCAL_RECEIVERS: http://127.0.0.1:8490",
        },
      ]);
      vi.stubEnv("ALLOWED_RECEIVERS", "");
      const { body: elsewhere } = await create({ url: "http://127.0.0.1:3000/hooks" });
      expect(elsewhere.errors[0].message).toBe("must be an https URL");
      vi.unstubAllEnvs();
    });

    it("accepts a host name that DNS does not know yet", async () => {
      expect((await create({ url: "https://soon.example.com/" })).status).toBe(200);
    });
  });

  describe("GET /webhooks and /webhooks/{webhookId}", () => {
    it("list all endpoints in order of registration, without secrets", async () => {
      const created = [
        (await create()).body.data,
        (await create({ eventTypes: [3], active: false })).body.data,
      ];
      const { body } = await program.call("GET /webhooks");
      expect(body.total).toBe(2);
      expect(body.items).toEqual(created.map(({ secret: _, ...view }) => view));
      const one = await program.call("GET /webhooks/{webhookId}", {
        path: { webhookId: created[1].webhookId },
      });
      expect(one.body.data).toEqual(body.items[1]);
      expect(JSON.stringify([body, one.body])).not.toContain("whsec_");
    });
  });

  describe("PUT /webhooks/{webhookId}", () => {
    it("changes the given fields, and keeps the others and the secret", async () => {
      const { secret, ...before } = (await create()).body.data;
      const { webhookId } = before;
      const change = (body: object) =>
        program.call("PUT /webhooks/{webhookId}", { path: { webhookId }, body });
      expect((await change({ active: false })).body.data).toEqual({ ...before, active: false });
      expect((await change({ url: `${hosts.receiver.origin}/b`, eventTypes: [4] })).body.data).toEqual({
        ...before,
        url: `${hosts.receiver.origin}/b`,
        eventTypes: [4],
        active: false,
      });
      expect((await change({})).body.data.eventTypes).toEqual([4]);
      const stored = await storedItems(program.programId);
      expect(stored.find(({ sk }) => String(sk).startsWith("ENDPOINT#"))?.secret).toBe(secret);
    });
  });

  describe("POST /webhooks/{webhookId}/rotate-secret", () => {
    it("returns a new secret, and until when the old one signs", async () => {
      const { webhookId, secret } = (await create()).body.data;
      const from = Date.now();
      const rotate = () => program.call("POST /webhooks/{webhookId}/rotate-secret", { path: { webhookId } });
      const { data } = (await rotate()).body;
      expect(data.secret).toMatch(/^whsec_/);
      expect(data.secret).not.toBe(secret);
      const overlapMs = Date.parse(data.previousSecretExpiresAt) - from;
      expect(Math.abs(overlapMs - 24 * 3_600_000)).toBeLessThan(60_000);
      expect((await rotate()).body.data.secret).not.toBe(data.secret);
    });
  });

  describe("POST /webhooks/{webhookId}/ping", () => {
    it("sends a signed message and returns its outcome", async () => {
      const { webhookId, secret } = (await create({ url: `${hosts.receiver.origin}/ping`, active: false }))
        .body.data;
      const ping = () => program.call("POST /webhooks/{webhookId}/ping", { path: { webhookId } });
      const { status, body } = await ping();
      expect(status).toBe(200);
      expect(body.data).toEqual({
        webhookId,
        delivered: true,
        responseStatus: 204,
        latencyMs: expect.any(Number),
      });
      const received = hosts.receiver.received.at(-1);
      expect(received?.path).toBe("/ping");
      expect(new Webhook(secret).verify(received?.body ?? "", received?.headers ?? {})).toMatchObject({
        type: "ping",
        webhookId,
      });
      hosts.receiver.behave((_, response) => response.socket?.destroy());
      expect((await ping()).body.data).toMatchObject({ delivered: false, error: "CONNECTION_LOST" });
      hosts.receiver.behave((_, response) => response.writeHead(204).end());
    });
  });
});
