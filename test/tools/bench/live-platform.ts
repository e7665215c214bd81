import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUp } from "../../../infra/command-line/clean-up.ts";
import type { Connection } from "../../../infra/development/connection.ts";
import { cardChanges } from "../../../shared/network-events/apply/card-changes.ts";
import { applyEvent } from "../../../shared/network-events/apply/execute-event.ts";
import { newId } from "../../../shared/platform/id.ts";
import { givenCard } from "../../harness/given-cards.ts";
import { demoProgram, type LiveProgram } from "../../harness/given-live-program.ts";
import { endRunning, startedPlatform } from "../../system/platform-process.ts";

/** A Program of a running platform with cards that never run dry. */
export interface LiveCard {
  readonly program: LiveProgram;
  /** Cards take turns, so that none has many open holds. Resolves when the commit is answered. */
  hold(amount: number): Promise<number>;
  /** Registers an endpoint for holds. */
  register(url: string): Promise<string>;
  change(webhookId: string, url: string, active: boolean): Promise<void>;
  remove(webhookId: string): Promise<void>;
}

export interface LivePlatform {
  readonly connection: Connection;
  demoCard(): Promise<LiveCard>;
  /** Suspends the platform, but not its store, during the work. */
  suspended(work: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a platform in its own process and connects this process to its store. Call it before the
 * store's client is first used: the client keeps its address.
 */
export async function startLivePlatform(receivers: readonly string[]): Promise<LivePlatform> {
  const cleaning = cleanUp();
  const stop = () => cleaning[Symbol.asyncDispose]();
  const directory = mkdtempSync(join(tmpdir(), "bench-"));
  cleaning.defer(() => rmSync(directory, { recursive: true, force: true }));
  cleaning.defer(endRunning);
  const starting = startedPlatform(directory, { LOCAL_RECEIVERS: receivers.join(",") });
  const platform = await starting.catch(async (error) => {
    await stop();
    throw error;
  });
  const connection = platform.connection();
  const { endpoint, region, issuingTable, accountsTable } = connection.store;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    ISSUING_TABLE: issuingTable,
    ACCOUNTS_TABLE: accountsTable,
    ENVIRONMENT_NAME: "local",
    SERVICE_NAME: "bench",
    LOG_LEVEL: "SILENT",
  });
  return {
    connection,
    demoCard: () => cardOf(demoProgram(connection)),
    suspended: async (work) => {
      platform.child.kill("SIGSTOP");
      await work().finally(() => platform.child.kill("SIGCONT"));
    },
    stop,
  };
}

const cardsOfAProgram = 20;

async function cardOf(program: LiveProgram): Promise<LiveCard> {
  const { programId, call } = program;
  const cardIds: string[] = [];
  for (let count = 0; count < cardsOfAProgram; count += 1) {
    const { cardId } = await givenCard(program);
    const body = { amount: 100_000_000, pending: false };
    await call("POST /cards/{cardId}/deposits", { path: { cardId }, body });
    cardIds.push(cardId);
  }
  let holds = 0;
  const path = (webhookId: string) => ({ path: { webhookId } });
  return {
    program,
    hold: async (amount) => {
      const cardId = cardIds[holds % cardIds.length] ?? "";
      holds += 1;
      const authorizationId = newId("hold");
      const event = { eventId: newId("event"), programId, cardId, authorizationId, amount };
      const result = await applyEvent(cardChanges, { kind: "authorization", ...event });
      const committedMs = performance.now();
      if (result.outcome !== "applied" || !result.approved) throw new Error("It was not approved.");
      return committedMs;
    },
    register: async (url) => {
      const answer = await call("POST /webhooks", { body: { url, eventTypes: [1] } });
      return answer.body.data.webhookId;
    },
    change: async (webhookId, url, active) => {
      const changed = { url, eventTypes: [1], active };
      const { status } = await call("PUT /webhooks/{webhookId}", { ...path(webhookId), body: changed });
      if (status !== 200) throw new Error(`The endpoint was not changed: ${status}.`);
    },
    remove: async (webhookId) => void (await call("DELETE /webhooks/{webhookId}", path(webhookId))),
  };
}
