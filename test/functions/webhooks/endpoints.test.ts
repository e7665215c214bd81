import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, it } from "vitest";
import { type GivenProgram, givenProgram } from "../../harness/given-cards.ts";
import { useReceiverHosts } from "../../harness/receiver-hosts.ts";

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
