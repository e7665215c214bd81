import { randomToken } from "../../../shared/platform/id.ts";
import { codeKeys } from "../items.ts";
import { open, seal } from "../keys.ts";
import { openPinBlock, pinBlockFormat } from "../pin-block.ts";
import { requirePinKey } from "../pin-zone.ts";
import { computeCode, computePinValue, withOddParity } from "./algorithms.ts";
import type { CardCryptography, CodeUse } from "./port.ts";

type KeyUse = CodeUse | "pin";

/** With keys in the vault's table that KMS wraps. They are in clear in this function's memory. */
export const ownKeys: CardCryptography = {
  computeCode: async (use, index, input) => computeCode(await readKey(use, index), input),
  computePinValue: async (index, cardNumber, pin) =>
    computePinValue(await readKey("pin", index), index, cardNumber, pin),
  verifyPin: async (index, cardNumber, block, value) => {
    const pin = openPinBlock(block, await requirePinKey(pinBlockFormat(block)), cardNumber);
    if (pin === undefined) return "unreadable";
    // A device sets four digits: of a longer PIN, the value would ignore the others.
    const isRight =
      pin.length === 4 && computePinValue(await readKey("pin", index), index, cardNumber, pin) === value;
    return isRight ? "right" : "wrong";
  },
};

const opened = new Map<string, Promise<Buffer>>();

/** Opened once in the function's life, since a key of an index never changes. */
function readKey(use: KeyUse, index: number): Promise<Buffer> {
  const name = `${use}#${index}`;
  const known = opened.get(name);
  if (known) return known;
  const key = readOrDraw(use, index);
  opened.set(name, key);
  key.catch(() => opened.delete(name));
  return key;
}

async function readOrDraw(use: KeyUse, index: number): Promise<Buffer> {
  const at = codeKeys.at(use, index);
  if ((await at.get()) === undefined)
    await storeCodeKey(use, index, withOddParity(Buffer.from(randomToken(16), "base64url")));
  return open((await at.require()).key, toBinding(use, index));
}

/** False if the index has another key: what was computed with that must stay valid. */
export async function storeCodeKey(use: KeyUse, index: number, key: Uint8Array): Promise<boolean> {
  const binding = toBinding(use, index);
  const stored = await codeKeys.at(use, index).createNow({ key: await seal(key, binding) });
  return stored === undefined || (await open(stored.key, binding)).equals(key);
}

function toBinding(use: KeyUse, index: number) {
  return { purpose: "code-key", use, index: String(index) };
}
