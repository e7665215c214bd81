import { discard } from "./discard.ts";
import { countLetters, showLetters } from "./read-letters.ts";
import { redrive } from "./redrive.ts";
import { sources, targetOf, toSource } from "./target.ts";
import type { WriteDown } from "./write-down.ts";

export const deadLettersUsage = `What was given up, by queue (${sources.join(", ")}):

  npm run operator -- dead-letters                                        how many there are
  npm run operator -- dead-letters show <queue>                           what they are, and whose
  npm run operator -- dead-letters redrive <queue> [message id]           puts them back, all or one
  npm run operator -- dead-letters discard <queue> <message id> <reason>  deletes one for good`;

/** Most messages that are shown at once. */
const shown = 100;

export interface DeadLettersOptions {
  readonly environment: string;
  readonly writeDown: WriteDown;
}

/**
 * Lists, redrives and discards dead letters, with the caller's own AWS credentials or on this
 * machine. The audit log records who does it first.
 *
 * @throws Error for words that make no sense, and for what cannot be done
 */
export async function deadLetters(words: readonly string[], options: DeadLettersOptions): Promise<unknown> {
  const [verb = "list", queue, messageId, reason, ...more] = words;
  const { environment, writeDown } = options;
  const count = words.length;
  if (verb === "list" && count <= 1) return { queues: await countLetters(await targetOf(environment)) };
  if (verb === "show" && count === 2) {
    const source = toSource(queue);
    return { letters: await showLetters(await targetOf(environment), source, shown) };
  }
  if (verb === "redrive" && (count === 2 || count === 3)) {
    const source = toSource(queue);
    return { putBack: await redrive(await targetOf(environment), source, { messageId, writeDown }) };
  }
  if (verb === "discard" && messageId !== undefined && reason !== undefined && more.length === 0) {
    const source = toSource(queue);
    await discard(await targetOf(environment), source, { messageId, reason, writeDown });
    return { discarded: messageId };
  }
  throw new Error(deadLettersUsage);
}
