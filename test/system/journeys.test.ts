import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "../../infra/development/platform.ts";
import { OutsideEvent } from "../../shared/contract/outside.ts";
import { type GivenProgram, givenCard, givenWallet, shippingAddress } from "../harness/given-cards.ts";
import { demoProgram, givenLiveProgram, type LiveProgram } from "../harness/given-live-program.ts";
import { advanceClock } from "../harness/recordings.ts";
import { local } from "./outbox-records.ts";

describe("journeys over mutual TLS", () => {
  let directory: string;
  let platform: Platform;
  let program: LiveProgram;

  const restart = async () => {
    await program?.close();
    await platform?.stop();
    platform = await startPlatform({ port: 0, directory, dynamodb: "dynoxide", receivers: [] });
    program = demoProgram(platform.connection);
  };

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), "journeys-"));
    await restart();
  });
  afterAll(async () => {
    await program?.close();
    await platform?.stop();
  });

  it("from a new Cardholder to a funded card, which survives a restart of the platform", async () => {
    const walletId = await givenWallet(program, 50_000);
    const { cardId, cardholderId, ...card } = await givenCard(program);
    expect(card).toMatchObject({ cardStatus: 1, issuerCardStatus: 1 });
    const body = { sourceWalletId: walletId, destinationType: 1, destinationId: cardId, amount: 20_000 };
    const { body: transferred } = await program.call("POST /wallets/transfer", { body });
    expect(transferred.data).toMatchObject({ transStatus: 1, transferredAmount: 20_000 });
    await platform.settled();
    expect(await entriesTraced(platform, cardId)).toHaveLength(1);

    await restart();

    const expected = { availableBalance: 20_000, ledgerBalance: 20_000 };
    expect(await balancesOf(program, cardId)).toEqual(expected);
    expect((await program.call("GET /wallets/{walletId}", { path: { walletId } })).body.data).toMatchObject({
      availableBalance: 30_000,
      ledgerBalance: 30_000,
    });
    expect((await program.call("GET /cards", { query: { cardholderId } })).body).toMatchObject({
      items: [{ cardId, status: 1 }],
      total: 1,
    });
  });

  it("a bank deposit clears when its Program's delay is over, and not a minute before", async () => {
    const patient = await givenLiveProgram(platform.connection, { clearingDelaySeconds: 3_600 });
    const { cardId } = await givenCard(patient);
    const deposit = { path: { cardId }, body: { amount: 1_000 } };
    const { body } = await patient.call("POST /cards/{cardId}/bank-deposit", deposit);
    expect(body.data.transStatus).toBe(0);
    await advanceClock(platform.connection, "58m");
    expect(await balancesOf(patient, cardId)).toEqual({ availableBalance: 0, ledgerBalance: 1_000 });
    await advanceClock(platform.connection, "3m");
    expect(await balancesOf(patient, cardId)).toEqual({ availableBalance: 1_000, ledgerBalance: 1_000 });
    await patient.close();
  });

  it("what waits for somebody outside is in its queue, once and with what they need", async () => {
    const { outsideQueueUrl, programId } = platform.connection;
    const { cardId, cardholderId } = await givenCard(program, { cardForm: 1, shippingAddress });
    await platform.settled();
    const found = await receiveAll(outsideQueueUrl);
    const waiting = found.filter(({ detail }) => detail.cardholderId === cardholderId);
    expect(waiting.map((event) => event["detail-type"]).toSorted()).toEqual([
      "kyc.requested",
      "production.requested",
    ]);
    for (const { detail } of waiting) expect(OutsideEvent.parse(detail).programId).toBe(programId);
    expect(waiting.find(({ detail }) => detail.cardId === cardId)?.detail).toMatchObject({ shippingAddress });
  });
});

async function balancesOf(program: GivenProgram, cardId: string) {
  const { body } = await program.call("GET /cards/{cardId}/balance", { path: { cardId } });
  const { availableBalance, ledgerBalance } = body.data as Record<string, number>;
  return { availableBalance, ledgerBalance };
}

interface BusEvent {
  readonly "detail-type": string;
  readonly detail: Readonly<Record<string, unknown>>;
}

async function receiveAll(QueueUrl: string): Promise<BusEvent[]> {
  const sqs = new SQSClient({ ...local, endpoint: new URL(QueueUrl).origin });
  const found: BusEvent[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    if (Messages.length === 0) break;
    found.push(...Messages.map(({ Body = "" }) => JSON.parse(Body) as BusEvent));
  }
  sqs.destroy();
  return found;
}

/** The traced journal entries of an account. */
async function entriesTraced({ connection }: Platform, account: string): Promise<unknown[]> {
  const response = await fetch(`${connection.controlUrl}/trace`);
  const { entries } = (await response.json()) as { entries: { kind: string; detail: unknown }[] };
  return entries.filter(
    ({ kind, detail }) => kind === "ledger-entry" && JSON.stringify(detail).includes(account),
  );
}
