import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { openKeys } from "../../infra/local/endpoint/kms.ts";
import { ServiceError } from "../../infra/local/interfaces.ts";
import { arnOf, givenTemplate } from "../../infra/local/test/given-template.ts";
import { listen } from "./listen.ts";

/** Names of the keys, as an environment's settings would have them. */
const authorityKeyNames = ["first", "second"] as const;

/** While it is on, KMS answers 500. */
export const keyServerFault = { on: false };

let started: Promise<void> | undefined;

/**
 * The local KMS with a key for each CA and those of the vault, set in this process's environment.
 * One for the whole process, and it does not keep it running.
 */
export function startKeyServer(): Promise<void> {
  started ??= start();
  return started;
}

async function start(): Promise<void> {
  const signing = { KeySpec: "ECC_NIST_P256", KeyUsage: "SIGN_VERIFY" };
  const mac = { KeySpec: "HMAC_256", KeyUsage: "GENERATE_VERIFY_MAC" };
  const properties: Record<string, object> = {
    ...Object.fromEntries(authorityKeyNames.map((name) => [name, signing])),
    ...{ NUMBER_KEY: {}, NUMBER_INDEX_KEY: mac, CVV_KEY: mac },
    ...{ CAVV_KEY: mac, ACCOUNT_UPDATE_KEY: mac },
    ...{ NEXT_NUMBER_KEY: {}, NEXT_CVV_KEY: mac },
    DEVICE_KEY: { KeySpec: "ECC_NIST_P256", KeyUsage: "KEY_AGREEMENT" },
  };
  const template = givenTemplate(
    ...Object.entries(properties).map(([name, one]): [string, string, object] => [
      "AWS::KMS::Key",
      name,
      one,
    ]),
  );
  const directory = mkdtempSync(join(tmpdir(), "keys-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const keys = openKeys(template, join(directory, "kms.json"));
  const server = createServer(async (request, response) => {
    const operation = String(request.headers["x-amz-target"]).replace("TrentService.", "");
    response.setHeader("content-type", "application/x-amz-json-1.1");
    if (keyServerFault.on) return response.writeHead(500).end('{"__type":"KMSInternalException"}');
    try {
      return response.end(JSON.stringify(keys.answer(operation, JSON.parse(await text(request)))));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return response.writeHead(400).end(JSON.stringify({ __type: error.code, message: error.message }));
    }
  });
  Object.assign(process.env, {
    PAYMENT_CRYPTOGRAPHY: "",
    CARD_KEY_INDEX: "1",
    WALLETS: JSON.stringify({ isSimulated: true }),
    AWS_ENDPOINT_URL_KMS: await listen(server),
    AUTHORITY_KEYS: JSON.stringify(
      authorityKeyNames.map((name) => ({ name, keyArn: arnOf("AWS::KMS::Key", name) })),
    ),
    ...Object.fromEntries(
      Object.keys(properties)
        .filter((name) => name.endsWith("_KEY"))
        .map((name) => [name, arnOf("AWS::KMS::Key", name)]),
    ),
  });
}
