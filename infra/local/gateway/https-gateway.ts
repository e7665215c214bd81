import type { X509Certificate } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import { TLSSocket } from "node:tls";
import type { UsagePlans } from "../endpoint/usage-plans.ts";
import type { Clock, FunctionInvoker, Trace } from "../interfaces.ts";
import { listen, type PlainPort, readBody } from "../loopback-server.ts";
import type { Assembly } from "../template.ts";
import type { Answer } from "./answer.ts";
import { answerRequest, type GatewayParts, prepareGateway, routeRequest } from "./answer-request.ts";
import {
  alertRefusedClients,
  type ClientCertificate,
  describeCertificate,
  findAlert,
  isTrusted,
  type ReceivedRequest,
  readRequestHead,
  readTruststore,
  toBody,
} from "./request.ts";

export interface GatewayOptions {
  assembly: Assembly;
  invoker: FunctionInvoker;
  clock: Pick<Clock, "now">;
  usage: UsagePlans;
  trace: Trace;
  port: number;
  serverCertificate: string;
  serverKey: string;
  truststore: string;
  /** Serves the host that needs no client certificate. */
  plainPort?: PlainPort;
  /** Answers requests in turns, under ids of its own. */
  inTurn?(request: ReceivedRequest): Promise<{ request: ReceivedRequest; answer: Answer }>;
}

export interface Gateway {
  port: number;
  trust(truststore: string): void;
  stop(): Promise<void>;
}

const bodyLimitBytes = 10 * 1024 * 1024;
const headerLimitBytes = 10_240;
const freePortAttempts = 20;
const stopTimeoutMs = 1_500;

/**
 * Serves the template's APIs over mutual TLS on 127.0.0.1 and ::1. Connections without a trusted
 * certificate end before any HTTP answer.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const parts = prepareGateway(options);
  const trusted = { authorities: readTruststore(options.truststore) };
  const create = () => createListener(options, parts, trusted);
  const { servers, port, stop } = await listenOnLoopback(create, options.port);
  options.plainPort?.serve(toListener(options, parts));
  const trust = (truststore: string) => {
    trusted.authorities = readTruststore(truststore);
    for (const server of servers) server.setSecureContext(toTls(options, truststore));
  };
  return { port, trust, stop };
}

function toTls({ serverCertificate, serverKey }: GatewayOptions, truststore: string): ServerOptions {
  return {
    cert: serverCertificate,
    key: serverKey,
    ca: truststore,
    // API Gateway supports no mutual TLS with TLS 1.3.
    minVersion: "TLSv1.2",
    maxVersion: "TLSv1.2",
  };
}

function createListener(
  options: GatewayOptions,
  parts: GatewayParts,
  trusted: { readonly authorities: X509Certificate[] },
): Server {
  const tls: ServerOptions = {
    ...toTls(options, options.truststore),
    requestCert: true,
    // Checked below against the virtual clock, before any answer.
    rejectUnauthorized: false,
    maxHeaderSize: headerLimitBytes,
    keepAliveTimeout: 60_000,
  };
  const server = createServer(tls, toListener(options, parts));
  server.prependListener("secureConnection", (socket: TLSSocket) => {
    if (isTrusted(socket, trusted.authorities, options.clock.now())) return;
    options.trace.record({ kind: "request", name: "TLS handshake", detail: { outcome: "refused" } });
    socket.destroy();
  });
  alertRefusedClients(server, (certificate) =>
    findAlert(certificate, trusted.authorities, options.clock.now()),
  );
  return server;
}

function toListener(options: GatewayOptions, parts: GatewayParts): RequestListener {
  return (message, response) =>
    void serve(options, parts, message, response).catch((error) => {
      console.error(error);
      message.socket.destroy();
    });
}

async function serve(
  options: GatewayOptions,
  parts: GatewayParts,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedMs = performance.now();
  const described = message.socket instanceof TLSSocket ? describePeer(message.socket) : undefined;
  if (described === undefined && message.socket instanceof TLSSocket) return void message.socket.destroy();
  let request = readRequestHead(message, parts.clock.now(), described);
  let name = `${request.httpMethod} (no route)`;
  let answer: Answer;
  try {
    const body = await readBody(message, bodyLimitBytes).catch(() => "aborted" as const);
    if (body === "aborted") return;
    const isTooLarge = body === undefined;
    const whole = isTooLarge ? request : { ...request, ...toBody(body) };
    const routed = routeRequest(parts, whole);
    if (routed?.route !== undefined) name = `${request.httpMethod} ${routed.route.node.path}`;
    if (options.inTurn === undefined || isTooLarge) answer = await answerRequest(parts, routed, isTooLarge);
    else ({ request, answer } = await options.inTurn(whole));
  } catch (error) {
    // Report a fault of the gateway, but keep the platform running.
    console.error(error);
    answer = {
      status: 500,
      headers: [["Content-Type", "application/json"]],
      body: '{"message":"Internal server error"}',
    };
  }
  send(message, response, request, answer);
  const durationMs = Math.round(performance.now() - startedMs);
  const { requestId, sourceIp } = request;
  options.trace.record({
    kind: "request",
    name,
    detail: { status: answer.status, durationMs, requestId, sourceIp },
  });
}

const peers = new WeakMap<TLSSocket, ClientCertificate>();

/** Once for a connection: to read a certificate takes longer than to route a request. */
function describePeer(socket: TLSSocket): ClientCertificate | undefined {
  const certificate = peers.has(socket) ? undefined : socket.getPeerX509Certificate();
  if (certificate) peers.set(socket, describeCertificate(certificate));
  return peers.get(socket);
}

function send(
  message: IncomingMessage,
  response: ServerResponse,
  request: ReceivedRequest,
  answer: Answer,
): void {
  if (response.destroyed) return;
  const headers: [string, string][] = [
    ["x-amzn-RequestId", request.requestId],
    ["x-amz-apigw-id", request.extendedRequestId],
    ["X-Amzn-Trace-Id", request.traceId],
    ["Content-Length", String(Buffer.byteLength(answer.body))],
    ...answer.headers,
  ];
  if (!message.complete) headers.push(["Connection", "close"]);
  response.writeHead(answer.status, headers.flat());
  response.end(answer.body);
}

/** Both loopback addresses use one port. Without IPv6, only IPv4 is served. */
async function listenOnLoopback(create: () => Server, port: number) {
  for (let attempt = 1; ; attempt += 1) {
    const servers = [create(), create()] as const;
    const first = await listenAt(servers[0], port, "127.0.0.1");
    try {
      const second = await listenAt(servers[1], first.port, "::1");
      return {
        servers,
        port: first.port,
        stop: async () => void (await Promise.all([first.stop(), second.stop()])),
      };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return { servers, ...first };
      await first.stop();
      if (port !== 0 || attempt === freePortAttempts) throw error;
    }
  }
}

/** When it stops, running requests have a moment to end. */
async function listenAt(server: Server, port: number, host: string) {
  const closeLate = () => void setTimeout(() => server.closeAllConnections(), stopTimeoutMs).unref();
  return listen(server, closeLate, port, host).catch((error: NodeJS.ErrnoException) => {
    const hint = `Port ${port} of ${host} is taken. Set PORT to another one, or to 0 for a free one.`;
    throw error.code === "EADDRINUSE" ? Object.assign(new Error(hint), { code: error.code }) : error;
  });
}
