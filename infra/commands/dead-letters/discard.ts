import { readLetter } from "./letter.ts";
import { eachLetter } from "./read-letters.ts";
import { remove } from "./redrive.ts";
import type { Source, Target } from "./target.ts";
import type { WriteDown } from "./write-down.ts";

/**
 * Deletes one dead letter for good, after it is written down what it was and why it goes.
 *
 * @throws Error where there is no such message
 */
export async function discard(
  target: Target,
  queue: Source,
  {
    messageId,
    reason,
    writeDown,
  }: { readonly messageId: string; readonly reason: string; readonly writeDown: WriteDown },
): Promise<void> {
  let isFound = false;
  await eachLetter(target, queue, async (message, url) => {
    if (message.MessageId !== messageId) return "keep";
    isFound = true;
    await writeDown("record-discard", { ...readLetter(message), queue, reason });
    await remove(target, message, url);
    return "gone";
  });
  if (!isFound) throw new Error(`${queue} has no dead letter ${messageId}.`);
}
