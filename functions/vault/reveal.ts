import type { VaultCard } from "../../shared/contract/vault.ts";
import { minuteMs, now, timestamp } from "../../shared/platform/clock.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { transact, type WriteAction } from "../../shared/platform/table/transact.ts";
import { computeCvv, requireNumber } from "./card-number.ts";
import type { Command } from "./command.ts";
import { cardNumbers, deviceKeys } from "./items.ts";
import { encryptFor, thumbprint, toSpki } from "./jwe.ts";

const revealsPerMinute = 10;

/** The key counts as used before anything is encrypted for it: no failure serves one twice. */
export const reveal: Command<"reveal"> = async ({ publicKey, ...card }) => {
  if (toSpki(publicKey) === undefined) return { outcome: "key-invalid" };
  const print = thumbprint(publicKey);
  if (await deviceKeys.at(print).get()) return { outcome: "key-used" };
  const number = await requireNumber(card);
  const outcome = await useKey(card, print);
  if (outcome !== "used-now") return { outcome };
  const { expiryMonth, expiryYear } = card;
  const { cardNumber } = number;
  const cvv = await computeCvv(number, card);
  // Whole seconds, as the header has them.
  const exp = Math.floor((now().getTime() + minuteMs) / 1000);
  const jwe = encryptFor(publicKey, { cardNumber, expiryMonth, expiryYear, cvv }, { exp });
  return { outcome: "revealed", jwe, expiresAt: timestamp(new Date(exp * 1000)) };
};

/** One of two with the same key at once is served. */
async function useKey(card: CardId, print: string): Promise<"used-now" | "key-used" | "limited"> {
  const { programId, cardId } = card;
  const use = deviceKeys.at(print).create({ programId, cardId, usedAt: timestamp() });
  const outcome = await countReveal(card, use);
  if (outcome === "counted") return "used-now";
  return outcome === "limited" ? "limited" : "key-used";
}

type CardId = Pick<VaultCard, "programId" | "cardId" | "numberId">;

/** Counts what is given away in the same transaction, so that no burst exceeds the limit. */
export function countReveal(
  { programId, cardId, numberId }: CardId,
  write: WriteAction,
): Promise<"counted" | "exists" | "limited"> {
  return retry(async () => {
    const card = cardNumbers.at(programId, cardId, numberId);
    const stored = await card.get();
    if (stored === undefined) throw new Error("The Card's number is gone.");
    const at = now();
    const since = timestamp(new Date(at.getTime() - minuteMs));
    const reveals = stored.reveals.filter((time) => time > since);
    if (reveals.length >= revealsPerMinute) return "limited";
    const { version } = stored;
    const counted = { reveals: [...reveals, timestamp(at)], version: version + 1 };
    const outcome = await transact([write, card.update({ set: counted }, { version })]);
    if (outcome.committed) return "counted";
    const others = [...outcome.failedConditions.keys()].filter((name) => name !== "card number");
    return others.length > 0 ? "exists" : new Conflict("card number");
  });
}
