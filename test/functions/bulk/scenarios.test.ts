import { describe, it } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import type { OutboxEvent } from "../../../shared/contract/outbox.ts";
import { doJob } from "../../harness/given-jobs.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { request, toOutcome } from "../../harness/scenarios/deeds.ts";
import { playScenario, readScenarios } from "../../harness/scenarios/scenario.ts";
import { type Deed, find, toJson } from "../../harness/scenarios/world.ts";
import { eventsIn, storedItem, storedItems } from "../../harness/stored.ts";
import { type Kind, ndjson, person, type Result } from "./given-bulk.ts";

skipLeaseWaits();

type Line = string | (Record<string, unknown> & { readonly p?: number });
const done = (data?: unknown) => ({ word: "done", isDone: true, data });

function toLine(kind: Kind, line: Line): unknown {
  if (typeof line === "string") return line;
  const { p, ...more } = line;
  const card = { cardForm: 0, cardType: 0, cardholderExternalId: "ada" };
  const whole = { ...(kind === "cards" ? card : person(p ?? 0)), ...more };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== "-"));
}

const own: Readonly<Record<string, Deed>> = {
  begin: async (world, text) => {
    const [, key, kind = "", json = ""] = /^(?:key (\S+) )?(\w+) (.*)$/.exec(text) ?? [];
    const lines = (toJson(world, json) as Line[]).map((line) => toLine(kind as Kind, line));
    const headers: Record<string, string> = key ? { "Idempotency-Key": key } : {};
    return toOutcome(
      await world.program.call(`POST /${kind as Kind}/bulk`, { body: ndjson(lines), headers }),
    );
  },
  finish: async (world, name) => {
    const bulkId = find(world, name ? `${name}.bulkId` : "bulkId");
    const events = eventsIn(await storedItems(world.program.programId)) as OutboxEvent[];
    const event = events.find(({ kind, detail }) => kind === "bulk.requested" && detail.bulkId === bulkId);
    await doJob(event as OutboxEvent);
    return done({ bulkId });
  },
  results: async (world) => {
    const { data } = await request(world, "listResults ?limit=200");
    const shown = ({ status, error }: Result) =>
      error ? [error.code, ...(error.errors ?? []).slice(0, 1).map(({ path }) => path)].join(" ") : status;
    return done((data as Result[]).map(shown));
  },
  storedAs: async (world, name) => {
    const { cardholderId } = find(world, name) as { cardholderId: string };
    return done(await storedItem(cardholders.key(world.program.programId, cardholderId)));
  },
};

describe.each(readScenarios(import.meta.dirname))("$of", ({ rows }) => {
  it.each(rows)("%s", (sentence, steps) => playScenario(sentence, steps, own));
});
