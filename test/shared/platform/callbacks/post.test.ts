import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { maximumResponseBytes, post } from "../../../../shared/platform/callbacks/post.ts";
import type { Receiver as CheckedReceiver } from "../../../../shared/platform/callbacks/receiver.ts";
import { freePort } from "../../../harness/listen.ts";
import {
  givenTlsIdentity,
  type Receiver,
  startReceiver,
  type TlsIdentity,
} from "../../../harness/receiver.ts";

const body = Buffer.from('{"a":1}');
const host = "hooks.example.com";

describe("a post to a receiver", () => {
  let plain: Receiver;
  let secure: Receiver;
  let identity: TlsIdentity;
  const trusted = getCACertificates("default");

  beforeAll(async () => {
    identity = await givenTlsIdentity(host);
    plain = await startReceiver();
    secure = await startReceiver(identity);
    // Each test has its own handshake.
    secure.behave((_, response) => response.writeHead(204, { connection: "close" }).end());
  });
  afterAll(() => Promise.all([plain.stop(), secure.stop()]));
  afterEach(() => {
    setDefaultCACertificates(trusted);
    plain.behave((_, response) => response.writeHead(204).end());
  });

  const local = (): CheckedReceiver => ({
    url: new URL(`${plain.origin}/hook?x=1`),
    address: "127.0.0.1",
    isLocal: true,
  });
  /** A public receiver whose checked address happens to be the test's server. */
  const pinned = (port: number, name = host): CheckedReceiver => ({
    url: new URL(`https://${name}:${port}/hook`),
    address: "127.0.0.1",
    isLocal: false,
  });

  it("sends the very bytes and headers, and answers the status", async () => {
    const outcome = await post(local(), body, { "content-type": "application/json", "webhook-id": "x" });
    expect(outcome).toEqual({ status: 204, body: Buffer.alloc(0), latencyMs: expect.any(Number) });
    const last = plain.received.at(-1);
    expect(last?.body.equals(body)).toBe(true);
    expect(last?.path).toBe("/hook?x=1");
    expect(last?.headers).toMatchObject({
      "webhook-id": "x",
      "content-length": "7",
      "accept-encoding": "identity",
    });
  });

  /** Of two hosts, and trusted. */
  const givenReceiver = async () => {
    const { cert, key, ca } = await givenTlsIdentity("*.example.com");
    setDefaultCACertificates([...trusted, ca]);
    return startReceiver({ cert, key, ca });
  };

  /** Answers, and notes the connections that posts come in. */
  const givenConnections = (receiver: Receiver) => {
    const ports: (number | undefined)[] = [];
    receiver.behave((_, response, request) => {
      ports.push(request.socket.remotePort);
      response.writeHead(204).end();
    });
    return ports;
  };

  it("keeps its connection for further posts to the same address and host, and no other", async () => {
    const receiver = await givenReceiver();
    const securePorts = givenConnections(receiver);
    for (const name of ["a.example.com", "a.example.com", "b.example.com"]) {
      expect(await post(pinned(receiver.port, name), body, {})).toMatchObject({ status: 204 });
    }
    expect(securePorts[1]).toBe(securePorts[0]);
    expect(securePorts[2]).not.toBe(securePorts[0]);
    const moved = { ...pinned(receiver.port, "a.example.com"), address: "127.0.0.2" };
    expect(await post(moved, body, {})).toMatchObject({ failure: "CONNECTION_FAILED" });
    await receiver.stop();
  });

  it("posts again at once if the receiver had closed the kept connection", async () => {
    const receiver = await givenReceiver();
    const used = new Set<number | undefined>();
    receiver.behave((_, response, request) => {
      const { remotePort } = request.socket;
      if (used.has(remotePort)) return response.socket?.destroy();
      used.add(remotePort);
      response.writeHead(204).end();
    });
    const receiverOf = pinned(receiver.port, "a.example.com");
    for (const _ of [1, 2]) expect(await post(receiverOf, body, {})).toMatchObject({ status: 204 });
    expect(receiver.received).toHaveLength(3);
    await receiver.stop();
  });

  it("goes to the address that was checked, though the host's name leads elsewhere or nowhere", async () => {
    setDefaultCACertificates([...trusted, identity.ca]);
    const outcome = await post(pinned(secure.port), body, {});
    expect(outcome).toMatchObject({ status: 204 });
    expect(secure.received.at(-1)?.headers.host).toBe(`${host}:${secure.port}`);
  });

  it("verifies the certificate's authority", async () => {
    expect(await post(pinned(secure.port), body, {})).toMatchObject({ failure: "TLS_FAILED" });
  });

  it("verifies the certificate's host", async () => {
    setDefaultCACertificates([...trusted, identity.ca]);
    const outcome = await post(pinned(secure.port, "other.example.com"), body, {});
    expect(outcome).toMatchObject({ failure: "TLS_FAILED" });
  });

  it("verifies the certificate's dates", async () => {
    const expired = await givenTlsIdentity(host, true);
    const receiver = await startReceiver(expired);
    setDefaultCACertificates([...trusted, expired.ca]);
    expect(await post(pinned(receiver.port), body, {})).toMatchObject({ failure: "TLS_FAILED" });
    expect(receiver.received).toEqual([]);
    await receiver.stop();
  });

  it("does not speak to a server without TLS", async () => {
    expect(await post(pinned(plain.port), body, {})).toMatchObject({ failure: "TLS_FAILED" });
  });

  it("does not follow redirects", async () => {
    const before = plain.received.length;
    plain.behave((_, response) => response.writeHead(307, { location: `${plain.origin}/elsewhere` }).end());
    expect(await post(local(), body, {})).toMatchObject({ status: 307 });
    expect(plain.received.length).toBe(before + 1);
  });

  it.each([200, 404, 410, 500])("answers the status %i as it is", async (status) => {
    plain.behave((_, response) => response.writeHead(status).end("x"));
    expect(await post(local(), body, {})).toMatchObject({ status });
  });

  it("gives up a receiver that does not answer", async () => {
    plain.behave(() => undefined);
    expect(await post(local(), body, {}, 200)).toMatchObject({ failure: "TIMEOUT" });
  });

  it("gives up a body that trickles on, in all", async () => {
    plain.behave((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    });
    const outcome = await post(local(), body, {}, 2_000);
    expect(outcome).toMatchObject({ failure: "TIMEOUT", status: 200 });
    expect(outcome.latencyMs).toBeLessThan(20_000);
  });

  it("gives up headers that trickle on, in all", async () => {
    plain.behave((_, response) => {
      response.socket?.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => response.socket?.write("x: y\r\n"), 20);
      response.socket?.on("close", () => clearInterval(timer));
    });
    expect(await post(local(), body, {}, 300)).toMatchObject({ failure: "TIMEOUT" });
  });

  it("stops reading an endless body", async () => {
    let sent = 0;
    plain.behave((_, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(16 * 1024);
      const write = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.byteLength;
      };
      response.on("drain", write);
      write();
    });
    expect(await post(local(), body, {})).toMatchObject({ failure: "RESPONSE_TOO_LARGE", status: 200 });
    expect(sent).toBeLessThan(100 * maximumResponseBytes);
  });

  it("does not unfold a compressed bomb", async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    plain.behave((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    expect(await post(local(), body, {})).toMatchObject({ failure: "RESPONSE_ENCODED", status: 200 });
  });

  it("rejects endless headers", async () => {
    plain.behave((_, response) => response.writeHead(200, { x: "y".repeat(64 * 1024) }).end());
    expect(await post(local(), body, {})).toMatchObject({ failure: "RESPONSE_INVALID" });
  });

  it("distinguishes a reset connection, a refused one and a switch of protocols", async () => {
    plain.behave((_, response) => response.socket?.destroy());
    expect(await post(local(), body, {})).toMatchObject({ failure: "CONNECTION_LOST" });
    plain.behave((_, response) => {
      response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n");
    });
    expect(await post(local(), body, {})).toMatchObject({ failure: "CONNECTION_LOST" });
    const nobody = { ...local(), url: new URL(`http://127.0.0.1:${await freePort()}/`) };
    expect(await post(nobody, body, {})).toMatchObject({ failure: "CONNECTION_FAILED" });
  });

  it("does not accept an answer that is not HTTP", async () => {
    plain.behave((_, response) => response.socket?.end("hello\r\n\r\n"));
    expect(await post(local(), body, {})).toMatchObject({ failure: "RESPONSE_INVALID" });
  });

  it("accepts a local receiver's own certificate", async () => {
    const receiver: CheckedReceiver = {
      url: new URL(`${secure.origin}/`),
      address: "127.0.0.1",
      isLocal: true,
    };
    expect(await post(receiver, body, {})).toMatchObject({ status: 204 });
  });
});
