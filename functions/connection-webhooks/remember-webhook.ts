import * as z from "zod";
import { RefusedInputError } from "../../shared/adapters/refused-input-error.ts";
import { now, unixSeconds } from "../../shared/platform/clock.ts";
import { sha256 } from "../../shared/platform/sha256.ts";
import { any } from "../../shared/platform/table/condition.ts";
import { defineEntity } from "../../shared/platform/table/entity.ts";
import { transact } from "../../shared/platform/table/transact.ts";

/** An id that a signed webhook came with. A replaced party and its successor count on their own. */
export const receivedWebhooks = defineEntity({
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
export class WebhookIds {
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
