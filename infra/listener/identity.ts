import * as z from "zod";
import { truststoreKey } from "../../shared/contract/authority.ts";
import { environment } from "../../shared/platform/environment.ts";
import { Bucket } from "../../shared/platform/file-store.ts";
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
