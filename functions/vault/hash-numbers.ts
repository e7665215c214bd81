import { requireNumber } from "./card-number.ts";
import type { Command } from "./command.ts";
import { currentKey, macText } from "./keys.ts";

/** With a key for this alone: no hash here can be compared with one of the vault's index. */
export const hashNumbers: Command<"hash-numbers"> = async ({ cards }) => {
  const key = currentKey("accountUpdate");
  const hashes = await Promise.all(
    cards.map(async (card) => (await macText(key, (await requireNumber(card)).cardNumber)).toString("hex")),
  );
  return { hashes };
};
