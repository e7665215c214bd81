import { countLetters, showLetters } from "./read-letters.ts";
import { discard, redrive, type WriteAudit } from "./redrive.ts";
import { sources, targetOf, toSource } from "./target.ts";

export const deadLettersUsage = `Dead letters, by queue (${sources.join(", ")}):

  npm run operator -- dead-letters                                        counts them
  npm run operator -- dead-letters show <queue>                           lists their kinds and owners
  npm run operator -- dead-letters redrive <queue> [message id]           returns all or one to the queue
  npm run operator -- dead-letters discard <queue> <message id> <reason>  deletes one permanently`;

const maximumShown = 100;

export interface DeadLettersOptions {
  readonly environment: string;
  readonly writeAudit: WriteAudit;
}

/**
 * Lists, redrives and discards dead letters, in AWS or locally. The audit log records the caller
 * first. Throws an Error with the usage or the fault.
 */
export async function deadLetters(words: readonly string[], options: DeadLettersOptions): Promise<unknown> {
  const [verb = "list", queue, messageId, reason] = words;
  const { environment, writeAudit } = options;
  const count = words.length;
  if (verb === "list" && count <= 1) return { queues: await countLetters(await targetOf(environment)) };
  if (verb === "show" && count === 2) {
    const source = toSource(queue);
    return { letters: await showLetters(await targetOf(environment), source, maximumShown) };
  }
  if (verb === "redrive" && (count === 2 || count === 3)) {
    const source = toSource(queue);
    return { putBack: await redrive(await targetOf(environment), source, { messageId, writeAudit }) };
  }
  if (verb === "discard" && messageId !== undefined && reason !== undefined && count === 4) {
    const source = toSource(queue);
    await discard(await targetOf(environment), source, { messageId, reason, writeAudit });
    return { discarded: messageId };
  }
  throw new Error(deadLettersUsage);
}
