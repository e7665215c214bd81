import * as z from "zod";
import { environment } from "../../shared/platform/environment.ts";
import { randomToken } from "../../shared/platform/id.ts";
import type { Command } from "./commands.ts";
import { pinZones } from "./items.ts";
import { decrypt } from "./jwe.ts";
import { deriveSecret, open, seal } from "./keys.ts";

const binding = { purpose: "pin-zone" };

/** Of 128, 192 or 256 bits. */
const PinKey = z.object({ pinKey: z.string().regex(/^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{48}|[0-9A-Fa-f]{64})$/) });

/** Replaces an earlier key: PIN blocks under that one are unreadable from then on. */
export const importPinKey: Command<"import-pin-key"> = async ({ jwe }) => {
  const { success, data } = PinKey.safeParse(await decrypt(jwe, deriveSecret));
  if (!success) return { outcome: "unreadable" };
  const key = await seal(Buffer.from(data.pinKey, "hex"), binding);
  await pinZones.at().updateNow({ set: { key } });
  return { outcome: "imported" };
};

/** For the local network, which has no key ceremony. */
export const localPinKey: Command<"local-pin-key"> = async () => {
  if (environment.name !== "local") throw new Error("Only the local environment gives its PIN key away.");
  if ((await pinZones.at().get()) === undefined)
    await pinZones.at().createNow({ key: await seal(Buffer.from(randomToken(16), "base64url"), binding) });
  return { pinKey: (await requirePinKey()).toString("hex") };
};

/** @throws Error if none was imported */
export async function requirePinKey(): Promise<Buffer> {
  const zone = await pinZones.at().get();
  if (zone === undefined) throw new Error("The PIN zone has no key: import one.");
  return open(zone.key, binding);
}
