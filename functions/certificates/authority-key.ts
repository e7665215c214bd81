import { createHash } from "node:crypto";
import { GetPublicKeyCommand, KMSClient, SignCommand } from "@aws-sdk/client-kms";

const kms = new KMSClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000 },
});

/** SubjectPublicKeyInfo in DER. */
export async function authorityPublicKey(keyArn: string): Promise<Uint8Array> {
  const { PublicKey } = await kms.send(new GetPublicKeyCommand({ KeyId: keyArn }));
  return present(PublicKey);
}

/** An ECDSA signature in DER. KMS signs the digest: it never gets the text. */
export async function signWithAuthority(keyArn: string, text: Uint8Array): Promise<Uint8Array> {
  const { Signature } = await kms.send(
    new SignCommand({
      KeyId: keyArn,
      Message: createHash("sha256").update(text).digest(),
      MessageType: "DIGEST",
      SigningAlgorithm: "ECDSA_SHA_256",
    }),
  );
  return present(Signature);
}

function present(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw new Error("KMS answered without what it was asked for.");
  return bytes;
}
