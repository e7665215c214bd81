import { pause } from "../../../shared/platform/clock.ts";
import type { GivenProgram } from "../given-cards.ts";
import { after, and, called, type EndpointCases, newCard, type Preparation, unknownId } from "./case.ts";

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

/** A new notification. */
const notified: Preparation = async (program) => {
  await called("POST /cards/{cardId}/deposits", newCard, { amount: 500, pending: false })(program);
  const { body } = await program.call("GET /webhooks/events", { query: { limit: "1" } });
  return { path: { transIdSc: body.items[0].transIdSc } };
};

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

export const webhookCases: EndpointCases = {
  "GET /webhooks": after(named, {}),
  "POST /webhooks": [
    async (program) => {
      const [first, ...others] = await webhookIds(program);
      if (others.length === most - 1) {
        await program.call("DELETE /webhooks/{webhookId}", { path: { webhookId: first ?? "" } });
      }
      return { body: endpoint };
    },
    {
      LIMIT_REACHED: async (program) => {
        for (let count = (await webhookIds(program)).length; count < most; count += 1) {
          await program.call("POST /webhooks", { body: endpoint });
        }
        return { body: endpoint };
      },
    },
  ],
  "GET /webhooks/{webhookId}": named,
  "PUT /webhooks/{webhookId}": [
    and(named, { body: { eventTypes: [1, 2], active: true } }),
    { VALIDATION_FAILED: and(named, { body: { eventTypes: [] } }) },
  ],
  "DELETE /webhooks/{webhookId}": named,
  "POST /webhooks/{webhookId}/rotate-secret": named,
  "POST /webhooks/{webhookId}/ping": named,
  "GET /webhooks/events": after(notified, { query: { eventType: "4", sort: "asc" } }),
  "GET /webhooks/events/{transIdSc}/attempts": notified,
  "POST /webhooks/events/{transIdSc}/redeliver": [
    and(notified, async (program) => ({ body: { webhookId: await givenWebhook(program) } })),
    { VALIDATION_FAILED: and(notified, { body: { webhookId: "" } }) },
  ],
  "POST /webhooks/events/redeliver": [
    { body: everything },
    {
      NOT_FOUND: { body: { ...everything, webhookId: unknownId("whk") } },
      REPLAY_IN_PROGRESS: async (program) => {
        await givenReplay(program);
        return { body: everything };
      },
    },
  ],
  "GET /webhooks/replays/{replayId}": async (program) => ({ path: { replayId: await givenReplay(program) } }),
  "POST /webhooks/events/{transIdSc}/duplicate": notified,
};
