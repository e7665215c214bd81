import { now, timestamp } from "../../shared/platform/clock.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { computeCvv, requireNumber } from "./card-number.ts";
import type { Command } from "./command.ts";
import { cardNumbers, deviceKeys } from "./items.ts";
import { encryptFor, thumbprint, toSpki } from "./jwe.ts";

const minuteMs = 60_000;
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

/** Counts the reveal in the same transaction, so that no burst exceeds the limit. */
function useKey(
  { programId, cardId }: { programId: string; cardId: string },
  print: string,
): Promise<"used-now" | "key-used" | "limited"> {
  return retry(async () => {
    const card = cardNumbers.at(programId, cardId);
    const stored = await card.get();
    if (stored === undefined) throw new Error("The Card's number is gone.");
    const at = now();
    const since = timestamp(new Date(at.getTime() - minuteMs));
    const reveals = stored.reveals.filter((time) => time > since);
    if (reveals.length >= revealsPerMinute) return "limited";
    const usedAt = timestamp(at);
    const { version } = stored;
    const outcome = await transact([
      deviceKeys.at(print).create({ programId, cardId, usedAt }),
      card.update({ set: { reveals: [...reveals, usedAt], version: version + 1 } }, { version }),
    ]);
    if (outcome.committed) return "used-now";
    return outcome.failedConditions.has("device key") ? "key-used" : new Conflict("card number");
  });
}
