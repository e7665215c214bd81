import { pause } from "../../../shared/platform/clock.ts";
import { type GivenProgram, givenCard } from "../given-cards.ts";
import { type EndpointCases, type Preparation, unknownId } from "./case.ts";

const endpoint = { url: "https://hooks.example.com/card-events", eventTypes: [1, 2, 3, 4] };
const most = 5;

async function webhookIds(program: GivenProgram): Promise<string[]> {
  const { body } = await program.call("GET /webhooks");
  return body.items.map(({ webhookId }: { webhookId: string }) => webhookId);
}

/** One of the Program's endpoints, of which there may be few: a new one where it has none. */
async function givenWebhook(program: GivenProgram): Promise<string> {
  const [first] = await webhookIds(program);
  if (first !== undefined) return first;
  return (await program.call("POST /webhooks", { body: endpoint })).body.data.webhookId;
}

const named: Preparation = async (program) => ({ path: { webhookId: await givenWebhook(program) } });

/** The id of a new notification. */
async function givenNotification(program: GivenProgram): Promise<string> {
  const path = { cardId: (await givenCard(program)).cardId };
  await program.call("POST /cards/{cardId}/deposits", { path, body: { amount: 500, pending: false } });
  const { body } = await program.call("GET /webhooks/events", { query: { limit: "1" } });
  return body.items[0].transIdSc;
}

const notified: Preparation = async (program) => ({ path: { transIdSc: await givenNotification(program) } });

const everything = { since: "2026-07-09T07:00:00.000Z" };

/** The replays that these cases began. */
const begun = new WeakMap<GivenProgram, string>();

/** Waits 5 s for another replay to end; then returns an unknown id. */
async function givenReplay(program: GivenProgram): Promise<string> {
  for (let tries = 0; tries < 20; tries += 1) {
    const { status, body } = await program.call("POST /webhooks/events/redeliver", { body: everything });
    if (status === 200) begun.set(program, body.data.replayId);
    const replayId = begun.get(program);
    if (replayId !== undefined) return replayId;
    await pause(250);
  }
  return unknownId("replay");
}

const nobody = { webhookId: unknownId("whk") };

export const webhookCases: readonly EndpointCases[] = [
  {
    route: "GET /webhooks",
    success: async (program) => {
      await givenWebhook(program);
      return {};
    },
  },
  {
    route: "POST /webhooks",
    success: async (program) => {
      const [first, ...others] = await webhookIds(program);
      if (others.length === most - 1) {
        await program.call("DELETE /webhooks/{webhookId}", { path: { webhookId: first ?? "" } });
      }
      return { body: endpoint };
    },
    refusals: {
      LIMIT_REACHED: async (program) => {
        for (let count = (await webhookIds(program)).length; count < most; count += 1) {
          await program.call("POST /webhooks", { body: endpoint });
        }
        return { body: endpoint };
      },
    },
  },
  { route: "GET /webhooks/{webhookId}", success: named },
  {
    route: "PUT /webhooks/{webhookId}",
    success: async (program) => ({ ...(await named(program)), body: { eventTypes: [1, 2], active: true } }),
    refusals: {
      VALIDATION_FAILED: async (program) => ({ ...(await named(program)), body: { eventTypes: [] } }),
    },
  },
  { route: "DELETE /webhooks/{webhookId}", success: named },
  { route: "POST /webhooks/{webhookId}/rotate-secret", success: named },
  { route: "POST /webhooks/{webhookId}/ping", success: named },
  {
    route: "GET /webhooks/events",
    success: async (program) => {
      await givenNotification(program);
      return { query: { eventType: "4", sort: "asc" } };
    },
  },
  { route: "GET /webhooks/events/{transIdSc}/attempts", success: notified },
  {
    route: "POST /webhooks/events/{transIdSc}/redeliver",
    success: async (program) => ({
      ...(await notified(program)),
      body: { webhookId: await givenWebhook(program) },
    }),
    refusals: {
      VALIDATION_FAILED: async (program) => ({ ...(await notified(program)), body: { webhookId: "" } }),
    },
  },
  {
    route: "POST /webhooks/events/redeliver",
    success: async () => ({ body: everything }),
    refusals: {
      NOT_FOUND: async () => ({ body: { since: "2026-07-09T07:00:00.000Z", ...nobody } }),
      REPLAY_IN_PROGRESS: async (program) => {
        await givenReplay(program);
        return { body: everything };
      },
    },
  },
  {
    route: "GET /webhooks/replays/{replayId}",
    success: async (program) => ({ path: { replayId: await givenReplay(program) } }),
  },
  { route: "POST /webhooks/events/{transIdSc}/duplicate", success: notified },
];
