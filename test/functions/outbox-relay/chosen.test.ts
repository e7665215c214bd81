import { readFileSync } from "node:fs";
import type { DynamoDBRecord } from "aws-lambda";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Bulk, bulks } from "../../../shared/bulk/bulk.ts";
import type { BankDeposited } from "../../../shared/contract/bank.ts";
import {
  type ChosenEventType,
  chosenEventTypes,
  chosenNotifications,
} from "../../../shared/contract/chosen-notifications.ts";
import { applyBankEvent } from "../../../shared/deposits/bank/apply-bank-event.ts";
import { splitWallet } from "../../../shared/ledger/hot/split-wallet.ts";
import { readAccount } from "../../../shared/ledger/hot-wallets.ts";
import { readNotifications } from "../../../shared/notifications/stored-notification.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { reports } from "../../../shared/reports/report.ts";
import type { EventOptions } from "../../harness/api-event.ts";
import { newIban } from "../../harness/bank-accounts.ts";
import { resetBus, startBusRecorder } from "../../harness/bus-recorder.ts";
import { injectFaults } from "../../harness/faults.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenCardholder,
  givenProgram,
  givenWallet,
  shippingAddress,
} from "../../harness/given-cards.ts";
import { callsOf, givenExternalAccount } from "../../harness/given-payouts.ts";
import { givenStream } from "../../harness/given-stream.ts";
import { measure } from "../../harness/measure.ts";
import { type QueueRecorder, startQueueRecorder } from "../../harness/queue-recorder.ts";
import { useReceiverHosts } from "../../harness/receiver-hosts.ts";
import { readTable } from "../../harness/rules-table.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { chosenBody } from "../../tools/openapi/chosen-examples.ts";

useReceiverHosts("hooks.example.com");

let queues: QueueRecorder;
let relay: typeof import("../../../functions/outbox-relay/handler.ts")["handler"];

beforeAll(async () => {
  await startBusRecorder();
  queues = await startQueueRecorder();
  relay = (await import("../../../functions/outbox-relay/handler.ts")).handler;
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});
beforeEach(() => {
  resetBus();
  queues.sent.length = 0;
});

const done = { batchItemFailures: [] };

interface Body {
  readonly eventId: string;
  readonly eventType: ChosenEventType;
  readonly subjectId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Told {
  readonly program: GivenProgram;
  /** Runs, and answers the bodies that it told, in the order of their ids, and the records. */
  tell(run: () => Promise<unknown>): Promise<{ bodies: Body[]; records: DynamoDBRecord[] }>;
  register(eventTypes: readonly number[]): Promise<string>;
}

/** A Program whose endpoint names these types. */
async function givenTold(
  eventTypes: readonly number[],
  options: Parameters<typeof givenProgram>[0] = {},
): Promise<Told> {
  const program = await givenProgram(options);
  const register: Told["register"] = async (types) => {
    const body = { url: "https://hooks.example.com/all", eventTypes: types };
    return (await program.call("POST /webhooks", { body })).body.data.webhookId;
  };
  if (eventTypes.length > 0) await register(eventTypes);
  const stream = await givenStream(program.programId);
  const tell: Told["tell"] = async (run) => {
    await run();
    const records = await stream.next();
    queues.sent.length = 0;
    expect(await relay({ Records: records })).toEqual(done);
    return { records, bodies: await sentBodies(program) };
  };
  return { program, tell, register };
}

async function sentBodies({ programId }: GivenProgram): Promise<Body[]> {
  const ids = queues.sent.map(({ body }) => body.messageId as string);
  const stored = await readNotifications(programId, [...new Set(ids)]);
  return stored
    .map(({ body }) => JSON.parse(body) as Body)
    .filter(({ eventType }) => eventType !== undefined)
    .toSorted((left, right) => (left.eventId < right.eventId ? -1 : 1));
}

/** As the contract declares it, and with no field that it does not know. */
function assertDeclared(body: Body): void {
  const schema = chosenBody(body.eventType).strict();
  const { data } = chosenNotifications[body.eventType];
  expect(schema.safeParse(body).error?.issues).toBeUndefined();
  expect(Object.keys(body.data).filter((name) => !(name in data.shape))).toEqual([]);
}

const types = (bodies: readonly Body[]) => bodies.map(({ eventType }) => eventType);

interface Story {
  readonly title: string;
  readonly eventTypes: readonly number[];
  readonly hidden: string;
  readonly settings: object;
  readonly rows: readonly (readonly string[])[];
}

const stories = readTable(readFileSync(new URL("chosen.txt", import.meta.url), "utf8")).map(
  ({ of, rows }): Story => {
    // What is hidden is a pattern, whose alternatives have no spaces beside them.
    const [title = "", named = "", hidden = "", settings = "{}"] = of
      .split(/ \|(?= |$)/)
      .map((cell) => cell.trim());
    return { title, eventTypes: named.split(" ").map(Number), hidden, settings: JSON.parse(settings), rows };
  },
);

/** What happens in a story, and what it remembers for later rows. */
function givenStory({ program }: Told) {
  const known: Record<string, unknown> = { programId: program.programId, shippingAddress, iban: newIban() };
  const fill = (text: string) =>
    text
      .replace(/"\{(\w+)\}"/g, (_, name: string) => JSON.stringify(known[name]))
      .replace(/\{(\w+)\}/g, (_, name: string) => String(known[name]));
  const happen = async (what: string) => {
    const [, action = "", body, name] = /^(.*?)( \{[^}].*\}| \{\})?(?: as (\w+))?$/.exec(what) ?? [];
    const details = body === undefined ? undefined : JSON.parse(fill(body));
    const [verb = "", place = ""] = action.split(" ");
    if (verb === "operator") {
      const { programId, cardId, cardholderId } = known;
      const about = place.endsWith("-card") ? { cardId } : { cardholderId };
      return program.operate(place as "block-card", { programId, ...about } as never);
    }
    if (action === "a Cardholder") return { cardholderId: await givenCardholder(program, details) };
    if (action === "a Card") return givenCard(program, details);
    if (verb === "a")
      return { [name ?? "walletId"]: await givenWallet(program, Number(action.split(" ").at(-1))) };
    const path = Object.fromEntries(
      [...place.matchAll(/\{(\w+)\}/g)].map(([, id = ""]) => [id, String(known[id])]),
    );
    const answer = await program.call(action as EventOptions["route"], { path, body: details });
    expect([what, answer.status]).toEqual([what, 200]);
    return answer.body.data;
  };
  const seen = new Set<unknown>();
  return {
    ...{ known, fill, seen },
    happen: async (what: string) => {
      const data = { ...(await happen(what)) };
      Object.assign(known, data);
      for (const value of Object.values(data)) seen.add(value);
    },
  };
}

describe("what endpoints choose to be told", () => {
  it.each(stories)("is $title", async ({ eventTypes, hidden, settings, rows }) => {
    const told = await givenTold(eventTypes, { settings });
    const { known, fill, seen, happen } = givenStory(told);
    const all: Body[] = [];
    for (const [what = "", expected = ""] of rows) {
      const { bodies } = await told.tell(() => happen(what));
      if (expected === "-") continue;
      const wanted =
        expected === ""
          ? []
          : expected.split("; ").map((one) => {
              const [, eventType, data = "{}"] = /^(\d+) ?(.*)$/.exec(one) ?? [];
              return {
                eventType: Number(eventType),
                programId: known.programId,
                data: JSON.parse(fill(data || "{}")),
              };
            });
      expect(bodies, what).toMatchObject(wanted);
      all.push(...bodies);
    }
    all.map(assertDeclared);
    for (const [subjectId, bodies] of Map.groupBy(all, (body) => body.subjectId)) {
      expect(seen).toContain(subjectId);
      const ids = bodies.map(({ eventId }) => eventId);
      expect(ids).toEqual(ids.toSorted());
    }
    if (hidden !== "") expect(JSON.stringify(all)).not.toMatch(new RegExp(fill(hidden)));
  });

  it("is listed with the Card that an unload is of; a transfer between Wallets has none", async () => {
    const { program, tell } = await givenTold([30]);
    const [from, to] = [await givenWallet(program, 10_000), await givenWallet(program)];
    const { cardId } = await givenCard(program);
    const body = { sourceWalletId: from, destinationType: 0, destinationId: to, amount: 100 };
    const load = { ...body, destinationType: 1, destinationId: cardId };
    await tell(() => program.call("POST /wallets/transfer", { body }));
    await tell(() => program.call("POST /wallets/transfer", { body: load }));
    const unload = { path: { cardId }, body: { walletId: to, amount: 100 } };
    await tell(() => program.call("POST /cards/{cardId}/unload", unload));
    const { items } = (
      await program.call("GET /webhooks/events", { query: { sort: "asc", eventType: "30" } })
    ).body;
    expect(items.map((row: { cardId?: string }) => row.cardId)).toEqual([
      undefined,
      expect.anything(),
      cardId,
    ]);
  });

  it("is what becomes of a Card's plastics, and that it expires", async () => {
    const { program, tell } = await givenTold([24, 25, 26, 27]);
    const { programId } = program;
    const at = new Date();
    const expiry = { expiryMonth: at.getUTCMonth() + 1, expiryYear: at.getUTCFullYear() };
    const { cardId } = await givenCard(program, expiry);
    const path = { cardId };
    const settings = { path: { programId }, body: { renewalReminder: true } };
    await program.call("PUT /account/programs/{programId}/settings", settings);
    await tell(async () => undefined);
    const reminded = await tell(sweepDeadlines);
    expect(reminded.bodies).toMatchObject([{ eventType: 25, subjectId: cardId, data: expiry }]);
    await program.call("PUT /account/programs/{programId}/settings", {
      ...{ path: { programId }, body: { autoRenew: true } },
    });
    const renewed = await tell(sweepDeadlines);
    const lost = await tell(() =>
      program.call("POST /cards/{cardId}/replace", { path, body: { reason: "lost" } }),
    );
    const { items } = (await program.call("GET /cards/{cardId}/plastics", { path })).body;
    const told = (bodies: readonly Body[]) =>
      bodies
        .map(({ eventType, data: { state = "", reason = "" } }) => `${eventType} ${state} ${reason}`.trim())
        .toSorted();
    expect(told(renewed.bodies)).toEqual(["26", "27 active renewed", "27 replaced issued"]);
    expect(told(lost.bodies)).toEqual(["26", "27 active lost", "27 stopped issued", "27 stopped renewed"]);
    const made = lost.bodies.find(({ data }) => data.reason === "lost");
    const { pinSet: _, ...view } = items[2];
    expect(made).toMatchObject({ subjectId: view.plasticId, data: view });
    for (const one of [...reminded.bodies, ...renewed.bodies, ...lost.bodies]) assertDeclared(one);
  });

  it("is an announced deposit that was reported, cancelled or not, or has expired", async () => {
    vi.stubEnv("SIMULATED_BANK", "false");
    vi.useFakeTimers({ toFake: ["Date"] });
    const { program, tell } = await givenTold([82]);
    const { programId } = program;
    const walletId = await givenWallet(program);
    const announce = async () => {
      const body = { amount: 900, expiresInDays: 1 };
      const answer = await program.call("POST /wallets/{walletId}/bank-deposit", {
        path: { walletId },
        body,
      });
      return answer.body.data.depositId as string;
    };
    const [claimed, cancelled, expired] = [await announce(), await announce(), await announce()];
    expect((await tell(async () => undefined)).bodies).toEqual([]);
    const references = { accountServicer: newId("event") };
    const event: BankDeposited = {
      kind: "deposited",
      remittance: [claimed],
      amount: 800,
      currency: "USD",
      references,
    };
    const { bodies } = await tell(async () => {
      await applyBankEvent({ event, origin: "1", programId });
      await applyBankEvent({ event, origin: "2", programId });
      await program.call("POST /deposits/{depositId}/cancel", { path: { depositId: cancelled } });
      vi.setSystemTime(Date.now() + 86_400_000);
      await sweepDeadlines();
    });
    const told = bodies.map(({ subjectId, data }) => [subjectId, data.expectation, data.status, data.amount]);
    expect(told.toSorted()).toEqual(
      [
        [claimed, "claimed", 1, 800],
        [cancelled, "cancelled", 2, 900],
        [expired, "expired", 2, 900],
      ].toSorted(),
    );
    for (const one of bodies) assertDeclared(one);
  });

  it("is a payout as it is made, and each status, not what changes none", async () => {
    const { program, tell } = await givenTold([80]);
    const walletId = await givenWallet(program, 5_000);
    const externalAccountId = await givenExternalAccount(program.programId);
    const { created, send, report } = callsOf(program, walletId, externalAccountId);
    let payoutId = "";
    const made = await tell(async () => {
      ({ payoutId } = await created());
    });
    const sent = await tell(() => send(payoutId));
    const completed = await tell(() => report(payoutId, { status: "completed" }));
    const kept = await tell(() => report(payoutId, { status: "rejected" }));
    expect(made.bodies).toMatchObject([
      { eventType: 80, type: "payout.changed", subjectId: payoutId, data: { walletId, status: "pending" } },
    ]);
    expect(kept.bodies).toEqual([]);
    const ended = [...sent.bodies, ...completed.bodies];
    expect(ended).toMatchObject([
      { eventType: 80, data: { payoutId, status: "sent", fileId: "file-1" } },
      { eventType: 80, data: { payoutId, status: "completed", transStatus: 1 } },
    ]);
    for (const one of [...made.bodies, ...ended]) assertDeclared(one);
  });

  it("is a report that has been made, without its URL", async () => {
    const { program, tell } = await givenTold([95]);
    await givenWallet(program, 1_000);
    const body = { kind: "balances", format: "csv", from: "2026-01-01", to: "2026-01-02" };
    const { reportId } = (await program.call("POST /reports", { body })).body.data;
    await tell(async () => undefined);
    const { programId } = program;
    const set = { status: "failed", doneAt: timestamp() } as const;
    const finished = await tell(() => reports.at(programId, reportId).updateNow({ set }));
    expect(finished.bodies).toMatchObject([
      { eventType: 95, subjectId: reportId, data: { status: "failed", kind: "balances" } },
    ]);
    finished.bodies.map(assertDeclared);
  });

  it("is a bulk whose lines all have a result", async () => {
    const { program, tell } = await givenTold([96]);
    const { programId } = program;
    const bulkId = newId("bulk");
    const bulk: Bulk = {
      ...{ entityId: bulkId, kind: "cards", status: "running", requestId: "request", lines: 2 },
      ...{ done: 2, succeeded: 1, duplicates: 0, failed: 1, createdAt: timestamp() },
      scope: program.caller as Bulk["scope"],
    };
    await tell(() => transact([bulks.at(programId, bulkId).create(bulk)]));
    const set = { status: "done", doneAt: timestamp() } as const;
    const { bodies } = await tell(() => bulks.at(programId, bulkId).updateNow({ set }));
    expect(bodies).toMatchObject([{ eventType: 96, subjectId: bulkId, data: { failed: 1, lines: 2 } }]);
    bodies.map(assertDeclared);
  });

  it("is each balance right after its entry or hold: they chain, from the first on", async () => {
    const { program, tell } = await givenTold([90], {
      settings: { feeSchedule: [{ feeType: 1, amount: 300, basisPoints: 0 }] },
    });
    const walletId = await givenWallet(program, 10_000);
    const seen: Body[] = [...(await tell(async () => undefined)).bodies];
    let cardId = "";
    const told = async (run: () => Promise<unknown>) => seen.push(...(await tell(run)).bodies);
    await told(async () => {
      ({ cardId } = await givenCard(program));
    });
    const path = { cardId };
    await told(() =>
      program.call("POST /wallets/transfer", {
        body: { sourceWalletId: walletId, destinationType: 1, destinationId: cardId, amount: 5_000 },
      }),
    );
    let authorizationId = "";
    await told(async () => {
      const answer = await program.call("POST /cards/{cardId}/authorizations", {
        path,
        body: { amount: 800 },
      });
      ({ authorizationId } = answer.body.data);
    });
    await told(() => program.call("PUT /cards/{cardId}/status", { path, body: { status: 2 } }));
    await told(() =>
      program.call("POST /authorizations/{authorizationId}/clear", {
        path: { authorizationId },
        body: { amount: 900 },
      }),
    );
    for (const one of seen) assertDeclared(one);
    const ofCard = seen.filter(({ subjectId }) => subjectId === cardId).map(({ data }) => data);
    expect(ofCard.map((one) => [one.cause, one.availableBalance, one.ledgerBalance])).toEqual([
      ["fee", -300, -300],
      ["transfer", 4_700, 4_700],
      ["hold_placed", 3_900, 4_700],
      ["clearing", 3_800, 3_800],
    ]);
    const ofWallet = seen.filter(({ subjectId }) => subjectId === walletId).map(({ data }) => data);
    expect(ofWallet.map((one) => one.availableBalance)).toEqual([10_000, 5_000]);
    expect(ofWallet[0]).not.toHaveProperty("cardId");
    const ids = seen.filter(({ subjectId }) => subjectId === cardId).map(({ eventId }) => eventId);
    expect(ids).toEqual(ids.toSorted());
  });

  it("is both entries of a Card that is issued with a fee and a load", async () => {
    const { program, tell } = await givenTold([90], {
      settings: { feeSchedule: [{ feeType: 1, amount: 300, basisPoints: 0 }] },
    });
    const walletId = await givenWallet(program, 10_000);
    const cardholderId = await givenApprovedCardholder(program);
    await tell(async () => undefined);
    const load = { walletId, amount: 2_000 };
    const { bodies } = await tell(() => givenCard(program, { cardholderId, load }));
    const ofCard = bodies.filter(({ data }) => data.cardId !== undefined).map(({ data }) => data);
    expect(ofCard.map((one) => [one.cause, one.availableBalance, one.ledgerBalance])).toEqual([
      ["fee", -300, -300],
      ["transfer", 1_700, 1_700],
    ]);
    bodies.map(assertDeclared);
  });

  it("keeps the Wallets of who is told of balances whole, and only theirs", async () => {
    const { program, register } = await givenTold([20]);
    const walletId = await givenWallet(program, 100_000);
    const account = { kind: "wallet", accountId: walletId } as const;
    const webhookId = await register([90]);
    const { programId } = program;
    await splitWallet(programId, account, 1);
    expect((await readAccount(programId, account))?.shards).toBeUndefined();
    await program.call("PUT /webhooks/{webhookId}", { path: { webhookId }, body: { active: false } });
    await splitWallet(programId, account, 1);
    expect((await readAccount(programId, account))?.shards).toBeGreaterThan(0);
  });
});

describe("a notification that was chosen", () => {
  const named = chosenEventTypes.filter((type) => type !== 90);

  it("is recorded only while an active endpoint names its type, and sent only to those", async () => {
    const { program, tell, register } = await givenTold([2]);
    const listed = async () => (await program.call("GET /webhooks/events")).body.total;
    expect((await tell(() => givenCardholder(program))).bodies).toEqual([]);
    expect(await listed()).toBe(0);
    const webhookId = await register([10, 20]);
    await tell(() => givenCardholder(program));
    expect(queues.sent.map(({ body }) => body.endpointId)).toEqual([webhookId]);
    expect(await listed()).toBe(1);
    await program.call("PUT /webhooks/{webhookId}", { path: { webhookId }, body: { active: false } });
    await tell(() => givenCardholder(program));
    expect([queues.sent.length, await listed()]).toEqual([0, 1]);
  });

  it("has the same id and bytes however often its change comes, and is stored once", async () => {
    const { program, tell } = await givenTold(named);
    const { records, bodies } = await tell(() => givenCard(program));
    const first = queues.sent.splice(0).map(({ body }) => body);
    const again = { Records: records };
    expect(await relay(again)).toEqual(done);
    expect(await relay({ Records: records.toReversed() })).toEqual(done);
    expect(await sentBodies(program)).toEqual(bodies);
    expect(new Set(queues.sent.map(({ body }) => body.deliveryId))).toEqual(
      new Set(first.map(({ deliveryId }) => deliveryId)),
    );
    const { body } = await program.call("GET /webhooks/events", { query: { limit: "200" } });
    expect(body.total).toBe(bodies.length);
  });

  it("stays as it was told, and its redelivery too, whatever changes since", async () => {
    const { program, tell } = await givenTold(named);
    const { records, bodies } = await tell(() => givenCard(program));
    const [{ eventId = "", data } = {}] = bodies.filter(({ eventType }) => eventType === 20);
    const path = { cardId: String(data?.cardId) };
    await program.call("PUT /cards/{cardId}/status", { path, body: { status: 2 } });
    expect(await relay({ Records: records })).toEqual(done);
    const [stored] = await readNotifications(program.programId, [eventId]);
    expect(JSON.parse(stored?.body ?? "").data).toEqual(data);
    const redelivered = await program.call("POST /webhooks/events/{transIdSc}/redeliver", {
      path: { transIdSc: eventId },
      body: {},
    });
    expect(redelivered.status).toBe(200);
  });

  it("is told after a kill between its record and its delivery", async () => {
    const { program } = await givenTold([10]);
    const stream = await givenStream(program.programId);
    await givenCardholder(program);
    const records = await stream.next();
    queues.refuse(1);
    const { batchItemFailures } = await relay({ Records: records });
    expect(batchItemFailures).toHaveLength(1);
    queues.refuse(0);
    expect(await relay({ Records: records })).toEqual(done);
    expect(types(await sentBodies(program))).toEqual([10]);
    expect((await program.call("GET /webhooks/events")).body.total).toBe(1);
  });

  it("fails alone: the stream begins again with the first change that could not be told", async () => {
    const { program } = await givenTold([10]);
    const stream = await givenStream(program.programId);
    await givenCardholder(program);
    const records = await stream.next();
    using _ = injectFaults(({ command }) => (command === "PutItem" ? "server-error" : undefined));
    const { batchItemFailures } = await relay({ Records: records });
    const first = records.find(({ dynamodb }) => dynamodb?.NewImage?.sk?.S === "CARDHOLDER");
    expect(batchItemFailures).toEqual([{ itemIdentifier: first?.dynamodb?.SequenceNumber }]);
  });

  it("costs who names none one read of the endpoints for a batch", async () => {
    const { program } = await givenTold([2]);
    const stream = await givenStream(program.programId);
    for (let count = 0; count < 3; count += 1) await givenCardholder(program);
    const records = await stream.next();
    const { cost } = await measure(() => relay({ Records: records }));
    expect(cost.calls).toEqual(["Query"]);
  });
});
