import * as z from "zod";
import { cards } from "../../shared/cards/card.ts";
import { firstPlasticId } from "../../shared/cards/card-plastic.ts";
import { CardStatus, TransactionType } from "../../shared/contract/enums.ts";
import type { VaultOutput } from "../../shared/contract/vault.ts";
import { plastics } from "../../shared/plastics/plastic.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { sha256 } from "../../shared/platform/sha256.ts";
import { any, isNew, present } from "../../shared/platform/table/condition.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { cardRecord } from "../../shared/transactions/card-record.ts";
import { transactionPut } from "../../shared/transactions/transaction-rules.ts";
import { findCard, requireNumber } from "./card-number.ts";
import type { Command } from "./command.ts";
import { cardCryptography } from "./cryptography/choose.ts";
import { nonces, pins } from "./items.ts";
import { decrypt } from "./jwe.ts";
import { deriveSecret } from "./keys.ts";

const maximumTries = 3;
/** The PIN of a Closed Card was deleted for good. */
const isNewOrSet = any<{ verification?: string | undefined }>({ verification: present }, isNew);

const NewPin = z.object({
  pin: z
    .string("must be a text")
    // The networks' verification value is of four digits: others would not be compared.
    .regex(/^\d{4}$/, "must be 4 digits")
    .refine((pin) => !isTrivial(pin), "must not be one digit repeated, or digits in sequence"),
  nonce: z.string("must be a text").min(1, "must not be empty").max(255, "must have at most 255 characters"),
  cardId: z.string("must be a text").optional(),
});
/** 1111, 1234, 4321: what a thief tries first. */
function isTrivial(pin: string): boolean {
  const steps = new Set([...pin].slice(1).map((digit, index) => Number(digit) - Number(pin[index])));
  return steps.size === 1 && Math.abs([...steps][0] ?? 0) <= 1;
}

/**
 * The nonce counts as used with the PIN: a copy of the JWE sets nothing again, on any Card. One
 * that names its Card sets nothing on another one before, either.
 */
export const setPin: Command<"set-pin"> = async ({ jwe, transId, cardholderId, currency, ...card }) => {
  const { programId, cardId, numberId } = card;
  const content = await decrypt(jwe, deriveSecret);
  if (content === undefined) return { outcome: "unreadable" };
  const { success, data, error } = NewPin.safeParse(content);
  if (!success) {
    const [{ path = [], message } = {}] = error.issues;
    const [field = "pin"] = path as (keyof z.output<typeof NewPin>)[];
    return { outcome: "invalid", field, reason: path.length > 0 && message ? message : "is missing" };
  }
  if (data.cardId !== undefined && data.cardId !== cardId)
    return { outcome: "invalid", field: "cardId", reason: "must be this Card" };
  const { cardNumber } = await requireNumber(card);
  const keyIndex = environment.cardKeyIndex;
  const verification = await (await cardCryptography()).computePinValue(keyIndex, cardNumber, data.pin);
  const at = now();
  const usedAt = timestamp(at);
  // It says that the PIN was set or changed, and nothing about it.
  const record = cardRecord({ programId, cardId, cardholderId, currency }, at, {
    transId,
    transType: TransactionType.pin_change,
    type: "DR",
    amountMinor: 0,
    description: "PIN set",
  });
  const outcome = await transact([
    nonces.at(sha256(data.nonce)).create({ programId, cardId, transId, usedAt }),
    pins
      .at(programId, cardId, numberId)
      .put({ verification, keyIndex, attempts: [], setAt: usedAt }, isNewOrSet),
    transactionPut(record),
  ]);
  if (outcome.committed) return { outcome: "set" };
  if (outcome.failedConditions.has("pin")) return { outcome: "card-closed" };
  const used = nonces.parse(outcome.failedConditions.get("nonce"));
  return { outcome: used?.cardId === cardId && used.transId === transId ? "set" : "nonce-used" };
};

/** Compares and counts in one write: of guesses at the same moment, three at most are answered. */
export const verifyPin: Command<"verify-pin"> = async ({ attemptId, cardNumber, pinBlock }) => {
  const card = await findCard(cardNumber);
  if (card === undefined) return { outcome: "unknown-card" };
  const cryptography = await cardCryptography();
  // With the block: no id makes a second guess count as a repetition.
  const attempt = sha256(JSON.stringify([attemptId, pinBlock.toUpperCase()]));
  const at = pins.at(card.programId, card.cardId, card.numberId);
  return retry(async () => {
    const stored = await at.get();
    if (stored === undefined) return { outcome: "not-set" };
    const { verification, keyIndex, attempts } = stored;
    if (verification === undefined || keyIndex === undefined) return { outcome: "card-closed" };
    const repeated = attempts.indexOf(attempt);
    if (repeated >= 0) return wrong(repeated + 1);
    if (attempts.length >= maximumTries) return { outcome: "blocked" };
    const block = Buffer.from(pinBlock, "hex");
    const answer = await cryptography.verifyPin(keyIndex, cardNumber, block, verification);
    if (answer === "unreadable") return { outcome: "unreadable" };
    const isRight = answer === "right";
    const { updated } = await at.updateNow(
      { set: { attempts: isRight ? [] : [...attempts, attempt] } },
      { attempts, verification, setAt: stored.setAt },
    );
    if (!updated) return new Conflict("pin");
    return isRight ? { outcome: "verified" } : wrong(attempts.length + 1);
  });
};

function wrong(tries: number): VaultOutput<"verify-pin"> {
  return { outcome: "wrong", triesLeft: maximumTries - tries };
}

/** As the Card's first plastic names it, its first number. */
export const pinsSet: Command<"pins-set"> = async ({ programId, cardId, numberIds }) => {
  const first = firstPlasticId(cardId);
  const read = await Promise.all(
    numberIds.map((id) => pins.at(programId, cardId, id === first ? undefined : id).get()),
  );
  return { numberIds: numberIds.filter((_, index) => read[index]?.verification !== undefined) };
};

/**
 * The platform's table says that the Card is closed, not the caller. What stays makes sure that a
 * PIN which is being set meanwhile does not come after it.
 */
export const forgetPin: Command<"forget-pin"> = async ({ programId, cardId }) => {
  const numberIds = new Set((await plastics.list(programId, cardId)).map(({ numberId }) => numberId));
  const forgotten = { attempts: [], setAt: timestamp() };
  const { committed } = await transact([
    cards.at(programId, cardId).check({ issuerCardStatus: CardStatus.closed }),
    // A Closed Card gets no further number.
    ...[...numberIds.add(undefined)].map((numberId) => pins.at(programId, cardId, numberId).put(forgotten)),
  ]);
  return { outcome: committed ? "forgotten" : "card-open" };
};
