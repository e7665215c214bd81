import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { S3Client } from "@aws-sdk/client-s3";
import { createRevealKey } from "../../../client/device.ts";
import { localCredentials } from "../../../infra/command-line/connection.ts";
import { feed } from "../../../infra/commands/feed.ts";
import { listenerVariables, localDoor } from "../../../infra/commands/network.ts";
import type { Connection } from "../../../infra/development/connection.ts";
import { newId } from "../../../shared/platform/id.ts";
import { NetworkClient } from "../../harness/network-client.ts";
import { clearingFileOf } from "../../shared/adapters/clearing-records.ts";
import { money } from "./narrator.ts";
import type { Stage } from "./story.ts";

const amount = 1_250;
const acquirer = "12345";

/** A purchase by ISO 8583 message with the Card's number, which a clearing file settles. */
export async function payOverNetwork({ call, tell, connection }: Stage, cardId: string): Promise<void> {
  const { publicKey, open } = await createRevealKey();
  const { jwe } = await call("POST /cards/{cardId}/reveal", { cardId }, { publicKey });
  const { cardNumber } = await open(jwe);
  const ulid = newId("event").slice(-12);
  const systemTrace = String(Date.now() % 1_000_000).padStart(6, "0");
  const transmittedAt = new Date().toISOString().replace(/\D/g, "").slice(4, 14);
  const minor = String(amount).padStart(12, "0");
  const answer = await withListener(connection, (network) =>
    network.send({
      mti: "0100",
      fields: {
        ...{ 2: cardNumber, 3: "000000", 4: minor, 7: transmittedAt, 11: systemTrace, 18: "5812" },
        ...{ 32: acquirer, 37: ulid, 49: "840" },
      },
    }),
  );
  const { 38: approvalCode, 39: code } = answer.fields;
  tell.step(
    `A terminal sends the Card's number for ${money(amount)} in an ISO 8583 message, 0100`,
    `${answer.mti}, DE39 ${code}, approval code ${approvalCode}`,
  );
  await tell.balances();
  const settled = { cardNumber, amount, srcAmount: amount, retrievalReference: ulid, mcc: "5812" };
  const referenceCode = newId("event").slice(-23);
  const record = { ...settled, systemTrace, acquirer, transmittedAt, referenceCode };
  const { status, applied } = await feedFile(connection, clearingFileOf(ulid, record));
  tell.step("The acquirer's clearing file settles it, once", `${status}: ${applied} record`);
  await tell.balances();
}

/** As `npm run network -- --tls`, on a free port. */
async function withListener<T>(
  connection: Connection,
  work: (network: NetworkClient) => Promise<T>,
): Promise<T> {
  const variables = await listenerVariables(connection, { port: "0", dialect: "default", messages: "8" });
  Object.assign(process.env, variables, { LOG_LEVEL: "SILENT" });
  const { listenForNetwork } = await import("../../../infra/listener/main.ts");
  const listener = await listenForNetwork(localDoor(connection));
  try {
    const { client } = connection.network;
    const [ca, cert, key] = [connection.ca, client.cert, client.key].map((file) => readFileSync(file));
    const network = await NetworkClient.connect(listener.port, "default", { ca, cert, key });
    return await work(network).finally(() => network.close());
  } finally {
    await listener.stop();
  }
}

async function feedFile({ files, store }: Connection, content: string) {
  const directory = mkdtempSync(path.join(tmpdir(), "clearing-"));
  const file = path.join(directory, "clearing.txt");
  const { endpoint, bucket } = files;
  const s3 = new S3Client({ endpoint, region: store.region, credentials: localCredentials });
  try {
    writeFileSync(file, content, { mode: 0o600 });
    return await feed({ s3, name: bucket }, "clearing", file, 60);
  } finally {
    s3.destroy();
    rmSync(directory, { recursive: true });
  }
}
