import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DynamoDBClient, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";
import type { Connection } from "../../infra/development/connection.ts";
import { type Platform, startPlatform } from "../../infra/development/platform.ts";
import { endpoints } from "../../shared/notifications/delivery/endpoint.ts";
import type { Case, CaseRequest } from "./cases/case.ts";
import { contractCases } from "./cases/cases.ts";
import { givenSimulation } from "./cases/control-cases.ts";
import { caseFile, eventsFolder, recordedFiles } from "./cases/recorded-case.ts";
import { sendEveryNotification } from "./every-notification.ts";
import { givenCard } from "./given-cards.ts";
import { demoProgram, givenLiveProgram, type LiveProgram, tenantLevel } from "./given-live-program.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import {
  keepAnswer,
  keepDocument,
  keepError,
  keepNotifications,
  noAnswers,
  writeAnswers,
} from "./recorded-answers.ts";
import {
  advanceClock,
  type Chosen,
  holding,
  inputOf,
  ofRequest,
  type RecordedInput,
  Recordings,
} from "./recordings.ts";
import { redact } from "./redact.ts";

interface Run {
  readonly platform: Platform;
  readonly receiver: Receiver;
  readonly answers: ReturnType<typeof noAnswers>;
  readonly isChosen: (file: string) => boolean;
}

/**
 * Gets every answer of the contract from a platform of its own, and writes the functions' inputs
 * and the answers to `events/`, redacted. Returns how many: without prefixes all, else those whose
 * paths begin with one of them.
 */
export async function recordEvents(prefixes: readonly string[]): Promise<number> {
  const directory = mkdtempSync(path.join(tmpdir(), "record-"));
  const receiver = await startReceiver();
  const shown = await startReceiver();
  const receivers = [receiver.origin, shown.origin];
  const answers = noAnswers();
  const recordings = new Recordings();
  const { observe } = recordings;
  const platform = await startPlatform({ port: 0, directory, dynamodb: "dynoxide", receivers, observe });
  const isChosen = (file: string) =>
    prefixes.length === 0 || prefixes.some((prefix) => file.startsWith(prefix));
  const run: Run = { platform, receiver, answers, isChosen };
  try {
    const { connection } = platform;
    const programs = {
      automatic: demoProgram(connection),
      manual: await givenLiveProgram(connection, { manualIssuance: true }),
      tenant: tenantLevel(connection),
    };
    // What made the platform and its Programs is of no use.
    recordings.inputs.length = 0;
    const requestIds = await makeEveryAnswer(run, programs);
    const programAnswer = await programs.automatic.call("GET /wallets");
    const tenantAnswer = await programs.tenant.call("GET /wallets");
    await sendDeposit(connection);
    await askForPasscode(programs.automatic);
    const sender = await givenLiveProgram(connection);
    await sendOut(run, sender);
    await givenSimulation(sender);
    const unreadable = await givenLiveProgram(connection);
    await leaveToFanOut(run, unreadable);
    const notified = await sendEveryNotification(connection, shown);
    await refuseEntry(run);
    // The reminder is due in half a minute, and what is due is looked for once a minute.
    await advanceClock(connection, "2m");
    await platform.settled();
    keepNotifications(answers, shown.received);
    await notified.close();
    const { inputs } = recordings;
    await Promise.all([...Object.values(programs), sender, unreadable].map((program) => program.close()));

    const written = new Map<string, RecordedInput>();
    for (const [file, requestId] of requestIds)
      written.set(file, inputOf(inputs, file.split("/")[0], ofRequest(requestId)));
    const keep = (file: string, is?: Chosen) => {
      if (!isChosen(file)) return undefined;
      const input = inputOf(inputs, file.split("/")[0], is);
      written.set(file, input);
      return input;
    };
    keep("authorizer/authenticate/program-key.json", ofRequest(programAnswer.headers["x-request-id"]));
    keep("authorizer/authenticate/tenant-key.json", ofRequest(tenantAnswer.headers["x-request-id"]));
    const ofSender = (...texts: string[]) => holding(sender.programId, ...texts);
    keep("webhook-fanout/fan-out/queue.json", holding(unreadable.programId, "hold.placed"));
    keep("webhook-fanout/replay/queue.json", ofSender("notifications.replayed"));
    keep("background-jobs/take-step/queue.json", ofSender("control.simulated"));
    keep("callback-delivery/deliver/queue.json", ofSender("callback-delivery"));
    keep("callback-delivery/deliver/slow.json", ofSender("slow-callbacks"));
    keepOneRecord(keep("outbox-relay/publish/stream.json", holding("#OUTBOX#")), "#OUTBOX#");
    keepOneRecord(
      keep("list-indexer/take-in/stream.json", holding("#LIST#cardholders#")),
      "#LIST#cardholders#",
    );
    keep("processor-events/consume/queue.json");
    keep("alert-delivery/deliver/queue.json", holding("otp.challenged"));
    keep("deadlines/sweep/schedule.json");
    writeAll(written, isChosen);
    writeAnswers(answers, prefixes.length > 0);
    return written.size;
  } finally {
    await platform.stop();
    await receiver.stop();
    await shown.stop();
    rmSync(directory, { recursive: true });
  }
}

/** The request of each case, by the file that its input goes to. */
async function makeEveryAnswer(
  { platform, answers, isChosen }: Run,
  { automatic, manual }: Record<"automatic" | "manual", LiveProgram>,
) {
  const requestIds = new Map<string, string>();
  const wrong: string[] = [];
  for (const one of contractCases().filter((it) => isChosen(caseFile(it)))) {
    const program = one.manualIssuance ? manual : automatic;
    const key = `${one.route.method} ${one.route.path}` as const;
    const request = await one.prepare(program);
    // The answer is its progress.
    if (one.route.path === "/webhooks/replays/{replayId}") await platform.settled();
    const answer = await program.call(key, request);
    const { status, headers, body } = answer;
    // The input of a request in progress is the same as any other.
    const expected = one.code === "IDEMPOTENCY_IN_PROGRESS" ? "OK" : one.code;
    if ((body.code ?? "OK") !== expected) {
      wrong.push(`${key} was to answer ${expected}, and answered ${status}: ${JSON.stringify(body)}`);
      continue;
    }
    keepAnswer(answers, one, answer);
    if (one.code === "OK") await keepDocuments(answers, one, program, request);
    requestIds.set(caseFile(one), headers["x-request-id"] ?? "");
  }
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  return requestIds;
}

async function keepDocuments(
  answers: Run["answers"],
  one: Case,
  program: LiveProgram,
  request: CaseRequest,
): Promise<void> {
  for (const format of one.route.formats ?? []) {
    const query = { ...request.query, format };
    const { body } = await program.call(`${one.route.method} ${one.route.path}`, { ...request, query });
    keepDocument(answers, one, format, body);
  }
}

/** What gateway and authorizer answer before any endpoint. */
async function refuseEntry({ platform, answers }: Run): Promise<void> {
  const program = await givenLiveProgram(platform.connection);
  const { programId, call } = program;
  keepError(answers, (await call("GET /wallets", { headers: { "X-API-Key": "wrong" } })).body);
  keepError(answers, (await call("POST /wallets", { body: { name: "x".repeat(11_000_000) } })).body);
  const readOnly = { tenantId: platform.connection.tenantId, programId, name: "Reader", role: "read_only" };
  const { apiKey } = await program.operate("create-api-key", readOnly);
  keepError(answers, (await call("POST /wallets", { headers: { "X-API-Key": apiKey }, body: {} })).body);
  await program.operate("suspend-program", { programId });
  keepError(answers, (await call("GET /wallets")).body);
  await program.close();
}

/** An event of the processor's, on the queue that takes them. */
async function sendDeposit({ processorQueueUrl, programId, walletId }: Connection): Promise<void> {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const sqs = new SQSClient({
    endpoint: new URL(processorQueueUrl).origin,
    region: "eu-west-1",
    credentials,
  });
  const event = {
    kind: "deposit_pending",
    eventId: "recorded",
    programId,
    accountType: 0,
    accountId: walletId,
  };
  const MessageBody = JSON.stringify({ ...event, amount: 7_500, chain: "bitcoin" });
  await sqs.send(new SendMessageCommand({ QueueUrl: processorQueueUrl, MessageBody }));
  sqs.destroy();
}

/** A challenge that is announced to a listener. */
async function askForPasscode(program: LiveProgram): Promise<void> {
  const { cardId } = await givenCard(program);
  const webhookUrl = "https://hooks.customer.example/otp";
  await program.call("POST /otp/listeners", { body: { cardId, webhookUrl } });
  await program.call("POST /cards/{cardId}/three-ds-challenges", { path: { cardId } });
}

/** Sent by the queue for slow endpoints first, then by the common one, then replayed. */
async function sendOut({ platform, receiver }: Run, program: LiveProgram): Promise<void> {
  const { cardId } = await givenCard(program);
  const path = { cardId };
  await program.call("POST /cards/{cardId}/deposits", { path, body: { amount: 1_000, pending: false } });
  await program.call("POST /webhooks", { body: { url: `${receiver.origin}/`, eventTypes: [1] } });
  for (const amount of [100, 200]) {
    await program.call("POST /cards/{cardId}/authorizations", { path, body: { amount } });
    await platform.settled();
  }
  const since = "2026-01-01T00:00:00.000Z";
  await program.call("POST /webhooks/events/redeliver", { body: { since } });
  await platform.settled();
}

/** An event that the relay cannot fan out, since the record of an endpoint is malformed. */
async function leaveToFanOut({ platform, receiver }: Run, program: LiveProgram): Promise<void> {
  const { store } = platform.connection;
  const { cardId } = await givenCard(program);
  const path = { cardId };
  await program.call("POST /cards/{cardId}/deposits", { path, body: { amount: 1_000, pending: false } });
  const body = { url: `${receiver.origin}/`, eventTypes: [1] };
  const { webhookId } = (await program.call("POST /webhooks", { body })).body.data;
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const tables = new DynamoDBClient({ endpoint: store.endpoint, region: store.region, credentials });
  await tables.send(
    new UpdateItemCommand({
      TableName: store.issuingTable,
      Key: marshall(endpoints.key(program.programId, webhookId)),
      UpdateExpression: "SET eventTypes = :malformed",
      ExpressionAttributeValues: { ":malformed": { S: "all" } },
    }),
  );
  tables.destroy();
  await program.call("POST /cards/{cardId}/authorizations", { path, body: { amount: 100 } });
  await platform.settled();
}

/** A function takes a body in base64, as the gateway sends it, and as text. */
function readable(event: RecordedInput["event"]): RecordedInput["event"] {
  if (event.isBase64Encoded !== true) return event;
  return { ...event, body: Buffer.from(String(event.body), "base64").toString(), isBase64Encoded: false };
}

/** Also removes chosen files whose answer the contract no longer has. */
/** A stream's batch has what happened in seconds: how much depends on the machine. */
function keepOneRecord(input: RecordedInput | undefined, partition: string): void {
  const event = input?.event as { Records: DynamoDBRecord[] } | undefined;
  const found = event?.Records.find(({ dynamodb }) => dynamodb?.Keys?.pk?.S?.includes(partition));
  if (event && found) event.Records = [found];
}

function writeAll(inputs: ReadonlyMap<string, RecordedInput>, isChosen: Run["isChosen"]): void {
  const functions = new Set([...inputs.keys()].map((file) => file.split("/")[0] ?? ""));
  for (const file of recordedFiles(functions).filter(isChosen)) rmSync(path.join(eventsFolder, file));
  for (const [file, { event }] of inputs) {
    const target = path.join(eventsFolder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, `${JSON.stringify(redact(readable(event)), null, 2)}\n`);
  }
}
