import { takeSteps } from "../../../functions/background-jobs/take-steps.ts";
import type { OutboxEvent } from "../../../shared/contract/outbox.ts";
import { ada, type GivenProgram, givenProgram, type ProgramOptions } from "../../harness/given-cards.ts";
import { doJob } from "../../harness/given-jobs.ts";
import { batchOf } from "../../harness/given-webhooks.ts";
import { eventsIn, storedItems } from "../../harness/stored.ts";

export type Kind = "cardholders" | "cards";

export const ndjson = (lines: readonly unknown[]) =>
  lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");

export interface Result extends Record<string, unknown> {
  readonly line: number;
  readonly status: string;
  readonly error?: { readonly code: string; readonly errors?: readonly { readonly path: string }[] };
}

/** A Program that sends files, and the background that does what they say. */
export async function givenBulks(options: ProgramOptions = {}) {
  const program = await givenProgram(options);
  const begin = (kind: Kind, body: unknown, headers: Record<string, string> = {}) =>
    program.call(`POST /${kind}/bulk`, {
      body: Array.isArray(body) ? ndjson(body) : body,
      headers,
    });
  const eventOf = async (bulkId: string) =>
    (eventsIn(await storedItems(program.programId)) as OutboxEvent[]).find(
      ({ kind, detail }) => kind === "bulk.requested" && detail.bulkId === bulkId,
    ) as OutboxEvent;
  const view = async (bulkId: string) =>
    (await program.call("GET /bulk/{bulkId}", { path: { bulkId } })).body.data;
  const results = async (bulkId: string, query: Record<string, string> = { limit: "200" }) =>
    (await program.call("GET /bulk/{bulkId}/results", { path: { bulkId }, query })).body.items as Result[];
  return {
    ...program,
    begin,
    eventOf,
    view,
    results,
    finish: async (bulkId: string) => doJob(await eventOf(bulkId)),
    /** One message of the job, as SQS brings it. Whether it is done with. */
    takeOnce: async (detail: OutboxEvent) => {
      const { batchItemFailures } = await takeSteps(batchOf("jobs", [{ detail }]));
      return batchItemFailures.length === 0;
    },
    /** From the file to the results of its lines. */
    run: async (kind: Kind, lines: unknown) => {
      const { bulkId } = (await begin(kind, lines)).body.data;
      await doJob(await eventOf(bulkId));
      return { bulkId, bulk: await view(bulkId), results: await results(bulkId) };
    },
  };
}
export type GivenBulks = Awaited<ReturnType<typeof givenBulks>>;

export const person = (number: number, more: object = {}) => ({
  ...ada,
  firstName: `Ada ${number}`,
  externalId: `person-${number}`,
  ...more,
});

export const listed = async (program: GivenProgram, route: `GET /${string}`, query: object = {}) =>
  (await program.call(route, { query: { limit: "200", ...query } })).body as {
    items: Record<string, unknown>[];
    total: number;
  };
