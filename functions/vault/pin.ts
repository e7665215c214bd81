import * as z from "zod";
import type { VaultInput, VaultOutput } from "../../shared/contract/vault.ts";
import { pinRecord } from "../../shared/domain/transactions/pin-record.ts";
import { transactionPut } from "../../shared/domain/transactions/transaction.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { sha256 } from "../../shared/platform/sha256.ts";
import { any, isNew, present } from "../../shared/platform/table/condition.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { findCard, requireNumber } from "./card-number.ts";
import type { Command } from "./commands.ts";
import { nonces, pins } from "./items.ts";
import { decrypt } from "./jwe.ts";
import { currentKey, deriveSecret, mac } from "./keys.ts";
import { openPinBlock } from "./pin-block.ts";
import { requirePinKey } from "./pin-zone.ts";

const maximumTries = 3;
/** The PIN of a Closed Card was deleted for good. */
const isNewOrSet = any<{ verification?: string | undefined }>({ verification: present }, isNew);

const NewPin = z.object({
  pin: z
    .string("must be a text")
    .regex(/^\d{4,6}$/, "must be 4 to 6 digits")
    .refine((pin) => !isTrivial(pin), "must not be one digit repeated, or digits in sequence"),
  nonce: z.string("must be a text").min(1, "must not be empty").max(255, "must have at most 255 characters"),
  cardId: z.string("must be a text").optional(),
});
type Field = keyof z.output<typeof NewPin>;

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
  const { programId, cardId } = card;
  const content = await decrypt(jwe, deriveSecret);
  if (content === undefined) return { outcome: "unreadable" };
  const { success, data, error } = NewPin.safeParse(content);
  if (!success) {
    const [{ path = [], message } = {}] = error.issues;
    const [field = "pin"] = path as Field[];
    return { outcome: "invalid", field, reason: path.length > 0 && message ? message : "is missing" };
  }
  if (data.cardId !== undefined && data.cardId !== cardId)
    return { outcome: "invalid", field: "cardId", reason: "must be this Card" };
  const { cardNumber } = await requireNumber(card);
  const key = currentKey("pin");
  const verification = await computeVerification(key, cardNumber, data.pin);
  const at = now();
  const usedAt = timestamp(at);
  const record = pinRecord({ programId, cardId, cardholderId, currency }, transId, at);
  const outcome = await transact([
    nonces.at(sha256(data.nonce)).create({ programId, cardId, transId, usedAt }),
    pins.at(programId, cardId).put({ verification, key, attempts: [], setAt: usedAt }, isNewOrSet),
    transactionPut(record),
  ]);
  if (outcome.committed) return { outcome: "set" };
  if (outcome.failedConditions.has("pin")) return { outcome: "card-closed" };
  const used = nonces.parse(outcome.failedConditions.get("nonce"));
  return { outcome: used?.cardId === cardId && used.transId === transId ? "set" : "nonce-used" };
};

export const verifyPin: Command<"verify-pin"> = (tried) => tryPin(tried);

export const changePin: Command<"change-pin"> = async ({ newPinBlock, ...tried }) => {
  const { cardNumber } = tried;
  const pin = openPinBlock(Buffer.from(newPinBlock, "hex"), await requirePinKey(), cardNumber);
  if (pin === undefined) return { outcome: "unreadable" };
  const { error } = NewPin.shape.pin.safeParse(pin);
  const answer = await tryPin(
    tried,
    error ? undefined : await computeVerification(currentKey("pin"), cardNumber, pin),
  );
  if (answer.outcome !== "verified") return answer;
  return error
    ? { outcome: "invalid", reason: error.issues[0]?.message ?? "is invalid" }
    : { outcome: "changed" };
};

/** Compares and counts in one write: of guesses at the same moment, three at most are answered. */
async function tryPin(
  { attemptId, cardNumber, pinBlock }: VaultInput<"verify-pin">,
  newVerification?: string,
): Promise<VaultOutput<"verify-pin">> {
  const card = await findCard(cardNumber);
  if (card === undefined) return { outcome: "unknown-card" };
  const given = openPinBlock(Buffer.from(pinBlock, "hex"), await requirePinKey(), cardNumber);
  if (given === undefined) return { outcome: "unreadable" };
  const at = pins.at(card.programId, card.cardId);
  return retry(async () => {
    const stored = await at.get();
    if (stored === undefined) return { outcome: "not-set" };
    if (stored.verification === undefined) return { outcome: "card-closed" };
    const verification = await computeVerification(stored.key ?? currentKey("pin"), cardNumber, given);
    // With the PINs: no id makes a second guess count as a repetition.
    const attempt = sha256(JSON.stringify([attemptId, verification, newVerification]));
    if (stored.changedBy === attempt) return { outcome: "verified" };
    const { attempts } = stored;
    const repeated = attempts.indexOf(attempt);
    if (repeated >= 0) return wrong(repeated + 1);
    if (attempts.length >= maximumTries) return { outcome: "blocked" };
    const isRight = stored.verification === verification;
    const changed = {
      ...{ verification: newVerification, key: currentKey("pin"), setAt: timestamp(), changedBy: attempt },
    };
    const right = { attempts: [], ...(newVerification !== undefined && changed) };
    const { updated } = await at.updateNow(
      { set: isRight ? right : { attempts: [...attempts, attempt] } },
      { attempts, verification: stored.verification },
    );
    if (!updated) return new Conflict("pin");
    return isRight ? { outcome: "verified" } : wrong(attempts.length + 1);
  });
}

function wrong(tries: number): VaultOutput<"verify-pin"> {
  return { outcome: "wrong", triesLeft: maximumTries - tries };
}

/** It depends on the number, so that equal PINs of two Cards differ. */
async function computeVerification(key: string, cardNumber: string, pin: string): Promise<string> {
  return (await mac(key, cardNumber, pin)).toString("base64url");
}
