import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { cryptoAddresses } from "../../../shared/cards/crypto-addresses.ts";
import { packBody, unpackBody } from "../../../shared/notifications/notification.ts";
import { evidenceBucket } from "../../../shared/platform/file-store.ts";
import { newId, randomToken } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { convertItems, packItem, unpackItem } from "../../../shared/platform/table/packed.ts";
import { apiEvent } from "../../harness/api-event.ts";
import type { Case, CaseRequest } from "../../harness/cases/case.ts";
import { contractCases } from "../../harness/cases/cases.ts";
import { type GivenProgram, givenProgram, handlerOf, publishedKeys } from "../../harness/given-cards.ts";
import { lambdaContext } from "../../harness/replay.ts";
import { copyProgram, replaced } from "./copied-program.ts";
import { median, progress, type Row } from "./report.ts";

/** Until V8 has optimized most of the code. More take long: each writes its own records first. */
const warmUps = 30;
const counted = 30;

/** Their time is that of a message, or of the vault: bare calls to the table do not have it. */
const ofOthers = new Set([
  "POST /webhooks/{webhookId}/ping",
  "POST /authorization-endpoint/ping",
  "GET /vault/key",
  "POST /cards/{cardId}/reveal",
  "PUT /cards/{cardId}/pin",
]);

/** A limit is reached, or a key is of no Program, so that the copy has no record of its own. */
class NotRepeatable extends Error {}

const addresses = () => cryptoAddresses(publishedKeys, 7);
/** Necessary computation, on the bare side too: addresses on elliptic curves, and a signature. */
const besideTheCalls = new Map<string, () => unknown>([
  ["POST /cards", addresses],
  ["POST /cards/{cardId}/approval", addresses],
  ["POST /disputes/{disputeId}/evidence", () => evidenceBucket.uploadUrl("bench", "image/png", 60)],
]);

export const columns = ["endpoint", "handler ms", "bare ms", "ratio"];

type Input = Record<string, unknown>;
const commands: Record<string, new (input: never) => { readonly input: object }> = {
  GetItem: GetCommand,
  BatchGetItem: BatchGetCommand,
  Query: QueryCommand,
  PutItem: PutCommand,
  UpdateItem: UpdateCommand,
  DeleteItem: DeleteCommand,
  TransactWriteItems: TransactWriteCommand,
};

/** A call of the handler, with when it was made and answered. */
interface Call {
  readonly command: string;
  readonly input: Input;
  readonly start: number;
  end: number;
  /** Its condition did not hold, for instance. The bare call may fail too. */
  isFailed: boolean;
}

/**
 * Each endpoint's handler, compared with its own DynamoDB calls made bare: the same inputs, order,
 * concurrency and SDK client, on a copy of the same records.
 */
export async function handlerTimes(freshTables: () => Promise<void>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const one of contractCases()) {
    // A Tenant's own records belong to no Program, so no copy has them. They are rarely read.
    const key = `${one.route.method} ${one.route.path}` as const;
    if (one.code !== "OK" || one.route.level === "tenant" || ofOthers.has(key)) continue;
    progress(key);
    // Fresh tables, because copying a Program scans them.
    await freshTables();
    try {
      const { handler, bare, ratio } = await compareOnce(one);
      rows.push({ cells: [key, handler.toFixed(2), bare.toFixed(2), ratio.toFixed(2)] });
    } catch (error) {
      if (!(error instanceof NotRepeatable)) throw error;
      rows.push({ cells: [key, "", "", "not repeatable"] });
    }
  }
  return rows;
}

async function compareOnce({ route, prepare, manualIssuance }: Case) {
  const key = `${route.method} ${route.path}` as const;
  const settings = { issuanceApproval: manualIssuance ? 1 : 0, threeDSecure: true } as const;
  const program = await givenProgram({ settings });
  const events: APIGatewayProxyEvent[] = [];
  // One record for all reads: a hundred settlements, for instance, take minutes.
  const inputs = route.method === "GET" ? 1 : warmUps + counted;
  for (let number = 0; number < inputs; number += 1) {
    const request = await prepare(program).catch((cause) => {
      throw number === 0 ? cause : new NotRepeatable(`${key} cannot be prepared again.`, { cause });
    });
    const own = withOwnExternalId(request, number);
    events.push(apiEvent({ ...own, route: key, caller: program.caller }));
  }
  const times = await compare(key, program, events);
  return {
    handler: median(times.handler),
    bare: median(times.bare),
    // Each to the bare calls right after it: the machine's speed varies within seconds.
    ratio: median(times.handler.map((handler, index) => handler / (times.bare[index] ?? 0))),
  };
}

/** A Program has no two records of a kind with one. */
function withOwnExternalId(request: CaseRequest, number: number): CaseRequest {
  const { body } = request;
  if (typeof body !== "object" || body === null || !("externalId" in body)) return request;
  return { ...request, body: { ...body, externalId: `${body.externalId}-${number}` } };
}

async function compare(key: string, program: GivenProgram, events: readonly APIGatewayProxyEvent[]) {
  const copyId = newId("program");
  await copyProgram(program.programId, copyId);
  const bareClient = DynamoDBDocumentClient.from(new DynamoDBClient(), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const handler = handlerOf(key);
  const times = { handler: [] as number[], bare: [] as number[] };
  for (let index = 0; index < warmUps + counted; index += 1) {
    const event = events[index % events.length] as APIGatewayProxyEvent;
    const calls: Call[] = [];
    let handlerTime: number;
    {
      using _ = noteCalls(calls);
      const start = performance.now();
      const answer = await handler(event, lambdaContext);
      handlerTime = performance.now() - start;
      const failed = `${key} answered ${answer.statusCode}.`;
      if (answer.statusCode >= 500) throw new Error(failed);
      if (answer.statusCode !== 200) throw new NotRepeatable(failed);
    }

    const packings = calls.flatMap(({ input }) => packingsIn(input));
    const commands = calls.map((call) => onCopy(call, program, copyId));
    const bareStart = performance.now();
    await besideTheCalls.get(key)?.();
    for (const pack of packings) pack();
    const answers: Promise<unknown>[] = [];
    for (const [position, { start, isFailed }] of calls.entries()) {
      // It waits for the calls that had been answered when the handler made it.
      const before = answers.filter((_, other) => (calls[other]?.end ?? 0) <= start);
      const answer = Promise.all(before).then(() => bareClient.send(commands[position] as GetCommand));
      answers.push(answer.catch((cause) => refuse(cause, isFailed)));
    }
    await Promise.all(answers);
    const bareTime = performance.now() - bareStart;
    if (index < warmUps) continue;
    times.handler.push(handlerTime);
    times.bare.push(bareTime);
  }
  bareClient.destroy();
  return times;
}

/** A call on the copy may fail as the handler's did. */
function refuse(cause: unknown, isFailed: boolean): void {
  if (isFailed) return;
  if (cause instanceof TransactionCanceledException || cause instanceof ConditionalCheckFailedException) {
    throw new NotRepeatable(cause.message, { cause });
  }
  throw cause;
}

/** Necessary computation too: packs again what a call stores packed. */
function packingsIn(value: unknown): (() => unknown)[] {
  if (value instanceof Uint8Array) {
    const body = unpackBody(value);
    return [() => packBody(body)];
  }
  if (typeof value !== "object" || value === null) return [];
  const item = unpackItem(value as Readonly<Record<string, unknown>>);
  if (item !== value) return [() => packItem(item)];
  return Object.values(value).flatMap(packingsIn);
}

/** Until it is disposed of, notes each call that the platform makes. */
function noteCalls(calls: Call[]): Disposable {
  table.middlewareStack.add(
    (next, context) => async (args) => {
      const call: Call = {
        command: String(context.commandName).replace(/Command$/, ""),
        input: convertItems(args.input, packItem) as Input,
        start: performance.now(),
        end: Number.POSITIVE_INFINITY,
        isFailed: true,
      };
      calls.push(call);
      try {
        const answer = await next(args);
        call.isFailed = false;
        return answer;
      } finally {
        call.end = performance.now();
      }
    },
    { step: "initialize", name: "bench-calls" },
  );
  return { [Symbol.dispose]: () => void table.middlewareStack.remove("bench-calls") };
}

/** The same call on the copy: every key has its Program, or for audit entries its Tenant. */
function onCopy({ command, input }: Call, { programId, caller }: GivenProgram, copyId: string) {
  const Command = commands[command];
  if (!Command) throw new Error(`${command} is not known here.`);
  const audited = replaced(input, `${caller.tenantId}#AUDIT`, `${copyId}#AUDIT`);
  const copied = replaced(audited, programId, copyId) as Input;
  if (copied.ClientRequestToken) copied.ClientRequestToken = randomToken(24);
  return new Command(copied as never) as GetCommand;
}
