import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { CertifiedKey } from "../../development/issue-certificate.ts";
import { readAssembly } from "../assembly.ts";
import { readUsagePlans, UsagePlans } from "../endpoint/usage-plans.ts";
import { type Gateway, startGateway } from "../gateway/https-gateway.ts";
import { InvocationRejected, type InvokeResult, type TraceEntry } from "../interfaces.ts";
import { forgetful } from "./forgetful.ts";
import { gatewayTemplate } from "./gateway-template.ts";
import { givenAssembly, removeTemporaryDirectories } from "./given-assembly.ts";
import { givenPki, type Pki } from "./given-pki.ts";

type Handler = (event: Record<string, unknown>) => InvokeResult | Promise<InvokeResult>;

export const allow: Handler = (event) => ({ payload: policy("Allow", String(event.methodArn)) });

const ok: Handler = () => ({ payload: { statusCode: 200, body: "{}" } });
const NOTHING: CertifiedKey = { certificatePem: "", keyPem: "" };

export function policy(
  Effect: string,
  Resource: string,
  context: Record<string, unknown> = { tenantId: "ten_1", currency: 0, isTest: true },
): unknown {
  const Statement = [{ Effect, Action: "execute-api:Invoke", Resource }];
  return { principalId: "usr_1", policyDocument: { Version: "2012-10-17", Statement }, context };
}

/** A fresh gateway for each test of the file, on one PKI. */
export function givenGateway(): GatewayUnderTest {
  const gateway = new GatewayUnderTest();
  beforeAll(async () => {
    gateway.pki = await givenPki();
  });
  beforeEach(async () => {
    gateway.reset();
    await gateway.start();
  });
  afterEach(() => gateway.stop());
  afterAll(removeTemporaryDirectories);
  return gateway;
}

/** A gateway before an authorizer and a function that the test writes itself. */
export class GatewayUnderTest {
  pki: Pki = { authority: NOTHING, server: NOTHING, client: NOTHING };
  traced: TraceEntry[] = [];
  events: { authorizer: Record<string, unknown>[]; work: Record<string, unknown>[] } = {
    authorizer: [],
    work: [],
  };
  authorizer: Handler = allow;
  work: Handler = ok;
  offsetMs = 0;
  usage = new UsagePlans([], forgetful, { now: Date.now });
  #gateway: Gateway | undefined;

  /** Forgets what an earlier test saw and set. */
  reset(): void {
    this.traced = [];
    this.events = { authorizer: [], work: [] };
    this.authorizer = allow;
    this.work = ok;
    this.offsetMs = 0;
  }

  async start(template = gatewayTemplate()): Promise<void> {
    const { authority, server } = this.pki;
    const clock = { now: () => Date.now() + this.offsetMs };
    const assembly = readAssembly(givenAssembly({ service: template }), {
      parameters: {},
      queueEndpoint: "http://127.0.0.1:1",
    });
    this.usage = new UsagePlans(readUsagePlans(assembly), forgetful, clock);
    this.#gateway = await startGateway({
      assembly,
      usage: this.usage,
      invoker: { invoke: (arn, event) => this.#invoke(arn, event as Record<string, unknown>) },
      clock,
      trace: { record: (entry) => this.traced.push(entry) },
      port: 0,
      serverCertificate: server.certificatePem,
      serverKey: server.keyPem,
      truststore: authority.certificatePem,
    });
  }

  async stop(): Promise<void> {
    await this.#gateway?.stop();
  }

  /** Has it go by other CAs. */
  trust(truststore: string): void {
    this.#gateway?.trust(truststore);
  }

  get port(): number {
    return this.#gateway?.port ?? 0;
  }

  async #invoke(arn: string, event: Record<string, unknown>): Promise<InvokeResult> {
    const name = arn.split(":").at(-1);
    if (name === "authorizer") {
      this.events.authorizer.push(event);
      return this.authorizer(event);
    }
    if (name !== "work") throw new InvocationRejected("ResourceNotFoundException", arn);
    this.events.work.push(event);
    return this.work(event);
  }

  tlsOptions(client: CertifiedKey | undefined = this.pki.client): ConnectionOptions {
    const { authority } = this.pki;
    const own = client && { cert: client.certificatePem, key: client.keyPem };
    return {
      host: "127.0.0.1",
      port: this.port,
      servername: "localhost",
      ca: authority.certificatePem,
      ...own,
    };
  }

  call(path: string, options: CallOptions = {}): Promise<CallAnswer> {
    const { method = "GET", headers = {}, body, client = this.pki.client, ...more } = options;
    return new Promise((resolve, reject) => {
      const { cert, key, ca } = this.tlsOptions(client);
      const all = { Host: "localhost", ...headers };
      const sent = request(
        {
          host: "127.0.0.1",
          port: this.port,
          servername: "localhost",
          ca,
          cert,
          key,
          method,
          path,
          headers: all,
          agent: false,
          ...more,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** Bytes as they are over a good TLS connection; what comes back until the gateway closes it. */
  async raw(bytes: string | Buffer): Promise<string> {
    const socket = connectTls(this.tlsOptions());
    await once(socket, "secureConnect");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", () => {});
    socket.write(bytes);
    await closed(socket);
    return answer;
  }

  /** Whether a handshake with these options succeeds, and what came back after it. */
  async handshake(options: ConnectionOptions): Promise<{
    secure: boolean;
    reused: boolean;
    answer: string;
    error?: string;
  }> {
    const socket: TLSSocket = connectTls(options);
    let secure = false;
    let reused = false;
    let answer = "";
    let error: string | undefined;
    socket.on("secureConnect", () => {
      secure = true;
      reused = socket.isSessionReused();
      socket.end("GET /v2/cards HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    });
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", ({ message }) => {
      error = message;
    });
    await closed(socket);
    return { secure, reused, answer, ...(error !== undefined && { error }) };
  }

  /** What a client keeps of a connection to take the next one up sooner. */
  async session(): Promise<Buffer | undefined> {
    const socket = connectTls(this.tlsOptions());
    const [session] = await once(socket, "session");
    socket.destroy();
    return session;
  }

  /** Sends these bytes and goes away. */
  async abandon(bytes: string): Promise<void> {
    const socket = connectTls(this.tlsOptions());
    await once(socket, "secureConnect");
    socket.write(bytes, () => socket.destroy());
    await closed(socket);
  }

  async plain(bytes: string): Promise<string> {
    const socket = connect({ host: "127.0.0.1", port: this.port });
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", () => {});
    socket.write(bytes);
    await closed(socket);
    return answer;
  }
}

interface CallOptions {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  client?: CertifiedKey;
  localAddress?: string;
  host?: string;
}

interface CallAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Unlike `once`, it takes an error for one more way to close. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.on("close", () => resolve()));
}
