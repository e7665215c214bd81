import { cpSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { Connection } from "../../../infra/development/connection.ts";
import { TransactionResult } from "../../../shared/contract/enums.ts";
import { newId } from "../../../shared/platform/id.ts";
import { givenCard } from "../../harness/given-cards.ts";
import { existingProgram, givenLiveProgram, type LiveProgram } from "../../harness/given-live-program.ts";
import type { NetworkEvent } from "../prove/network-events.ts";
import { inBatches, sendEvents } from "../prove/network-queue.ts";
import { SmokeConnection } from "../smoke/deployment.ts";
import { smoke } from "../smoke/smoke.ts";
import { notificationsIn } from "./notifications.ts";
import {
  checkBooks,
  checkRestored,
  copyTables,
  keepBeside,
  type Practice,
  register,
  startTraffic,
  takeTables,
} from "./practice.ts";

const { depositCleared } = TransactionResult;
const hoursSinceTheCopy = 20;
const lateAuthorizations = 12;
const backedUpBuckets = /-(evidence|records|truststoreaccesslogs)[^-]*$/;

/**
 * Loses tables and buckets, with all that this account has of them, and restores them from a copy
 * of the day. What came since must be named from outside, and be booked once if senders repeat all.
 */
export async function secondCopyDrill(practice: Practice): Promise<void> {
  const { receiver, step } = practice;
  const [lost, copy, place] = ["lost", "copy", "restored"].map(practice.placeOf) as [string, string, string];
  const platform = await practice.start(lost);
  step("A platform serves");
  const program = await givenLiveProgram(platform.connection);
  const { programId } = program;
  const cardId = await register(program, receiver);
  const sent: NetworkEvent[] = [];
  const send = async (event: object) => {
    sent.push({ eventId: newId("event"), programId, ...event } as NetworkEvent);
    await sendEvents(platform.connection, sent.slice(-1));
  };
  const authorize = () =>
    send({ kind: "authorization", cardId, authorizationId: newId("event"), amount: 100 });
  await putRecord(platform.connection, "before");

  const traffic = startTraffic(async () => {
    await authorize();
    await platform.settled();
  });
  await traffic.isUnderWay;
  const copiedAt = new Date();
  await makeSecondCopy(practice, lost, copy, () => givenCard(program));
  await traffic.stop();
  await platform.settled();
  step("A copy is made while authorizations go on, each table at a moment of its own");

  await platform.clock.advance(hoursSinceTheCopy * 3_600_000);
  for (let made = 0; made < lateAuthorizations; made += 1) await authorize();
  await send({ kind: "deposit_cleared", accountType: 1, accountId: cardId, amount: 5_000, channel: "bank" });
  const { cardId: lateCardId } = await givenCard(program);
  await putRecord(platform.connection, "after");
  await platform.settled();
  const expected = await balanceOf(program, cardId);
  await program.close();
  await platform.stop();
  keepBeside(lost, place);
  rmSync(lost, { recursive: true });
  step(`${hoursSinceTheCopy} hours and ${sent.length} events later, tables and buckets are gone`);

  cpSync(copy, place, { recursive: true });
  const restored = await practice.start(place);
  step("A platform serves from the copy");
  await expectRecords(restored.connection);
  const again = await existingProgram(restored.connection, { ...restored.connection, programId });
  if ((await again.call("GET /cards/{cardId}", { path: { cardId: lateCardId } })).status !== 404)
    throw new Error("The copy has what was made after it: the drill proves nothing.");
  await checkRestored(practice, restored, { programId, copiedAt });

  const { all: known } = await notificationsIn(restored.connection.store, programId);
  const unknown = receiver.received.filter(({ headers }) => !known.has(headers["webhook-id"] ?? ""));
  const deposits = unknown.filter(({ body }) => JSON.parse(body.toString()).TransResult === depositCleared);
  const holds = unknown.length - deposits.length;
  if (deposits.length !== 1 || holds < lateAuthorizations || holds > sent.length - 2)
    throw new Error(
      `Receivers know of ${deposits.length} deposits and ${holds} holds that the copy has not.`,
    );
  step(
    `Receivers name what is lost: their notifications of ${holds} holds and a deposit are not in the copy`,
  );

  for (const batch of inBatches(sent)) await sendEvents(restored.connection, batch);
  await restored.settled();
  const balance = await balanceOf(again, cardId);
  if (balance !== expected) throw new Error(`The Card has ${balance}; before, it had ${expected}.`);
  step(`The senders repeat all ${sent.length} events: each is booked once, and the Card has ${balance}`);
  await again.close();
  await checkBooks(practice, restored, programId);
  await smoke(SmokeConnection.parse(restored.connection), () => {});
  step("The smoke test passes");
}

/** As AWS Backup does it: one table after the other, and the buckets beside the uploads' one. */
async function makeSecondCopy(
  { placeOf }: Practice,
  from: string,
  to: string,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  copyTables(from, to);
  await meanwhile();
  copyTables(from, placeOf("later"));
  takeTables(placeOf("later"), to, /-(Accounts|Vault)Table/);
  for (const bucket of readdirSync(path.join(from, "files")).filter((one) => backedUpBuckets.test(one)))
    cpSync(path.join(from, "files", bucket), path.join(to, "files", bucket), { recursive: true });
}

async function balanceOf(program: LiveProgram, cardId: string): Promise<string> {
  const { body } = await program.call("GET /cards/{cardId}/balance", { path: { cardId } });
  const { availableBalance, ledgerBalance } = body.data as Record<string, number>;
  return `${availableBalance} of ${ledgerBalance}`;
}

function recordsOf({ store: { records, region } }: Connection) {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const { endpoint = "", bucket: Bucket } = records ?? {};
  return { s3: new S3Client({ region, endpoint, credentials, forcePathStyle: true }), Bucket };
}

async function putRecord(connection: Connection, Key: string): Promise<void> {
  const { s3, Bucket } = recordsOf(connection);
  await s3.send(new PutObjectCommand({ Bucket, Key: `drill/${Key}`, Body: Key }));
}

async function expectRecords(connection: Connection): Promise<void> {
  const { s3, Bucket } = recordsOf(connection);
  const read = (Key: string) => s3.send(new GetObjectCommand({ Bucket, Key: `drill/${Key}` }));
  if ((await (await read("before")).Body?.transformToString()) !== "before")
    throw new Error("The bucket of records is not restored.");
  const isThere = await read("after").then(
    () => true,
    () => false,
  );
  if (isThere) throw new Error("The copy has an object that was written after it.");
}
