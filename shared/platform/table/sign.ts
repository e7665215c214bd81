import { hash } from "node:crypto";
import { now } from "../clock.ts";
import { type AwsCredentials, environment } from "../environment.ts";
import { sha256 } from "../sha256.ts";

type Signer = (
  endpoint: URL,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer },
) => Record<string, string>;

/** Lambda's variables have the key. Where there are none, as for a command, the SDK finds it. */
export async function findSigner(): Promise<Signer> {
  const own = environment.awsCredentials ?? (await (await findProvider())());
  return (endpoint, { headers, body }) => sign(own, { host: endpoint.host, ...headers }, body);
}

let provider: Promise<() => Promise<AwsCredentials>> | undefined;

function findProvider(): Promise<() => Promise<AwsCredentials>> {
  provider ??= import("@aws-sdk/client-dynamodb").then(
    ({ DynamoDBClient }) => new DynamoDBClient({ region: environment.awsRegion }).config.credentials,
  );
  return provider;
}

const algorithm = "AWS4-HMAC-SHA256";
let signingKey: { readonly of: string; readonly key: Key } | undefined;

/** Signature Version 4 of a POST to `/`. */
function sign(
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  given: Readonly<Record<string, string>>,
  body: Buffer,
): Record<string, string> {
  const date = now()
    .toISOString()
    .replace(/[-:]|\.\d+/g, "");
  const added: Record<string, string> = { "x-amz-date": date };
  if (sessionToken !== undefined) added["x-amz-security-token"] = sessionToken;
  const headers: Readonly<Record<string, string>> = { ...given, ...added };
  const names = Object.keys(headers).toSorted();
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join("");
  const signed = names.join(";");
  const canonical = `POST\n/\n\n${lines}\n${signed}\n${sha256(body)}`;
  const scope = [date.slice(0, 8), environment.awsRegion, "dynamodb", "aws4_request"];
  const text = [algorithm, date, scope.join("/"), sha256(canonical)].join("\n");
  const signature = hmac(keyOf(secretAccessKey, scope), text, "hex");
  const credential = `Credential=${accessKeyId}/${scope.join("/")}`;
  return {
    ...added,
    authorization: `${algorithm} ${credential}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

/** It changes once a day, and with the credentials. */
function keyOf(secret: string, scope: readonly string[]): Key {
  const of = [secret, ...scope].join("/");
  if (signingKey?.of !== of) {
    const first = padded(Buffer.from(`AWS4${secret}`));
    signingKey = { of, key: scope.reduce((key, part) => padded(hmac(key, part, "buffer")), first) };
  }
  return signingKey.key;
}

/** HMAC's two forms of a key. */
interface Key {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const blockBytes = 64;

function padded(secret: Buffer): Key {
  const key = Buffer.alloc(blockBytes);
  (secret.length > blockBytes ? hash("sha256", secret, "buffer") : secret).copy(key);
  return { inner: key.map((byte) => byte ^ 0x36) as Buffer, outer: key.map((byte) => byte ^ 0x5c) as Buffer };
}

/** RFC 2104. Node's own makes a key object for each text, which takes as long as all the hashes. */
function hmac(key: Key, text: string, encoding: "buffer"): Buffer;
function hmac(key: Key, text: string, encoding: "hex"): string;
function hmac({ inner, outer }: Key, text: string, encoding: "buffer" | "hex"): Buffer | string {
  const first = hash("sha256", Buffer.concat([inner, Buffer.from(text)]), "buffer");
  return hash("sha256", Buffer.concat([outer, first]), encoding as "hex");
}
