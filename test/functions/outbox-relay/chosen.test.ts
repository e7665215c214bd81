import type { DynamoDBRecord } from "aws-lambda";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Bulk, bulks } from "../../../shared/bulk/bulk.ts";
import type { BankDeposited } from "../../../shared/contract/bank.ts";
import {
  type ChosenEventType,
  chosenBody,
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
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

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

describe("what endpoints choose to be told", () => {
  it("is the life of a Cardholder, without its data", async () => {
    const { program, tell } = await givenTold([10, 11, 12, 13, 14]);
    let cardholderId = "";
    const created = await tell(async () => {
      cardholderId = await givenCardholder(program, { externalId: "c-1" });
    });
    expect(created.bodies).toMatchObject([
      {
        eventType: 10,
        type: "cardholder.created",
        programId: program.programId,
        subjectId: cardholderId,
        data: { cardholderId, status: 4, externalId: "c-1" },
      },
    ]);
    const path = { cardholderId };
    const body = { email: "new@example.com", lastName: "Byron" };
    const updated = await tell(() => program.call("PUT /cardholders/{cardholderId}", { path, body }));
    expect(updated.bodies[0]?.data.changed).toEqual(["lastName", "email"]);
    const labelled = await tell(() =>
      program.call("PUT /cardholders/{cardholderId}", { path, body: { metadata: { tier: "gold" } } }),
    );
    expect(labelled.bodies).toMatchObject([
      { eventType: 12, data: { changed: ["metadata"], metadata: { tier: "gold" } } },
    ]);
    const submitted = await tell(() =>
      program.call("POST /cardholders/{cardholderId}/submit", { path, body: {} }),
    );
    expect(submitted.bodies).toMatchObject([{ eventType: 11, data: { status: 3, previousStatus: 4 } }]);
    const { programId } = program;
    const blocked = await tell(() => program.operate("block-cardholder", { programId, cardholderId }));
    const unblocked = await tell(() => program.operate("unblock-cardholder", { programId, cardholderId }));
    expect([types(blocked.bodies), types(unblocked.bodies)]).toEqual([[13], [14]]);
    const all = [created, updated, labelled, submitted, blocked, unblocked].flatMap(({ bodies }) => bodies);
    for (const one of all) assertDeclared(one);
    expect(JSON.stringify(all)).not.toMatch(/Byron|Lovelace|new@example|contact|kycUrl/);
    const ids = all.map(({ eventId }) => eventId);
    expect(ids).toEqual(ids.toSorted());
  });

  it("is the life of a Card: one that is Active at once is told as created alone", async () => {
    const { program, tell } = await givenTold([20, 21, 22, 23, 24, 32]);
    let cardId = "";
    const issued = await tell(async () => {
      cardId = (await givenCard(program)).cardId;
    });
    expect(issued.bodies).toMatchObject([
      { eventType: 20, subjectId: cardId, data: { issuerCardStatus: 1 } },
    ]);
    const path = { cardId };
    const held = await tell(() => program.call("PUT /cards/{cardId}/status", { path, body: { status: 2 } }));
    expect(held.bodies).toMatchObject([
      {
        eventType: 21,
        data: { issuerCardStatus: 2, previous: { cardStatus: 1, issuerCardStatus: 1 } },
      },
    ]);
    const { programId } = program;
    const blocked = await tell(() => program.operate("block-card", { programId, cardId }));
    const unblocked = await tell(() => program.operate("unblock-card", { programId, cardId }));
    expect([types(blocked.bodies), types(unblocked.bodies)]).toEqual([[22], [23]]);
    const walletId = await givenWallet(program);
    await program.call("POST /cards/{cardId}/deposits", { path, body: { amount: 700, pending: false } });
    await tell(async () => undefined);
    const closed = await tell(() =>
      program.call("POST /cards/{cardId}/close", { path, body: { sweepToWalletId: walletId } }),
    );
    expect(closed.bodies).toMatchObject([
      { eventType: 21, data: { issuerCardStatus: 3 } },
      { eventType: 32, subjectId: cardId, data: { walletId, amount: 700 } },
    ]);
    const all = [issued, held, blocked, unblocked, closed].flatMap(({ bodies }) => bodies);
    for (const one of all) assertDeclared(one);
    expect(JSON.stringify(all)).not.toMatch(
      /cardToken|nameOnCard|cardHolderLastName|cryptoAddresses|LOVELACE/,
    );
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

  it("is the way of a physical Card, its approval, and the block of a Cardholder", async () => {
    const { program, tell } = await givenTold([20, 21, 22, 24], { settings: { issuanceApproval: 1 } });
    const cardholderId = await givenApprovedCardholder(program);
    let cardId = "";
    const asked = await tell(async () => {
      const details = { cardholderId, cardForm: 1, nameOnCard: "A", shippingAddress };
      ({ cardId } = await givenCard(program, details));
    });
    expect(asked.bodies).toMatchObject([{ eventType: 20, data: { cardStatus: 0, issuerCardStatus: 0 } }]);
    const path = { cardId };
    const approved = await tell(() =>
      program.call("POST /cards/{cardId}/approval", { path, body: { cardStatus: 1 } }),
    );
    expect(approved.bodies).toMatchObject([
      { eventType: 21, data: { cardStatus: 1, previous: { cardStatus: 0, issuerCardStatus: 0 } } },
    ]);
    const shipped = await tell(() =>
      program.call("POST /cards/{cardId}/shipping", { path, body: { status: "shipped", carrier: "Post" } }),
    );
    expect(shipped.bodies).toMatchObject([{ eventType: 24, data: { shipping: { carrier: "Post" } } }]);
    const { programId } = program;
    const blocked = await tell(() => program.operate("block-cardholder", { programId, cardholderId }));
    expect(blocked.bodies).toMatchObject([{ eventType: 22, subjectId: cardId, data: { blocked: true } }]);
    for (const { bodies } of [asked, approved, shipped, blocked]) bodies.map(assertDeclared);
    expect(JSON.stringify(shipped.bodies)).not.toMatch(/Square|recipient/);
  });

  it("is a transfer, once although two Wallets have it, an unload, and a decline", async () => {
    const { program, tell } = await givenTold([30, 31]);
    const [from, to] = [await givenWallet(program, 10_000), await givenWallet(program)];
    const { cardId } = await givenCard(program);
    await tell(async () => undefined);
    const transfer = (destinationType: 0 | 1, destinationId: string, amount: number) =>
      tell(() =>
        program.call("POST /wallets/transfer", {
          body: { sourceWalletId: from, destinationType, destinationId, amount, memo: "rent" },
        }),
      );
    const moved = await transfer(0, to, 1_000);
    const loaded = await transfer(1, cardId, 2_000);
    const declined = await transfer(0, to, 99_000);
    const path = { cardId };
    const unloaded = await tell(() =>
      program.call("POST /cards/{cardId}/unload", { path, body: { walletId: to, amount: 500 } }),
    );
    expect([moved, loaded, declined, unloaded].map(({ bodies }) => types(bodies))).toEqual([
      [30],
      [30],
      [31],
      [30],
    ]);
    expect(moved.bodies[0]?.data).toMatchObject({
      sourceWalletId: from,
      transferredAmount: 1_000,
      memo: "rent",
    });
    expect(declined.bodies[0]?.data).toMatchObject({ declineReason: "INSUFFICIENT_FUNDS", transStatus: 2 });
    expect(unloaded.bodies[0]?.data).toMatchObject({ sourceCardId: cardId, destinationId: to });
    for (const { bodies } of [moved, loaded, declined, unloaded]) bodies.map(assertDeclared);
    const { body } = await program.call("GET /webhooks/events", { query: { eventType: "30" } });
    const listed = body.items.map(({ subjectId, cardId: of }: Record<string, string>) => [subjectId, of]);
    expect(new Map(listed).get(moved.bodies[0]?.subjectId)).toBeUndefined();
    expect(new Map(listed).get(unloaded.bodies[0]?.subjectId)).toBe(cardId);
  });

  it("is a deposit on a Wallet and on a Card, in each of its statuses, and in part", async () => {
    const { program, tell } = await givenTold([40, 41, 42, 43]);
    const walletId = await givenWallet(program);
    const { cardId } = await givenCard(program);
    await tell(async () => undefined);
    let depositId = "";
    const pending = await tell(async () => {
      const answer = await program.call("POST /cards/{cardId}/deposits", {
        path: { cardId },
        body: { amount: 700 },
      });
      depositId = answer.body.data.depositId;
    });
    const settle = (route: Parameters<GivenProgram["call"]>[0], body?: object) =>
      tell(() => program.call(route, { path: { depositId }, ...(body && { body }) }));
    const cleared = await settle("POST /deposits/{depositId}/clear");
    const returned = await settle("POST /deposits/{depositId}/return");
    const onWallet = await tell(async () => {
      const path = { walletId };
      await program.call("POST /wallets/{walletId}/bank-deposit", { path, body: { amount: 900 } });
    });
    const all = [pending, cleared, returned, onWallet].flatMap(({ bodies }) => bodies);
    expect(types(all)).toEqual([40, 41, 43, 41]);
    expect(onWallet.bodies[0]?.data).toMatchObject({ walletId, amount: 900, status: 1 });
    expect(pending.bodies[0]).toMatchObject({ subjectId: depositId, data: { cardId, status: 0 } });
    for (const one of all) assertDeclared(one);
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

  it("is an authentication, without its code", async () => {
    const { program, tell } = await givenTold([70, 71], { settings: { threeDSecure: true } });
    const { cardId } = await givenCard(program);
    const body = { webhookUrl: "https://hooks.example.com/otp", cardId };
    const { token } = (await program.call("POST /otp/listeners", { body })).body.data;
    await tell(async () => undefined);
    const path = { cardId };
    let challengeId = "";
    const requested = await tell(async () => {
      const answer = await program.call("POST /cards/{cardId}/three-ds-challenges", {
        path,
        body: { amount: 4_999 },
      });
      challengeId = answer.body.data.challengeId;
    });
    const found = await program.call("GET /otp/{token}", { path: { token } });
    const { code } = found.body.data;
    const completed = await tell(() =>
      program.call("POST /three-ds-challenges/{challengeId}/complete", {
        path: { challengeId },
        body: { code },
      }),
    );
    expect(requested.bodies).toMatchObject([
      { eventType: 70, data: { cardId, amount: 4_999, challengeId, state: "challenged" } },
    ]);
    expect(completed.bodies).toMatchObject([{ eventType: 71, data: { authenticated: true } }]);
    for (const one of [...requested.bodies, ...completed.bodies]) assertDeclared(one);
    expect(JSON.stringify(requested.bodies)).not.toContain(code);
  });

  it("is a token as it is made, and each change of its state", async () => {
    const { program, tell } = await givenTold([60, 61]);
    const { cardId } = await givenCard(program);
    let tokenId = "";
    const made = await tell(async () => {
      const answer = await program.call("POST /cards/{cardId}/token-requests", {
        path: { cardId },
        body: { wallet: "apple_pay", device: { type: "watch" } },
      });
      tokenId = answer.body.data.tokenId;
    });
    const path = { tokenId };
    const verified = await tell(() =>
      program.call("POST /tokens/{tokenId}/verify", { path, body: { outcome: "approved" } }),
    );
    const suspended = await tell(() =>
      program.call("POST /tokens/{tokenId}/suspend", { path, body: { reason: "Lost" } }),
    );
    expect(made.bodies).toMatchObject([
      { eventType: 60, subjectId: tokenId, data: { cardId, state: "verifying", device: { type: "watch" } } },
    ]);
    const changed = [...verified.bodies, ...suspended.bodies];
    expect(changed).toMatchObject([
      { eventType: 61, data: { state: "active", previousState: "verifying" } },
      { eventType: 61, data: { state: "suspended", previousState: "active", reason: "Lost" } },
    ]);
    for (const one of [...made.bodies, ...changed]) assertDeclared(one);
  });

  it("names the token of an authorization that was declined or released, and of an authentication", async () => {
    const settings = { settings: { threeDSecure: true } };
    const { program, tell } = await givenTold([50, 51, 70], settings);
    const { cardId } = await givenCard(program);
    const path = { cardId };
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "approve" } });
    await program.call("POST /cards/{cardId}/deposits", { path, body: { amount: 500, pending: false } });
    const wallet = { wallet: "apple_pay" };
    const { tokenId } = (await program.call("POST /cards/{cardId}/token-requests", { path, body: wallet }))
      .body.data;
    await tell(async () => undefined);
    const buy = (amount: number) =>
      program.call("POST /cards/{cardId}/authorizations", { path, body: { amount, tokenId } });
    const { bodies } = await tell(async () => {
      await buy(900);
      const { authorizationId } = (await buy(100)).body.data;
      const reversal = { path: { authorizationId }, body: {} };
      await program.call("POST /authorizations/{authorizationId}/reverse", reversal);
      await program.call("POST /cards/{cardId}/authentications", {
        ...{ path, body: { amount: 100, merchantName: "Shop", tokenId } },
      });
    });
    const verification = { tokenId, ...wallet };
    expect(bodies).toMatchObject([
      { eventType: 50, data: { verification } },
      { eventType: 51, data: { verification } },
      { eventType: 70, data: { tokenId } },
    ]);
    for (const one of bodies) assertDeclared(one);
  });

  it("is each change of an external account's status, without who it is", async () => {
    const { program, tell } = await givenTold([83]);
    const body = { holderName: "Ada Lovelace", holderType: "person", iban: newIban() };
    let externalAccountId = "";
    const made = await tell(async () => {
      const answer = await program.call("POST /external-accounts", { body });
      ({ externalAccountId } = answer.body.data);
    });
    expect(made.bodies).toEqual([]);
    const path = { externalAccountId };
    const begun = await tell(() =>
      program.call("POST /external-accounts/{externalAccountId}/verification", {
        path,
        body: { method: "bank_check" },
      }),
    );
    const ended = await tell(() =>
      program.call("POST /external-accounts/{externalAccountId}/check", { path, body: { outcome: "match" } }),
    );
    const changed = [...begun.bodies, ...ended.bodies];
    expect(changed).toMatchObject([
      { eventType: 83, subjectId: externalAccountId, data: { status: "pending", previousStatus: "new" } },
      { eventType: 83, data: { status: "verified", previousStatus: "pending", nameCheck: "match" } },
    ]);
    for (const one of changed) assertDeclared(one);
    expect(JSON.stringify(changed)).not.toContain("Lovelace");
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

  it("is each decline of an authorization, and each release of what it held", async () => {
    const { program, tell } = await givenTold([50, 51]);
    const { cardId } = await givenCard(program);
    const path = { cardId };
    await program.call("POST /cards/{cardId}/deposits", { path, body: { amount: 5_000, pending: false } });
    await tell(async () => undefined);
    const authorize = async (amount: number) => {
      let authorizationId = "";
      const { bodies } = await tell(async () => {
        const body = { amount, merchantName: "Corner Shop" };
        const answer = await program.call("POST /cards/{cardId}/authorizations", { path, body });
        ({ authorizationId } = answer.body.data);
      });
      return { authorizationId, bodies };
    };
    const step = (route: EventOptions["route"], authorizationId: string, body: object) =>
      tell(() => program.call(route, { path: { authorizationId }, body }));
    const declined = await authorize(9_000);
    const reversed = await authorize(1_000);
    const { authorizationId } = reversed;
    const more = await step("POST /authorizations/{authorizationId}/increment", authorizationId, {
      amount: 8_000,
    });
    const part = await step("POST /authorizations/{authorizationId}/reverse", authorizationId, {
      amount: 400,
    });
    const cleared = await step("POST /authorizations/{authorizationId}/clear", authorizationId, {
      amount: 500,
      final: true,
    });
    const quiet = await authorize(100);
    const all = [declined, reversed, more, part, cleared, quiet];
    expect(all.map(({ bodies }) => types(bodies))).toEqual([[50], [], [50], [51], [51], []]);
    const told = all.flatMap(({ bodies }) => bodies);
    expect(told.map(({ data }) => [data.status, (data.event as { type: string }).type])).toEqual([
      ["declined", "authorization"],
      ["pending", "increment"],
      ["pending", "reversal"],
      ["cleared", "clearing"],
    ]);
    expect(cleared.bodies[0]).toMatchObject({
      subjectId: authorizationId,
      data: { cardId, releasedAmount: 500, event: { releasedAmount: 100, clearedAmount: 500 } },
    });
    for (const one of told) assertDeclared(one);
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
