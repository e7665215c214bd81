import { timingSafeEqual } from "node:crypto";
import { toOtherId, ulidAlphabet, withoutPrefix } from "../../shared/platform/id.ts";
import type { Command } from "./command.ts";
import { currentKey, mac } from "./keys.ts";

/**
 * The proof of an authentication: 20 bytes, as EMV 3-D Secure has them. What Visa and Mastercard
 * put into theirs is not public: 14 bytes name the authentication, and 6 are of a keyed hash.
 */
const [nameBytes, proofBytes] = [14, 6];
const bodyLength = 22;

type Named = Readonly<Record<"programId" | "cardId" | "authenticationId", string>>;

/** Computed each time, stored nowhere. */
export const computeCavv: Command<"compute-cavv"> = async (named) => ({
  outcome: "computed",
  cavv: (await compute(named)).toString("base64"),
});

/** Which authentication of the Card it proves. */
export const verifyCavv: Command<"verify-cavv"> = async ({ cavv, ...card }) => {
  const bytes = Buffer.from(cavv, "base64");
  const named = { ...card, authenticationId: readName(bytes.subarray(0, nameBytes)) };
  const isRight = timingSafeEqual(bytes, await compute(named));
  return isRight ? { outcome: "matches", authenticationId: named.authenticationId } : { outcome: "differs" };
};

async function compute({ programId, cardId, authenticationId }: Named): Promise<Buffer> {
  const hashed = await mac(currentKey("cavv"), "cavv", programId, cardId, authenticationId);
  return Buffer.concat([toName(authenticationId), hashed.subarray(0, proofBytes)]);
}

/** The id without its prefix and its check characters, which follow from the others. */
function toName(authenticationId: string): Buffer {
  let bits = 0n;
  for (const digit of withoutPrefix(authenticationId).slice(0, bodyLength))
    bits = (bits << 5n) | BigInt(ulidAlphabet.indexOf(digit));
  return Buffer.from(bits.toString(16).padStart(nameBytes * 2, "0"), "hex");
}

function readName(name: Uint8Array): string {
  const bits = BigInt(`0x${Buffer.from(name).toString("hex")}`);
  const digits = Array.from({ length: bodyLength }, (_, index) =>
    ulidAlphabet.charAt(Number((bits >> BigInt(5 * (bodyLength - 1 - index))) & 31n)),
  );
  return toOtherId("authentication", `ath_${digits.join("")}0000`);
}
