import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Client,
  type ClientOptions,
  createClient,
  jsonLines,
  pages,
  RequestRejectedError,
  unwrap,
} from "../../client/src/card-issuing.ts";
import { idempotencyHeader } from "../../client/src/idempotency-keys.ts";
import { issueAuthority, issueClientCertificate } from "../../infra/development/issue-certificate.ts";
import { errorCatalogue } from "../../shared/contract/errors.ts";
import { routes } from "../../shared/contract/routes.ts";
import { endServer, portOf } from "../harness/listen.ts";
import { givenTlsIdentity } from "../harness/receiver.ts";

interface Received {
  readonly line: string;
  readonly key: string | undefined;
  readonly apiKey: string | undefined;
  readonly subject: string;
  readonly body: string;
}
type Answer = { status: number; body: unknown } | "broken";

const requestId = "00000000-0000-4000-8000-000000000000";
const refused = (code: keyof typeof errorCatalogue): Answer => {
  const { status, message } = errorCatalogue[code];
  return { status, body: { status: "error", code, message, requestId } };
};
const done: Answer = { status: 200, body: { status: "success", data: { transferId: "trf_1" } } };

let options: ClientOptions;
let client: Client;
let stop: () => Promise<void>;
let received: Received[] = [];
let answers: Answer[] = [];

/** A server that asks for a client certificate, and answers what the test has laid out for it. */
beforeAll(async () => {
  const own = await givenTlsIdentity("localhost");
  const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 600_000) };
  const authority = await issueAuthority("Test CA", validity);
  const holder = { tenantId: "tnt_1", programIds: ["prg_1"], domains: ["caller.test"] };
  const caller = await issueClientCertificate({ authority, ...holder, ...validity });
  const server = createServer(
    {
      cert: own.cert,
      key: own.key,
      ca: authority.certificatePem,
      requestCert: true,
      rejectUnauthorized: true,
    },
    async (request, response) => {
      received.push(await told(request));
      const answer = answers.shift() ?? done;
      if (answer === "broken") return void request.socket.destroy();
      response.writeHead(answer.status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(answer.body));
    },
  );
  options = {
    baseUrl: `https://localhost:${await portOf(server)}/v2`,
    certificate: caller.certificatePem,
    key: caller.keyPem,
    authority: own.ca,
    apiKey: "key-of-the-test",
    firstDelayMs: 1,
  };
  client = createClient(options);
  stop = async () => {
    await client.close();
    await endServer(server);
  };
});

beforeEach(() => {
  received = [];
  answers = [];
});

afterAll(() => stop());

async function told(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { headers, method, url, socket } = request;
  const peer = (
    socket as never as { getPeerCertificate(): { subjectaltname?: string } }
  ).getPeerCertificate();
  return {
    line: `${method} ${url}`,
    key: headers["idempotency-key"] as string | undefined,
    apiKey: headers["x-api-key"] as string | undefined,
    subject: peer.subjectaltname ?? "",
    body: Buffer.concat(chunks).toString(),
  };
}

const order = { sourceWalletId: "wlt_1", destinationType: 1, destinationId: "crd_1", amount: 100 } as const;

describe("a call", () => {
  it("sends the certificate, the key and the body, and returns the response's body", async () => {
    const { data } = await unwrap(client.POST("/wallets/transfer", { body: order }));
    expect(data.transferId).toBe("trf_1");
    const [{ line, apiKey, subject, body } = {} as Received] = received;
    expect([line, apiKey, subject]).toEqual([
      "POST /v2/wallets/transfer",
      "key-of-the-test",
      "DNS:caller.test",
    ]);
    expect(JSON.parse(body)).toEqual(order);
  });

  it("throws an error with the envelope of a rejection", async () => {
    answers = [refused("NOT_FOUND")];
    const path = { cardId: "crd_1" };
    const error = await unwrap(client.GET("/cards/{cardId}", { params: { path } })).catch((one) => one);
    expect(error).toBeInstanceOf(RequestRejectedError);
    expect(error).toMatchObject({ status: 404, body: { code: "NOT_FOUND", requestId } });
    expect(received.map(({ line }) => line)).toEqual(["GET /v2/cards/crd_1"]);
  });
});

describe("an answer that is not the platform's", () => {
  it.each([
    [403, { message: "Forbidden" }, "REQUEST_BLOCKED", /403 .*Forbidden/],
    [404, "<html>", "REQUEST_BLOCKED", /404 .*<html>/],
    [502, undefined, "UNAVAILABLE", /502 /],
  ])("of status %i is an error like others", async (status, body, code, message) => {
    answers = Array.from({ length: 4 }, () => ({ status, body }));
    const error = await unwrap(client.GET("/wallets")).catch((one) => one);
    expect(error).toBeInstanceOf(RequestRejectedError);
    expect(error).toMatchObject({ status, body: { code }, message: expect.stringMatching(message) });
  });
});

describe("an aborted call", () => {
  it("waits for no further attempt", async () => {
    const patient = createClient({ ...options, firstDelayMs: 3_600_000 });
    const abort = new AbortController();
    answers = [refused("UNAVAILABLE")];
    const call = patient.GET("/wallets", { signal: abort.signal });
    await vi.waitFor(() => expect(received).toHaveLength(1));
    setTimeout(() => abort.abort(), 50);
    await expect(call).rejects.toThrow(/abort/);
    expect(received).toHaveLength(1);
    await patient.close();
  });

  it("rejects at once, and is not repeated", async () => {
    const patient = createClient({ ...options, firstDelayMs: 600_000 });
    const abort = new AbortController();
    const call = patient.GET("/wallets", { signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toThrow(/abort/);
    await patient.close();
  });
});

describe("closing", () => {
  it("waits for the answers under way", async () => {
    const other = createClient(options);
    const answered = unwrap(other.GET("/wallets"));
    await other.close();
    expect((await answered).status).toBe("success");
  });
});

describe("a retry", () => {
  it.each(["RATE_LIMITED", "INTERNAL", "UNAVAILABLE"] as const)(
    "repeats a read that was answered %s",
    async (code) => {
      answers = [refused(code), done];
      await unwrap(client.GET("/wallets"));
      expect(received).toHaveLength(2);
    },
  );

  it("repeats a transfer after a lost connection with the same idempotency key", async () => {
    answers = ["broken", refused("UNAVAILABLE"), done];
    await unwrap(client.POST("/wallets/transfer", { body: order }));
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ key }) => key)).size).toBe(1);
    expect(received[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  });

  it("waits for the first request with its key, and repeats no other conflict", async () => {
    answers = ["broken", refused("IDEMPOTENCY_IN_PROGRESS"), done];
    await unwrap(client.POST("/wallets/transfer", { body: order }));
    expect(received).toHaveLength(3);
    answers = [refused("EXTERNAL_ID_EXISTS")];
    await expect(unwrap(client.POST("/wallets/transfer", { body: order }))).rejects.toThrow("409");
    expect(received).toHaveLength(4);
  });

  it("uses the caller's own idempotency key", async () => {
    const header = { [idempotencyHeader]: "mine" };
    await unwrap(client.POST("/wallets/transfer", { params: { header }, body: order }));
    expect(received[0]?.key).toBe("mine");
  });

  it("does not repeat a write without a key, which could take effect twice", async () => {
    answers = ["broken"];
    const rotate = () =>
      client.POST("/webhooks/{webhookId}/rotate-secret", { params: { path: { webhookId: "whk_1" } } });
    await expect(rotate()).rejects.toThrow();
    answers = [refused("UNAVAILABLE")];
    await expect(unwrap(rotate())).rejects.toThrow("503");
    expect(received).toHaveLength(2);
  });

  it("does not repeat a request with a permanent error", async () => {
    answers = [refused("VALIDATION_FAILED")];
    await expect(unwrap(client.GET("/wallets"))).rejects.toThrow("422");
    expect(received).toHaveLength(1);
  });

  it("gives up after a number of attempts", async () => {
    answers = Array.from({ length: 9 }, () => refused("RATE_LIMITED"));
    await expect(unwrap(client.GET("/wallets"))).rejects.toThrow("429");
    expect(received).toHaveLength(4);
  });
});

describe("every write that moves money or creates something", () => {
  const moving = routes.filter(({ movesFunds, creates }) => movesFunds || creates);
  it.each(moving.map(({ api, path }) => (api === "sandbox" ? `/sandbox${path}` : path)))(
    "%s gets an idempotency key",
    async (path) => {
      const post = client.POST as (path: string, init: object) => Promise<unknown>;
      await post(path, { params: { path: {} }, body: {} });
      expect(received[0]?.key).toBeDefined();
    },
  );
});

describe("jsonLines", () => {
  const begun = { status: 200, body: { status: "success", data: { bulkId: "blk_1" } } };

  it("is sent as one object a line, with its content type and a key", async () => {
    answers = [begun];
    const lines = [{ externalId: "1" }, { externalId: "2" }];
    await client.POST("/cards/bulk", jsonLines(lines));
    expect(received).toMatchObject([
      { line: "POST /v2/cards/bulk", body: '{"externalId":"1"}\n{"externalId":"2"}' },
    ]);
    expect(received[0]?.key).toBeDefined();
  });

  it("is compressed where it is longer than the gateway takes", () => {
    const short = jsonLines([{ a: 1 }]);
    const long = jsonLines(Array.from({ length: 5 }, () => ({ a: "x".repeat(999_999) })));
    expect([short.headers, long.headers]).toEqual([
      { "Content-Type": "application/x-ndjson" },
      { "Content-Type": "application/x-ndjson", "Content-Encoding": "gzip" },
    ]);
    const sent = long.bodySerializer(long.body) as Uint8Array;
    expect(sent.length).toBeLessThan(20_000);
    expect(gunzipSync(sent).toString()).toBe(long.body);
  });
});

describe("pages", () => {
  const page = (items: object[], total: number): Answer => ({
    status: 200,
    body: { status: "success", items, total, limit: 2, offset: 0 },
  });

  it("read a list to its end, with the given filters and order", async () => {
    answers = [page([{ walletId: 1 }, { walletId: 2 }], 3), page([{ walletId: 3 }], 3)];
    const query = { limit: 2, status: 1 as const, orderBy: "lastName" as const };
    const found = [];
    for await (const one of pages(client, "/cardholders", { query })) found.push(one);
    expect(found).toEqual([{ walletId: 1 }, { walletId: 2 }, { walletId: 3 }]);
    expect(received.map(({ line }) => line)).toEqual([
      "GET /v2/cardholders?limit=2&status=1&orderBy=lastName",
      "GET /v2/cardholders?limit=2&status=1&orderBy=lastName&offset=2",
    ]);
  });

  it("end if the list has shrunk meanwhile", async () => {
    answers = [page([{ walletId: 1 }, { walletId: 2 }], 4), page([], 2)];
    const found = [];
    for await (const one of pages(client, "/cardholders", {})) found.push(one);
    expect(found).toHaveLength(2);
  });
});
