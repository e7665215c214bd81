import { SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll } from "vitest";
import { handler as network } from "../../../functions/processor-events/handler.ts";
import { SuspenseStatus } from "../../../shared/contract/enums.ts";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { suspendDeposit, toSuspenseId } from "../../../shared/deposits/suspense.ts";
import { commit } from "../../../shared/ledger/commit.ts";
import { attempts } from "../../../shared/notifications/delivery/attempt.ts";
import { now, timestamp, unixSeconds } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { connections } from "../../../shared/tenancy/connections/connection.ts";
import { programs } from "../../../shared/tenancy/programs/program.ts";
import { defaultWalletPut } from "../../../shared/wallets/wallet.ts";
import { newIban } from "../../../test/harness/bank-accounts.ts";
import { verified } from "../../../test/harness/cases/payout-cases.ts";
import {
  ada,
  type GivenProgram,
  givenCard,
  givenProgram,
  givenWallet,
} from "../../../test/harness/given-cards.ts";
import type { Told } from "../../../test/harness/given-network.ts";
import { lifeOfACard } from "../../../test/harness/life-of-a-card.ts";
import type { Target } from "../../commands/dead-letters/target.ts";
import type { Page, Section } from "../page.ts";
import { startConsoleServer } from "../server.ts";

/** Its queues are not there: the tests of the running platform read dead letters. */
const nowhere = { environment: "local", sqs: new SQSClient({ region: "eu-west-1" }) } as Target;

export interface GivenConsole {
  readonly url: string;
  get(path: string, headers?: Record<string, string>): Promise<{ status: number; text: string }>;
  page(path: string): Promise<Page>;
}

export function givenConsole(key?: string): GivenConsole {
  let server: Awaited<ReturnType<typeof startConsoleServer>>;
  beforeAll(async () => {
    const console = { environment: "local", target: nowhere };
    server = await startConsoleServer({ console, ...(key !== undefined && { key }) });
  });
  afterAll(() => server.stop());
  const get: GivenConsole["get"] = async (path, headers = {}) => {
    const response = await fetch(new URL(path, server.url), { headers, redirect: "manual" });
    return { status: response.status, text: await response.text() };
  };
  return {
    get url() {
      return server.url;
    },
    get,
    page: async (path) => {
      const { status, text } = await get(path, { accept: "application/json" });
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      return JSON.parse(text);
    },
  };
}

export function sectionOf<Kind extends Section["kind"]>(page: Page, kind: Kind, title?: string) {
  const found = page.sections.find(
    (one) => one.kind === kind && (!title || ("title" in one && one.title === title)),
  );
  if (!found) throw new Error(`${page.title} has no ${kind} ${title ?? ""}.`);
  return found as Extract<Section, { kind: Kind }>;
}

export interface GivenStore extends GivenProgram {
  readonly cardId: string;
  readonly cardholderId: string;
  readonly walletId: string;
  readonly otherWalletId: string;
  readonly controlId: string;
  readonly transIdSc: string;
  readonly chargebackId: string;
  readonly webhookId: string;
}

/** A Program with a record of each kind, secrets included. */
export async function givenStore(): Promise<GivenStore> {
  process.env.ALLOWED_RECEIVERS = "http://127.0.0.1:9";
  process.env.DNS_SERVERS = "127.0.0.1:9";
  const program = await givenProgram({ settings: { threeDSecure: true } });
  const { programId, call } = program;
  const ok = async (...given: Parameters<GivenProgram["call"]>) => {
    const answer = await call(...given);
    if (answer.status !== 200) throw new Error(`${given[0]}: ${JSON.stringify(answer.body)}`);
    return answer.body.data as Record<string, string>;
  };
  const stored = await programs.at(programId).require();
  await transact([defaultWalletPut(stored)]);
  const { webhookId = "" } = await ok("POST /webhooks", {
    body: { url: "http://127.0.0.1:9/hook", eventTypes: [1, 2, 3, 4] },
  });
  const { cardId, cardholderId } = await givenCard(program);
  const [walletId, otherWalletId] = [await givenWallet(program, 90_000), await givenWallet(program)];
  const transfer = {
    sourceWalletId: walletId,
    destinationType: 0,
    destinationId: otherWalletId,
    amount: 1_200,
  };
  await ok("POST /wallets/transfer", { body: transfer });
  await ok("POST /wallets/transfer", {
    body: { ...transfer, destinationType: 1, destinationId: cardId, amount: 50_000 },
  });
  const control = { name: "Two a day", cardId, state: "active", velocity: { count: 200, window: "day" } };
  const { controlId = "" } = await ok("POST /controls", { body: control });
  await ok("POST /otp/listeners", { body: { cardId, webhookUrl: "http://127.0.0.1:9/otp" } });
  await ok("POST /reports", {
    body: { kind: "fees", format: "csv", from: "2026-11-01", to: "2026-11-02" },
  });
  await ok("POST /cardholders/bulk", { body: JSON.stringify(ada) });
  const device = { type: "phone", name: "Phone" };
  const wallet = { wallet: "apple_pay", network: "visa", requestorId: "40010030273", device };
  await ok("POST /cards/{cardId}/token-requests", { path: { cardId }, body: wallet });
  const purchase = { amount: 900, merchantName: "Web Shop", mcc: "5732" };
  await ok("POST /cards/{cardId}/authentications", { path: { cardId }, body: purchase });
  const paid = { externalAccountId: await verified(program), walletId, amount: 700 };
  await ok("POST /payouts", { body: paid });
  const { externalAccountId = "" } = await ok("POST /external-accounts", {
    body: { holderName: "Ada Lovelace", holderType: "person", iban: newIban() },
  });
  await ok("POST /external-accounts/{externalAccountId}/verification", {
    path: { externalAccountId },
    body: { method: "micro_deposits" },
  });
  const { mandateId } = await ok("POST /external-accounts/{externalAccountId}/mandates", {
    path: { externalAccountId: paid.externalAccountId },
    body: { signedAt: "2026-11-01" },
  });
  await ok("POST /pulls", { body: { ...paid, mandateId } });
  const lost = { cardId: (await givenCard(program)).cardId };
  await ok("POST /cards/{cardId}/replace", { path: lost, body: { reason: "lost" } });
  const apply = async (event: Told) =>
    network({ programId, cardId, ...event } as unknown as ProcessorEvent) as never;
  const told = await lifeOfACard({
    apply,
    setStatus: async (status) => {
      await ok("PUT /cards/{cardId}/status", { path: { cardId }, body: { status } });
    },
  });
  const chargebackId = String(told.map(({ result }) => Object(result).chargebackId).find(Boolean));
  const [event] = (await call("GET /webhooks/events")).body.items;
  await givenConnection(programId);
  await givenSuspense(programId, cardId);
  await ok("PUT /authorization-endpoint", { body: { url: "http://127.0.0.1:9/decide" } });
  await givenAttempt(programId, event.transIdSc, webhookId);
  const { transIdSc } = event;
  return {
    ...program,
    cardId,
    cardholderId,
    walletId,
    otherWalletId,
    controlId,
    transIdSc,
    chargebackId,
    webhookId,
  };
}

async function givenConnection(programId: string): Promise<void> {
  const connection = {
    connectionId: newId("connection"),
    port: "compliance",
    adapter: "http",
    url: "https://user:part-of-the-url@compliance.example/path?token=part-of-the-url",
    secret: "whsec_of-the-connection",
    createdAt: timestamp(),
  } as const;
  await transact([connections.at(programId, "compliance").create(connection)]);
}

/** A deposit that came after its Card was closed. */
async function givenSuspense(programId: string, cardId: string): Promise<void> {
  const depositId = newId("deposit");
  const item = {
    programId,
    depositId,
    suspenseId: toSuspenseId(depositId),
    account: { kind: "card", accountId: cardId },
    amountMinor: 700,
    currency: 0,
    channel: "bank",
    createdAt: timestamp(),
    status: SuspenseStatus.cleared,
    reason: "CARD_CLOSED",
  } as const;
  await commit(suspendDeposit(item, now()));
}

async function givenAttempt(programId: string, transIdSc: string, endpointId: string): Promise<void> {
  const attempt = {
    deliveryId: newId("event"),
    endpointId,
    attempt: 1,
    delivered: false,
    responseStatus: 503,
    latencyMs: 12,
    bodySha256: "0".repeat(64),
    createdAt: timestamp(),
    expiresAtSeconds: unixSeconds(now()) + 3_600,
  };
  await attempts.at(programId, transIdSc, `1#${endpointId}#0001`).createNow(attempt);
}
