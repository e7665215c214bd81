import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { untilStopped } from "../command-line/clean-up.ts";
import { declareCommand, runCommand } from "../command-line/command.ts";
import { type Connection, localCredentials, readConnection } from "../command-line/connection.ts";
import { findConnectionFile, writeWholeFile } from "../command-line/connection-file.ts";
import { CannotRun, flag, text, UsageError } from "../command-line/options.ts";
import { say } from "../command-line/print.ts";
import type { Door } from "../listener/door.ts";

const dialects = ["default", "mastercard", "visa"];

export const command = declareCommand({
  name: "network",
  summary: "listens for ISO 8583 messages of a card network, on this machine, until Ctrl-C",
  options: {
    dialect: text("<name>", `of the messages: ${dialects.join(", ")}`, "default"),
    tls: flag("over mutual TLS, as in AWS; network.json names the files of the network's side"),
  },
  notes: `Variables: NETWORK_PORT (8583; 0 takes a free one), NETWORK_MESSAGES (256, under way at once), LOCAL_DIR. It writes
host, ports and the PIN zone's keys to network.json in that directory.
docs/connect-a-processor.md has the messages.`,
  run: async ({ options: { dialect, tls } }) => {
    if (!dialects.includes(dialect))
      throw new UsageError(`--dialect is "${dialect}"; it must be one of ${dialects.join(", ")}.`);
    const port = readNumber("NETWORK_PORT", 8_583, 0, 65_535);
    const messages = readNumber("NETWORK_MESSAGES", 256, 1, 10_000);
    const connection = readConnection();
    Object.assign(process.env, await listenerVariables(connection, { port, dialect, messages }));
    const { listenForNetwork, readLocalPinKeys } = await import("../listener/main.ts");
    const pinKeys = await readLocalPinKeys();
    const stopped = untilStopped();
    const listener = await listenForNetwork(tls ? localDoor(connection) : "plain");
    const file = path.join(path.dirname(findConnectionFile()), "network.json");
    const { host, healthPort } = listener;
    const { cert, key } = connection.network.client;
    const known = tls ? { ca: connection.ca, cert, key } : {};
    const written = { host, port: listener.port, healthPort, ...known, ...pinKeys };
    writeWholeFile(file, `${JSON.stringify(written, null, 2)}\n`);
    say(`Listening on ${host}:${listener.port}${tls ? " over mutual TLS" : ""} (${file}).`);
    await stopped;
    await listener.stop();
    // What reads it would call a listener that has ended.
    rmSync(file, { force: true });
    return true;
  },
});

/** Opens as in AWS, with files in the place of a secret and a bucket. */
export function localDoor({ truststore, network }: Pick<Connection, "truststore" | "network">): Door {
  return {
    clients: [network.client.name],
    readIdentity: async () => ({
      certificate: readFileSync(network.server.cert, "utf8"),
      privateKey: readFileSync(network.server.key, "utf8"),
      authorities: readFileSync(truststore, "utf8"),
    }),
  };
}

type LocalStore = Record<"endpoint" | "region" | "issuingTable" | "accountsTable", string>;

/** What the process needs that listens beside the platform on this machine. */
export async function listenerVariables(
  { operatorUrl, store }: { readonly operatorUrl: string; readonly store: Readonly<LocalStore> },
  { port, dialect, messages }: Record<"port" | "dialect" | "messages", string>,
): Promise<Record<string, string>> {
  const { processorFunctionName, vaultFunctionName } = await import("../constructs/names.ts");
  return {
    AWS_REGION: store.region,
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    AWS_ENDPOINT_URL: new URL(operatorUrl).origin,
    AWS_ENDPOINT_URL_DYNAMODB: store.endpoint,
    ISSUING_TABLE: store.issuingTable,
    ACCOUNTS_TABLE: store.accountsTable,
    VAULT_FUNCTION: vaultFunctionName("local", "listener"),
    PROCESSOR_FUNCTION: processorFunctionName("local"),
    ENVIRONMENT_NAME: "local",
    SERVICE_NAME: "listener",
    LISTENER_HOST: "127.0.0.1",
    LISTENER_PORT: port,
    LISTENER_HEALTH_PORT: "0",
    LISTENER_DIALECT: dialect,
    LISTENER_MESSAGES: messages,
  };
}

function readNumber(name: string, usual: number, from: number, to: number): string {
  const given = process.env[name] || String(usual);
  if (/^\d+$/.test(given) && Number(given) >= from && Number(given) <= to) return given;
  throw new CannotRun(`${name} is "${given}"; it must be a number from ${from} to ${to}.`);
}

if (import.meta.main) await runCommand(command);
