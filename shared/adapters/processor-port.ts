import type { Currency } from "../contract/enums.ts";
import type { ProcessorEvent, ProcessorResult } from "../contract/processor.ts";
import type { TokenNetwork } from "../contract/tokens.ts";

/** A webhook as it arrived, with the names of its headers in lower case. */
export interface Webhook {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** What a Card is known by at the platform. */
export interface KnownCard {
  readonly cardId: string;
  readonly currency: Currency;
  /** The network of its number, in which its tokens are named. */
  readonly network: TokenNetwork;
}

export interface ToEvents {
  readonly programId: string;
  /** The Card that a sender names; undefined if there is none. */
  readonly findCard: (token: string) => Promise<KnownCard | undefined>;
}

/** What a message means to the platform. */
export interface ProcessorMessage {
  readonly events: readonly ProcessorEvent[];
  /** What in it could not be read, or names nothing known: kept beside the events that apply. */
  readonly refused: readonly string[];
  /** If the sender waits: turns the result of the only event into its answer. */
  readonly answer?: (result: ProcessorResult) => { readonly status: number; readonly body: unknown };
}

/** Translates the webhooks of one card processor. Pure, but for the look-up of Cards. */
export interface ProcessorAdapter {
  verify(webhook: Webhook, secret: string, at: Date): boolean;
  /** @throws RefusedInputError MALFORMED_BODY if it cannot be read at all */
  toMessage(webhook: Webhook, options: ToEvents): Promise<ProcessorMessage>;
}
