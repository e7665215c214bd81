import { deepStrictEqual } from "node:assert/strict";
import type { Connection } from "../../../infra/development/connection.ts";
import type { WebhookDisabledNotice } from "../../../shared/contract/alerts.ts";
import { givenCertificate, localAuthority } from "../../harness/given-certificates.ts";
import { operateOn } from "../../harness/given-live-program.ts";
import type { Client } from "./client.ts";
import { endpointPaths, type FlakyReceiver } from "./flaky-receiver.ts";
import { storedNotices } from "./stored-notices.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const listenersOfCard = 8;
const remindersPath = "/reminders";
/** Accepted even if not expected yet: an endpoint may be switched off after the store was read. */
const switchedOffType: WebhookDisabledNotice["NotificationType"] = "WEBHOOK_DISABLED";

/** Two endpoints for all kinds, passcode subscriptions, and certificate reminders. */
export interface Customer {
  /** Describes what has not arrived. Fails if something arrived with other bytes. */
  missing(): Promise<string[]>;
  /** Enables disabled endpoints again, and replays what was dropped meanwhile. */
  recover(): Promise<void>;
}

interface Endpoint {
  readonly webhookId: string;
  readonly path: string;
}

export interface Endpoints {
  /** The time from which they get everything. */
  readonly since: string;
  readonly all: readonly Endpoint[];
}

/** Registers the endpoints. */
export async function registerEndpoints(client: Client, { origin }: FlakyReceiver): Promise<Endpoints> {
  const { headers } = await client.call("GET /webhooks");
  const all: Endpoint[] = [];
  for (const path of endpointPaths) {
    const body = { url: origin + path, eventTypes: [1, 2, 3, 4, 6] };
    const { webhookId } = (await client.call("POST /webhooks", body)).body.data;
    all.push({ webhookId, path });
  }
  return { since: new Date(String(headers.date)).toISOString(), all };
}

export async function givenCustomer(
  client: Client,
  connection: Connection,
  receiver: FlakyReceiver,
  { since, all: webhooks }: Endpoints,
  cardIds: readonly string[],
): Promise<Customer> {
  const alerts = new Map([
    ...(await challenge(client, receiver.origin, cardIds)),
    ...(await registerEndingCertificates(connection, receiver.origin)),
  ]);
  // Each endpoint once in any case: it is what the fan-out is for.
  const toReplay = new Set(webhooks.map(({ webhookId }) => webhookId));
  return {
    missing: async () => {
      const { notices, switchedOff } = await storedNotices(connection);
      const expectedAt = (path: string, expected: readonly string[]) =>
        path === remindersPath ? [...expected, ...switchedOff] : expected;
      return [
        ...webhooks.flatMap(({ path }) =>
          missingOf(receiver, path, new Map(notices.map((one) => [one.transIdSc, one.body]))),
        ),
        ...[...alerts].flatMap(([path, expected]) =>
          missingAlerts(receiver, path, expectedAt(path, expected)),
        ),
      ];
    },
    recover: async () => {
      for (const { webhookId } of webhooks) {
        const { active } = (await client.call(`GET /webhooks/${webhookId}`)).body.data;
        if (active) continue;
        await client.call(`PUT /webhooks/${webhookId}`, { active: true });
        toReplay.add(webhookId);
      }
      // One replay runs at a time: the next one is begun in a later round.
      for (const webhookId of toReplay) {
        if (await beginsReplay(client, { since, webhookId })) toReplay.delete(webhookId);
      }
    },
  };
}

async function beginsReplay(client: Client, body: object): Promise<boolean> {
  try {
    await client.call("POST /webhooks/events/redeliver", body);
    return true;
  } catch (error) {
    if (String(error).includes("REPLAY_IN_PROGRESS")) return false;
    throw error;
  }
}

/** By the id, and every copy with the stored bytes. */
function missingOf(receiver: FlakyReceiver, path: string, bodies: ReadonlyMap<string, string>): string[] {
  const arrived = receiver.at(path);
  for (const [id, { bodies: came }] of arrived) {
    deepStrictEqual(
      [...came].map((body) => Buffer.from(body, "base64").toString()),
      [bodies.get(id)],
      `${id} came to ${path} in other bytes than were stored.`,
    );
  }
  return [...bodies.keys()].filter((id) => !arrived.get(id)?.isAcknowledged).map((id) => `${id} at ${path}`);
}

/** So many different messages, each in one form. */
function missingAlerts(receiver: FlakyReceiver, path: string, expected: readonly string[]): string[] {
  const arrived = [...receiver.at(path).values()];
  for (const { id, bodies } of arrived) deepStrictEqual(bodies.size, 1, `${id} came in several forms.`);
  const contents = arrived.map(({ bodies: [body = ""] }) => Buffer.from(body, "base64").toString());
  for (const content of contents) {
    const known = expected.some((one) => content.includes(one)) || content.includes(switchedOffType);
    deepStrictEqual(known, true, `${content} came to ${path}, which expects no callback.`);
  }
  return expected
    .filter(
      (one) =>
        !arrived.some(
          ({ isAcknowledged, bodies: [body = ""] }) =>
            isAcknowledged && Buffer.from(body, "base64").toString().includes(one),
        ),
    )
    .map((one) => `${one} at ${path}`);
}

/** Subscribes to and challenges each card. Returns what each path must receive. */
async function challenge(client: Client, origin: string, cardIds: readonly string[]) {
  const expected = new Map<string, string[]>();
  for (const cardId of cardIds) {
    for (let count = 0; count < listenersOfCard; count += 1) {
      const path = `/otp/${cardId}/${count}`;
      await client.call("POST /otp/listeners", { cardId, webhookUrl: origin + path });
      expected.set(path, [JSON.stringify({ cardId })]);
    }
    const body = { expiresInSeconds: 86_400 };
    await client.call(`POST /sandbox/cards/${cardId}/three-ds-challenges`, body);
  }
  return expected;
}

/** Certificates that a reminder is due of within hours: the first, the second and the last. */
async function registerEndingCertificates(connection: Connection, origin: string) {
  const { tenantId, programId, controlUrl } = connection;
  await operateOn(connection, "set-notifications", {
    tenantId,
    channel: "webhook",
    url: origin + remindersPath,
  });
  const { now } = (await (await fetch(`${controlUrl}/clock`)).json()) as { now: string };
  const expected: string[] = [];
  for (const days of [30, 15, 5]) {
    const holder = { tenantId, programIds: [programId] };
    const certificatePem = await givenCertificate(localAuthority(connection), holder, {
      notBefore: new Date(Date.parse(now) - dayMs),
      notAfter: new Date(Date.parse(now) + days * dayMs + hourMs),
    });
    const { certificateId } = await operateOn(connection, "register-certificate", { certificatePem });
    expected.push(`"${certificateId}-${days}"`);
  }
  return new Map([[remindersPath, expected]]);
}
