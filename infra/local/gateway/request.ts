import { isUtf8 } from "node:buffer";
import crypto, { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

export interface ReceivedRequest {
  requestId: string;
  extendedRequestId: string;
  traceId: string;
  timeMs: number;
  httpMethod: string;
  protocol: string;
  /** Without port; empty if the client sent none. */
  host: string;
  /** As sent, not decoded. */
  path: string;
  query: URLSearchParams;
  headers: [name: string, value: string][];
  body: string | null;
  /** In base64, of a body that is not UTF-8: its text has replacements. */
  bytes?: string;
  sourceIp: string;
  /** Undefined over plain HTTP. */
  clientCertificate: ClientCertificate | undefined;
}

/** Hop-by-hop headers, and headers that the gateway writes itself. */
const droppedHeaders =
  /^(connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|expect|x-forwarded-(for|port|proto))$/i;

export function newRequestIds(
  nowMs = Date.now(),
  draw: { randomUUID(): string; randomBytes(count: number): Buffer } = crypto,
): Pick<ReceivedRequest, "requestId" | "extendedRequestId" | "traceId"> {
  const seconds = Math.floor(nowMs / 1000).toString(16);
  return {
    requestId: draw.randomUUID(),
    extendedRequestId: `${draw.randomBytes(11).toString("base64").slice(0, 15)}=`,
    traceId: `Root=1-${seconds}-${draw.randomBytes(12).toString("hex")}`,
  };
}

export function readRequestHead(
  message: IncomingMessage,
  timeMs: number,
  clientCertificate: ClientCertificate | undefined,
): ReceivedRequest {
  const { path, query } = splitTarget(message.url ?? "/");
  const ids = newRequestIds();
  // A dual-stack socket reports IPv4 clients as mapped IPv6.
  const sourceIp = (message.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
  const port = message.socket.localPort ?? 443;
  return {
    ...ids,
    timeMs,
    httpMethod: message.method ?? "GET",
    protocol: `HTTP/${message.httpVersion}`,
    host: (message.headers.host ?? "").replace(/:\d+$/, "").toLowerCase(),
    path,
    query: new URLSearchParams(query),
    headers: [...clientHeaders(message), ...gatewayHeaders(message, sourceIp, port, ids.traceId)],
    body: null,
    sourceIp,
    clientCertificate,
  };
}

export function toBody(bytes: Buffer): Pick<ReceivedRequest, "body" | "bytes"> {
  if (bytes.length === 0) return { body: null };
  const body = bytes.toString("utf8");
  return isUtf8(bytes) ? { body } : { body, bytes: bytes.toString("base64") };
}

function splitTarget(target: string): { path: string; query: string } {
  const relative = target.startsWith("/") ? target : target.replace(/^[a-z]+:\/\/[^/?]*/i, "");
  const [path = "", ...query] = relative.split("?");
  return { path: path || "/", query: query.join("?") };
}

function clientHeaders(message: IncomingMessage): [string, string][] {
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    const name = message.rawHeaders[index] ?? "";
    if (!droppedHeaders.test(name)) headers.push([name, message.rawHeaders[index + 1] ?? ""]);
  }
  return headers;
}

function gatewayHeaders(
  message: IncomingMessage,
  sourceIp: string,
  port: number,
  traceId: string,
): [string, string][] {
  const before = message.headers["x-forwarded-for"];
  const forwardedFor = before === undefined ? sourceIp : `${String(before)}, ${sourceIp}`;
  const headers: [string, string][] = [
    ["X-Forwarded-For", forwardedFor],
    ["X-Forwarded-Port", String(port)],
    ["X-Forwarded-Proto", "https"],
  ];
  return message.headers["x-amzn-trace-id"] === undefined
    ? [["X-Amzn-Trace-Id", traceId], ...headers]
    : headers;
}

export interface ClientCertificate {
  clientCertPem: string;
  subjectDN: string;
  issuerDN: string;
  serialNumber: string;
  validity: { notBefore: string; notAfter: string };
}

const clientAuthentication = "1.3.6.1.5.5.7.3.2";
/** OpenSSL checks times by the machine's clock; the virtual clock decides instead. */
const timeErrors = ["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"];

export function readTruststore(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}

/** Whether the truststore's CAs signed the client's certificate and it is valid in virtual time. */
export function isTrusted(socket: TLSSocket, truststore: X509Certificate[], nowMs: number): boolean {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined || !isValidAt(certificate, nowMs)) return false;
  if (socket.authorized) return true;
  if (!timeErrors.includes(String(socket.authorizationError))) return false;
  // A time error may hide another error, so all other checks are repeated.
  const valid = truststore.filter((ca) => isValidAt(ca, nowMs));
  return isForClients(certificate) && hasIssuerIn(valid, certificate);
}

function isForClients({ keyUsage }: X509Certificate): boolean {
  return keyUsage === undefined || keyUsage.includes(clientAuthentication);
}

function hasIssuerIn(truststore: readonly X509Certificate[], certificate: X509Certificate): boolean {
  return truststore.some((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey));
}

function isValidAt(certificate: X509Certificate, nowMs: number): boolean {
  return nowMs >= certificate.validFromDate.getTime() && nowMs <= certificate.validToDate.getTime();
}

export function describeCertificate(certificate: X509Certificate): ClientCertificate {
  return {
    clientCertPem: certificate.toString(),
    subjectDN: distinguishedName(certificate.subject),
    issuerDN: distinguishedName(certificate.issuer),
    serialNumber: (certificate.serialNumber.toLowerCase().match(/../g) ?? []).join(":"),
    validity: { notBefore: certificate.validFrom, notAfter: certificate.validTo },
  };
}

/** Writes it on one line, most specific part first. */
function distinguishedName(lines: string): string {
  return lines.split("\n").reverse().join(",");
}

/** RFC 5246 and 8446, 6. Clients name them: "certificate required", "unknown ca". */
const alerts = {
  certificateRequired: 116,
  unknownAuthority: 48,
  certificateExpired: 45,
  unsupportedCertificate: 43,
};
const [alertRecord, tls12, fatal] = [21, [3, 3], 2];

/**
 * Tells the client why its certificate is refused, where Node alone resets the connection. The
 * event comes when the server has checked what the client sent, and not yet answered: an alert is
 * still sent in clear. The caller ends the connection after the handshake, whatever was sent here.
 */
export function alertRefusedClients(
  server: Server,
  refused: (certificate: X509Certificate | undefined) => number | undefined,
): void {
  const connections = new Map<string, Socket>();
  const name = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.on("connection", (connection: Socket) => {
    const from = name(connection);
    connections.set(from, connection);
    connection.once("close", () => connections.delete(from));
  });
  // Its argument, the session's secret, is not looked at.
  server.on("keylog", (_, socket: TLSSocket) => {
    const alert = refused(socket.getPeerX509Certificate());
    if (alert === undefined) return;
    connections.get(name(socket))?.write(Buffer.from([alertRecord, ...tls12, 0, 2, fatal, alert]));
  });
}

/** The alert for the certificate, or undefined where the handshake itself decides. */
export function findAlert(
  certificate: X509Certificate | undefined,
  truststore: readonly X509Certificate[],
  nowMs: number,
): number | undefined {
  if (certificate === undefined) return alerts.certificateRequired;
  const isAlone = certificate.issuerCertificate === undefined;
  if (isAlone && !hasIssuerIn(truststore, certificate)) return alerts.unknownAuthority;
  if (!isValidAt(certificate, nowMs)) return alerts.certificateExpired;
  return isForClients(certificate) ? undefined : alerts.unsupportedCertificate;
}
