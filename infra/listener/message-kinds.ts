import type { MessageKind } from "./answer-message.ts";
import { tokenMessages } from "./answer-token.ts";

/** The kinds of messages beside those about a card's money. The first that takes one answers it. */
export const messageKinds: readonly MessageKind[] = [tokenMessages];
