import * as z from "zod";
import { httpCompliance } from "../../shared/adapters/compliance/http.ts";
import type { Webhook } from "../../shared/adapters/processor-port.ts";
import { RefusedInputError } from "../../shared/adapters/refused-input-error.ts";
import { type BankReport, ReportResult } from "../../shared/contract/bank.ts";
import type { CustodyReport } from "../../shared/contract/custody.ts";
import { type ProcessorEvent, ProcessorResult } from "../../shared/contract/processor.ts";
import { now, unixSeconds } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { invokeFunction } from "../../shared/platform/invoke-function.ts";
import { keepRefused } from "../../shared/platform/refused/refused-input.ts";
import { sha256 } from "../../shared/platform/sha256.ts";
import { any } from "../../shared/platform/table/condition.ts";
import { defineEntity } from "../../shared/platform/table/entity.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import type { Connection } from "../../shared/tenancy/connections/connection.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";
import { isSuspended, suspensions } from "../../shared/tenancy/tenant.ts";

export interface WebhookAnswer {
  readonly status: number;
  readonly body: unknown;
}

interface WebhookSource {
  readonly programId: string;
  readonly connection: Connection;
}

/** Takes the webhooks of one adapter. */
export interface WebhookReceiver {
  verify(webhook: Webhook, secret: string): boolean;
  /** @throws RefusedInputError for what is kept */
  apply(webhook: Webhook, source: WebhookSource): Promise<WebhookAnswer>;
}

/** The sender need not wait for what happens next. */
export const accepted: WebhookAnswer = { status: 200, body: { status: "success" } };

/** The sender waits for the result. A repetition gets the first one. */
export async function applyNow(event: ProcessorEvent): Promise<ProcessorResult> {
  return ProcessorResult.parse(await invokeFunction(environment.processorFunction, event));
}

/**
 * This function, which anyone can reach, has no right to change what the report changes.
 * @throws RefusedInputError if nothing was applied
 */
export async function applyReport(report: BankReport | CustodyReport): Promise<void> {
  const outcome = ReportResult.parse(await invokeFunction(environment.processorFunction, report));
  if (outcome.status === "rejected") throw new RefusedInputError("VALIDATION_FAILED", outcome.reason);
}

interface StandardAdapter<Content> {
  /** @throws RefusedInputError */
  read(webhook: Webhook): Content;
  /** Once, however often it is called. @throws RefusedInputError if nothing was applied */
  apply(content: Content, programId: string): Promise<void>;
}

/** Receives from senders with `webhook-id` and `eventId`, which sign by Standard Webhooks. */
export function standardReceiver<Content extends { readonly eventId: string }>({
  read,
  apply,
}: StandardAdapter<Content>): WebhookReceiver {
  return {
    verify: (webhook, secret) => httpCompliance.verify(webhook, secret, now()),
    apply: async (webhook, source) => {
      const { programId, connection } = source;
      const content = read(webhook);
      const ids = { "webhook-id": webhook.headers["webhook-id"], eventId: content.eventId };
      const received = new WebhookIds({ programId, ...connection }, ids, content);
      try {
        await admit(received, webhook, source);
        await apply(content, programId);
      } catch (error) {
        if (error instanceof RefusedInputError) await received.release();
        throw error;
      }
      return accepted;
    },
  };
}

/**
 * The Tenant knows the secret: deposits and outcomes wait while it is suspended, and are kept once.
 * What the card network has decided is booked all the same.
 * @throws RefusedInputError
 * @throws ApiError UNAVAILABLE
 */
async function admit(received: WebhookIds, { body: input }: Webhook, source: WebhookSource): Promise<void> {
  const { programId, connection } = source;
  const isSuspended = await isProgramSuspended(programId);
  const isNew = await received.remember(!isSuspended);
  if (!isSuspended) return;
  const reason = "The Program is suspended. The sender was answered 503, to send it again.";
  if (isNew) await keepRefused({ port: connection.port, reason, input, programId });
  throw new ApiError("UNAVAILABLE");
}

/** An id that a signed webhook came with. A replaced party and its successor count on their own. */
const receivedWebhooks = defineEntity({
  name: "received webhook",
  schema: z.object({
    /** The content that the id belongs to. Absent as long as none was applied for sure. */
    contentSha256: z.string().optional(),
    expiresAtSeconds: z.int(),
  }),
  key: (programId: string, connectionId: string, id: string) => ({
    pk: `${programId}#RECEIVED`,
    sk: `${connectionId}#${sha256(id)}`,
  }),
});

/** Longer than any sender repeats a webhook. */
const rememberedSeconds = 30 * 86_400;

/** The ids of one webhook, and what was read of it: not its bytes, which may differ each time. */
class WebhookIds {
  readonly #places;
  readonly #contentSha256: string;
  readonly #lifetime = { expiresAtSeconds: unixSeconds(now()) + rememberedSeconds };

  constructor(
    source: { readonly programId: string; readonly connectionId: string },
    ids: { readonly "webhook-id": string | undefined; readonly eventId: string },
    content: object,
  ) {
    this.#contentSha256 = sha256(JSON.stringify(content));
    this.#places = Object.entries(ids)
      .filter(([, id]) => id !== undefined)
      .map(([name, id]) => {
        const stored = receivedWebhooks.at(source.programId, source.connectionId, `${name}:${id}`);
        return { name, stored };
      });
  }

  /**
   * Before it is applied: from now on the ids belong to its content, which may come again until it
   * is applied to its end. Without `binds`, it only remembers that they came.
   * Returns whether they are new.
   * @throws RefusedInputError if one of them belongs to another content
   */
  async remember(binds: boolean): Promise<boolean> {
    const contentSha256 = this.#contentSha256;
    const received = { ...this.#lifetime, ...(binds && { contentSha256 }) };
    const found = await Promise.all(
      this.#places.map(async ({ name, stored }) => {
        const first = await stored.createNow(received);
        if (!first || first.contentSha256 === contentSha256) return { isNew: !first };
        const isFree =
          first.contentSha256 === undefined && (!binds || (await this.#replace(stored, received)));
        return isFree ? { isNew: false } : { isNew: false, taken: name };
      }),
    );
    const taken = found.find((one) => one.taken !== undefined)?.taken;
    if (taken !== undefined)
      throw new RefusedInputError("VALIDATION_FAILED", `${taken}: came before with another content.`);
    return found.every(({ isNew }) => isNew);
  }

  /** After a refusal, which has moved nothing: a corrected content may come under the same ids. */
  async release(): Promise<void> {
    await Promise.all(this.#places.map(({ stored }) => this.#replace(stored, this.#lifetime)));
  }

  /** Unless it belongs to another content. */
  async #replace(stored: ReturnType<typeof receivedWebhooks.at>, received: Received): Promise<boolean> {
    const { committed } = await transact([
      stored.put(received, any({ contentSha256: undefined }, { contentSha256: this.#contentSha256 })),
    ]);
    return committed;
  }
}

type Received = Parameters<ReturnType<typeof receivedWebhooks.at>["put"]>[0];

/** Whether the Program, or its Tenant, is suspended. */
async function isProgramSuspended(programId: string): Promise<boolean> {
  const program = await readProgram(programId);
  return program !== undefined && isSuspended(await suspensions.at(program.tenantId).get(), { programId });
}
