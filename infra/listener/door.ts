import { constants, X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { Server, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer, type SecureContextOptions, type TLSSocket } from "node:tls";
import * as z from "zod";
import { truststoreKey } from "../../shared/contract/authority.ts";
import { dayMs, now } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { Bucket } from "../../shared/platform/file-store.ts";
import { log } from "../../shared/platform/log.ts";
import { logMeasured } from "../../shared/platform/metrics.ts";
import { parseJson } from "../../shared/platform/parse-json.ts";
import { readSecret } from "../../shared/platform/read-secret.ts";

/** By what the listener and a card network know each other. All are PEM. */
export interface Identity {
  /** The listener's, with those between it and the network's root. */
  readonly certificate: string;
  readonly privateKey: string;
  /** The CAs whose certificates the network may have. */
  readonly authorities: string;
}

const Kept = z.object({
  certificate: z.string().includes("BEGIN CERTIFICATE"),
  privateKey: z.string().includes("PRIVATE KEY"),
});

const truststore = new Bucket(() => environment.listenerDoor.truststoreBucket);

/** Certificate and key are a secret; the CAs are those that the platform's hosts trust. */
export async function readIdentity(): Promise<Identity> {
  const [secret, authorities] = await Promise.all([
    readSecret(environment.listenerDoor.certificateSecretId),
    truststore.read(truststoreKey),
  ]);
  if (authorities === undefined) throw new Error("The truststore has no CAs. Deploy the environment first.");
  return { ...toKept(secret), authorities: Buffer.from(authorities).toString() };
}

/** Errors of a parser would quote the key. */
function toKept(secret: string): z.output<typeof Kept> {
  const read = Kept.safeParse(parseJson(secret));
  if (read.success) return read.data;
  throw new Error("The secret must be JSON with `certificate` and `privateKey`, both PEM.");
}

/** Lets in who has a certificate of a trusted CA, in one of the network's names. */
export interface Door {
  readonly readIdentity: () => Promise<Identity>;
  /**
   * Common names of the network's certificates. The environment's own CAs write none into those of
   * Tenants, who are trusted elsewhere but are no card network.
   */
  readonly clients: readonly string[];
  /** After so long the identity is read again: a renewed certificate needs no restart. */
  readonly renewMs?: number;
}

const handshakeMs = 10_000;

/** A server over mutual TLS. It listens once somebody says where. */
export async function openDoor(door: Door, accept: (socket: Socket) => void): Promise<Server> {
  const identity = await door.readIdentity();
  const options = { allowHalfOpen: true, requestCert: true, rejectUnauthorized: true };
  const server = createServer(
    { ...options, ...toContext(identity), handshakeTimeout: handshakeMs },
    (socket) => {
      if (isKnown(socket, door.clients)) accept(socket);
      else socket.destroy();
    },
  );
  server.on("tlsClientError", (error: Error & { code?: string }) =>
    log.warn("A connection is refused: it is not the network's.", { code: error.code }),
  );
  measureDays(identity);
  const closed = new AbortController();
  void once(server, "close").then(() => closed.abort());
  void keepRenewed(door, identity, closed.signal, (renewed) => server.setSecureContext(toContext(renewed)));
  return server;
}

function toContext({ certificate, privateKey, authorities }: Identity): SecureContextOptions {
  return {
    cert: certificate,
    key: privateKey,
    ca: authorities,
    minVersion: "TLSv1.2",
    // A resumed session would not show its certificate again.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

function isKnown(socket: TLSSocket, clients: readonly string[]): boolean {
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  // A list, if the subject has several.
  const name: unknown = subject?.CN;
  if (typeof name === "string" && clients.includes(name)) return true;
  log.warn("A connection is refused: its certificate does not name the network.", { fingerprint256 });
  return false;
}

/** Connections stay. What cannot be read or does not fit together changes nothing. */
async function keepRenewed(
  { readIdentity, renewMs = 900_000 }: Door,
  first: Identity,
  signal: AbortSignal,
  renew: (identity: Identity) => void,
): Promise<void> {
  let current = first;
  for (;;) {
    await sleep(renewMs, undefined, { ref: false, signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      const read = await readIdentity();
      if (JSON.stringify(read) !== JSON.stringify(current)) {
        renew(read);
        current = read;
        log.info("The listener's certificate or the CAs that it trusts are renewed.");
      }
    } catch (error) {
      log.error("The listener's certificate cannot be renewed: the last one goes on.", { error });
    }
    measureDays(current);
  }
}

function measureDays({ certificate }: Identity): void {
  logMeasured("The listener's certificate.", {}, () => ({
    ListenerCertificateDays: Math.floor(
      (new X509Certificate(certificate).validToDate.getTime() - now().getTime()) / dayMs,
    ),
  }));
}
