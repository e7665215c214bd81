import { afterAll, beforeAll, describe, it } from "vitest";
import { handler as processEvents } from "../../../functions/processor-events/handler.ts";
import { now } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { sha256 } from "../../../shared/platform/sha256.ts";
import { batchOf } from "../../harness/given-webhooks.ts";
import {
  basicAuthorization,
  jitRequest,
  marqetaTransaction,
  marqetaWebhook,
} from "../../harness/marqeta-messages.ts";
import { type QueueRecorder, startQueueRecorder } from "../../harness/queue-recorder.ts";
import { deeds, postTo, request } from "../../harness/scenarios/deeds.ts";
import { playScenario, readScenarios } from "../../harness/scenarios/scenario.ts";
import { type Deed, find, toJson, type World } from "../../harness/scenarios/world.ts";
import { eventsIn, storedItems } from "../../harness/stored.ts";

let queues: QueueRecorder;
let waiting: object[] = [];
beforeAll(async () => {
  queues = await startQueueRecorder();
});
afterAll(() => queues.stop());

const done = (data: unknown) => ({ word: "done", isDone: true, data });
const says = (world: World, who: string, body: object) =>
  (deeds.says as Deed)(world, `${who} ${JSON.stringify({ eventId: newId("event"), ...body })}`);

/** One letter in another case: bech32 forbids it, EIP-55 and base58 have another checksum. */
function withWrongChecksum(address: string): string {
  const at = address.search(/[a-zA-Z](?=[^a-zA-Z]*$)/);
  const letter = address.charAt(at);
  const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  return address.slice(0, at) + other + address.slice(at + 1);
}

/** Posts with the password of the processor, with no such, or as one that does not know it. */
async function postProcessor(world: World, name: string, body: string, by = name) {
  const { connectionId = "", secret = "" } = find(world, name) as Record<string, string>;
  const strange: Readonly<Record<string, Record<string, string>>> = {
    ...{ nobody: {}, wrong: basicAuthorization("wrong"), Bearer: { authorization: "Bearer x" } },
  };
  const headers = strange[by] ?? basicAuthorization(secret);
  const { status, body: answered } = await postTo(world.program.programId, connectionId, body, headers);
  return done({ ...answered, http: status });
}

/** As the queue does, `ageMs` after the first receipt. Answers how many stay in it. */
async function apply(bodies: readonly object[], ageMs: number): Promise<number> {
  const batch = batchOf("processor-events", bodies);
  for (const { attributes } of batch.Records)
    attributes.ApproximateFirstReceiveTimestamp = String(now().getTime() - ageMs);
  const answer = await processEvents(batch);
  return (answer as { batchItemFailures: unknown[] }).batchItemFailures.length;
}

/** A transaction, of the newest Card unless it names another. */
interface Told {
  readonly card?: string;
  readonly token: string;
  readonly amount: number;
  readonly type?: string;
  readonly state?: string;
  readonly preceding?: string;
}

const timedOut = { gpa_order: { funding: { gateway_log: { timed_out: true } } } };

const own: Readonly<Record<string, Deed>> = {
  jit: async (world, text) => {
    const [, name = "", token = "", amount, json = "{}"] = /^(\S+) (\S+) (\d+)(?: (\{.*))?$/.exec(text) ?? [];
    const cardId = String(find(world, "cardId"));
    return postProcessor(world, name, jitRequest(cardId, token, Number(amount), toJson(world, json)));
  },
  hook: async (world, text) => {
    const [, name = "", by, json = ""] = /^(\S+)(?: by (\S+))? (\[.*)$/.exec(text) ?? [];
    const told = toJson(world, json) as Told[];
    const transactions = told.map(({ card, token, amount, ...more }) =>
      marqetaTransaction(card ?? String(find(world, "cardId")), token, amount, {
        ...more,
        ...(more.state === "DECLINED" && { more: timedOut }),
      }),
    );
    return postProcessor(world, name, marqetaWebhook(...transactions), by);
  },
  queued: async () => {
    const taken = queues.take("processor");
    waiting = taken.map(({ body }) => body);
    return done(taken.map(({ body, groupId }) => [body.kind, body.eventId, body.cardId, groupId]));
  },
  apply: async (_, text) => done(await apply(waiting, text === "late" ? 300_000 : 0)),
  applyAll: async () => {
    for (const _ of waiting) for (const body of waiting) await apply([body], 0);
    return done(undefined);
  },
  output: async (world, chain) => {
    const { data } = await request(world, "viewCard");
    const { cryptoAddresses, cardId } = data as { cryptoAddresses: Record<string, string>[]; cardId: string };
    const address = cryptoAddresses.find((one) => one.chain === chain)?.address ?? "";
    const txHash = sha256(`${cardId} ${chain}`);
    return done({
      ...{ secret: "whsec_c2VjcmV0LW9mLXNvbWVib2R5LWVsc2UtZW50aXJlbHk=", wrong: withWrongChecksum(address) },
      ...{ lower: address.toLowerCase(), upper: address.toUpperCase(), upperHash: txHash.toUpperCase() },
      sent: { chain, address, txHash, asset: "USDC", amount: 700, currency: "USD" },
    });
  },
  reports: async (world, text) => {
    const [, output, state, by = "C", json = "{}"] =
      /^(\w+) (\w+)(?: by (\w+))?(?: (\{.*))?$/.exec(text) ?? [];
    const sent = find(world, `${output}.sent`) as object;
    return says(world, by, { type: `deposit.${state}`, ...sent, ...toJson(world, json) });
  },
  bank: async (world, text) => {
    const [, who = "", json = ""] = /^(\S+ \S+) (.*)$/.exec(text) ?? [];
    const { programId, walletId } = world.names;
    const deposit = { type: "deposit.announced", reference: walletId, amount: 1_250, currency: "USD" };
    const eventId = who.split(" ")[1];
    return says(world, who, { ...deposit, eventId, bankReference: `${programId}-1`, ...toJson(world, json) });
  },
  session: async ({ program }) => {
    const events = eventsIn(await storedItems(program.programId));
    const { detail } = events.findLast(({ kind }) => kind === "kyc.requested") ?? {};
    return done((detail as { sessionId: string }).sessionId);
  },
};

describe.each(readScenarios(import.meta.dirname))("$of", ({ rows }) => {
  it.each(rows)("%s", (sentence, steps) => playScenario(sentence, steps, own));
});
