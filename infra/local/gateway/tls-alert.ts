import type { X509Certificate } from "node:crypto";
import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { hasIssuerIn, isForClients, isValidAt } from "./request.ts";

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
