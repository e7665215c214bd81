import "../../../shared/platform/reflect.ts";
import { createPublicKey } from "node:crypto";
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate,
} from "@peculiar/x509";

/** What a wallet's certificate is known by. */
export interface Trusted {
  /** PEM. */
  readonly roots: readonly string[];
  /**
   * The extension that the wallet's leaf alone has. A root signs other parties' keys too: without
   * it, each of them could read a Card.
   */
  readonly leafExtension: string;
}

interface Refused {
  /** Which of the two is not vouched for. */
  readonly place: 0 | 1;
  readonly reason: string;
}

/**
 * The leaf's key, a point of P-256, if a root vouches for its issuer, and that for the leaf.
 * @param given leaf and issuer in base64
 */
export async function trustedKey(
  given: readonly string[],
  { roots, leafExtension }: Trusted,
  date: Date,
): Promise<Buffer | Refused> {
  const [leaf, issuer] = given.map(parse);
  if (leaf === undefined) return { place: 0, reason: "is no X.509 certificate" };
  if (issuer === undefined) return { place: 1, reason: "is no X.509 certificate" };
  const anchors = roots.map((root) => new X509Certificate(root));
  const vouched = await Promise.all(anchors.map((root) => isSignedBy(issuer, root, date)));
  if (!vouched.includes(true))
    return { place: 1, reason: "is not under the wallet's roots, or not valid now" };
  if (!isAuthority(issuer)) return { place: 1, reason: "may sign no certificates" };
  if (!(await isSignedBy(leaf, issuer, date)))
    return { place: 0, reason: "is not signed by its issuer, or not valid now" };
  if (leaf.getExtension(leafExtension) === null || leaf.getExtension(BasicConstraintsExtension)?.ca === true)
    return { place: 0, reason: "is not one that encrypts for the wallet" };
  return toPoint(leaf) ?? { place: 0, reason: "has no key of P-256" };
}

function parse(base64: string): X509Certificate | undefined {
  try {
    return new X509Certificate(Buffer.from(base64, "base64"));
  } catch {
    return undefined;
  }
}

async function isSignedBy(one: X509Certificate, signer: X509Certificate, date: Date): Promise<boolean> {
  if (one.issuer !== signer.subject) return false;
  return one.verify({ publicKey: signer.publicKey, date }).catch(() => false);
}

function isAuthority(one: X509Certificate): boolean {
  const usages = one.getExtension(KeyUsagesExtension)?.usages ?? KeyUsageFlags.keyCertSign;
  const mayOn = (usages & KeyUsageFlags.keyCertSign) !== 0;
  return mayOn && one.getExtension(BasicConstraintsExtension)?.ca === true;
}

function toPoint({ publicKey }: X509Certificate): Buffer | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey.rawData), type: "spki", format: "der" });
    const { crv, x = "", y = "" } = key.export({ format: "jwk" });
    if (crv !== "P-256") return undefined;
    return Buffer.concat([Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
  } catch {
    return undefined;
  }
}
