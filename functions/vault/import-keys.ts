import * as z from "zod";
import type { Command } from "./command.ts";
import { storeCodeKey } from "./cryptography/own-keys.ts";
import { decrypt } from "./jwe.ts";
import { deriveSecret } from "./keys.ts";
import { storePinKey } from "./pin-zone.ts";

const aes = z.string().regex(/^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{48}|[0-9A-Fa-f]{64})$/);
const tripleDes = z.string().regex(/^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{48})$/);
const doubleLength = z.string().regex(/^[0-9A-Fa-f]{32}$/);
const anyKey = (keys: Record<string, unknown>) => Object.keys(keys).some((name) => name !== "index");

/** Keys of PIN zones, and those that compute codes, for the latter's index. */
const ImportedKeys = z
  .strictObject({
    pinKey: aes,
    tdesPinKey: tripleDes,
    servicePinKey: tripleDes,
    index: z.int().min(1).max(6),
    cardKey: doubleLength,
    cavvKey: doubleLength,
    pinVerificationKey: doubleLength,
  })
  .partial()
  .refine(anyKey);

/**
 * A zone's key replaces an earlier one: PIN blocks under that one are unreadable from then on. A
 * key that computes codes replaces none.
 */
export const importPinKey: Command<"import-pin-key"> = async ({ jwe }) => {
  const { success, data } = ImportedKeys.safeParse(await decrypt(jwe, deriveSecret));
  if (!success) return { outcome: "unreadable" };
  const { pinKey, tdesPinKey, servicePinKey, index = 1, cardKey, cavvKey, pinVerificationKey } = data;
  const codes = [
    ["card", cardKey],
    ["cavv", cavvKey],
    ["pin", pinVerificationKey],
  ] as const;
  for (const [use, key] of codes)
    if (key !== undefined && !(await storeCodeKey(use, index, Buffer.from(key, "hex"))))
      return { outcome: "index-in-use" };
  const zones = [
    ["format4", pinKey],
    ["format0", tdesPinKey],
    ["service", servicePinKey],
  ] as const;
  for (const [zone, key] of zones) if (key !== undefined) await storePinKey(zone, Buffer.from(key, "hex"));
  return { outcome: "imported" };
};
