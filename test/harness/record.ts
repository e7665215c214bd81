/**
 * `npm run record`: starts a platform of its own, makes every answer of the contract come about over mutual TLS, and writes what the
 * functions were given into `events/`, redacted. Only what has changed differs afterwards.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Connection } from "../../infra/local/connection.ts";
import { startPlatform } from "../../infra/local/platform.ts";
import { contractCases } from "./cases/cases.ts";
import { caseFile, eventsFolder, recordedFiles } from "./cases/recorded-case.ts";
import { givenCard } from "./given-cards.ts";
import { demoProgram, type LiveProgram, newLiveProgram, tenantLevel } from "./live-program.ts";
import { advanceClock, type RecordedInput, recordedInputs, requestIdOf, setRecording } from "./recordings.ts";
import { redact } from "./redact.ts";

const directory = mkdtempSync(path.join(tmpdir(), "record-"));
const platform = await startPlatform({ port: 0, directory, dynamodb: "dynoxide", receivers: [] });
try {
  const { connection } = platform;
  const programs = {
    automatic: demoProgram(connection),
    manual: await newLiveProgram(connection, { manualIssuance: true }),
    tenant: tenantLevel(connection),
  };
  await setRecording(connection, true);
  const requestIds = await makeEveryAnswer(programs);
  const tenantAnswer = await programs.tenant.call("GET /wallets");
  await sendDeposit(connection);
  await askForPasscode(programs.automatic);
  await advanceClock(connection, "1m");
  await platform.settled();
  const inputs = await recordedInputs(connection);
  await Promise.all(Object.values(programs).map((program) => program.close()));

  const written = new Map<string, RecordedInput>();
  for (const [file, requestId] of requestIds)
    written.set(file, inputOf(inputs, file.split("/")[0], requestId));
  const [firstRequestId] = requestIds.values();
  written.set("authorizer/authenticate/program-key.json", inputOf(inputs, "authorizer", firstRequestId));
  const tenantRequestId = tenantAnswer.headers["x-request-id"];
  written.set("authorizer/authenticate/tenant-key.json", inputOf(inputs, "authorizer", tenantRequestId));
  written.set("outbox-relay/publish/stream.json", inputOf(inputs, "outbox-relay"));
  written.set("processor-events/consume/queue.json", inputOf(inputs, "processor-events"));
  written.set("alert-delivery/deliver/queue.json", inputOf(inputs, "alert-delivery"));
  written.set("deadlines/sweep/schedule.json", inputOf(inputs, "deadlines"));
  writeAll(written);
  console.log(`Recorded ${written.size} events.`);
} finally {
  await platform.stop();
  rmSync(directory, { recursive: true });
}

/** The request of each case, by the file that its input goes to. */
async function makeEveryAnswer({ automatic, manual }: Record<"automatic" | "manual", LiveProgram>) {
  const requestIds = new Map<string, string>();
  for (const one of contractCases()) {
    const program = one.manualIssuance ? manual : automatic;
    const key = `${one.route.method} ${one.route.path}` as const;
    const { status, headers, body } = await program.call(key, await one.prepare(program));
    // A request in flight is a matter of the moment: the request that it would be looks like any other.
    const expected = one.code === "IDEMPOTENCY_IN_PROGRESS" ? "OK" : one.code;
    if ((body.code ?? "OK") !== expected) {
      throw new Error(`${key} was to answer ${expected}, and answered ${status}: ${JSON.stringify(body)}`);
    }
    requestIds.set(caseFile(one), headers["x-request-id"] ?? "");
  }
  return requestIds;
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

/** A challenge of which somebody is told. */
async function askForPasscode(program: LiveProgram): Promise<void> {
  const { cardId } = await givenCard(program);
  const webhookUrl = "https://hooks.customer.example/otp";
  await program.call("POST /otp/listeners", { body: { cardId, webhookUrl } });
  await program.call("POST /cards/{cardId}/three-ds-challenges", { path: { cardId } });
}

function inputOf(inputs: readonly RecordedInput[], service = "", requestId?: string): RecordedInput {
  const input = inputs.find(
    (one) => one.service === service && (requestId === undefined || requestIdOf(one) === requestId),
  );
  if (!input) throw new Error(`No input of ${service} was recorded${requestId ? ` for ${requestId}` : ""}.`);
  return input;
}

/** Every file anew; those of answers that the contract does not have any more go. */
function writeAll(inputs: ReadonlyMap<string, RecordedInput>): void {
  const functions = new Set([...inputs.keys()].map((file) => file.split("/")[0] ?? ""));
  for (const file of recordedFiles(functions)) rmSync(path.join(eventsFolder, file));
  for (const [file, { event }] of inputs) {
    const target = path.join(eventsFolder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, `${JSON.stringify(redact(event), null, 2)}\n`);
  }
}
