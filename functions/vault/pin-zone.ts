import { environment } from "../../shared/platform/environment.ts";
import { randomToken } from "../../shared/platform/id.ts";
import type { Command } from "./command.ts";
import { withOddParity } from "./cryptography/algorithms.ts";
import { pinZones } from "./items.ts";
import { open, seal } from "./keys.ts";

/** Whose PIN blocks a key opens: the network's, by their format; the vault's for the service. */
type PinZone = "format0" | "format4" | "service";

const toBinding = (zone: PinZone) => ({ purpose: "pin-zone", zone });

/** The local network has no key ceremony: it gets the key in the clear. */
export const localPinKey: Command<"local-pin-key"> = async () => {
  if (environment.name !== "local") throw new Error("Only the local environment gives its PIN key away.");
  for (const zone of ["format0", "format4"] as const)
    if ((await pinZones.at(zone).get()) === undefined)
      await pinZones.at(zone).createNow({ key: await seal(drawKey(zone), toBinding(zone)) });
  const [tdesPinKey, pinKey] = [await requirePinKey("format0"), await requirePinKey("format4")];
  return { pinKey: pinKey.toString("hex"), tdesPinKey: tdesPinKey.toString("hex") };
};

function drawKey(zone: PinZone): Buffer {
  const key = Buffer.from(randomToken(16), "base64url");
  return zone === "format0" ? withOddParity(key) : key;
}

/** PIN blocks under an earlier key are unreadable from then on. */
export async function storePinKey(zone: PinZone, key: Uint8Array): Promise<void> {
  await pinZones.at(zone).updateNow({ set: { key: await seal(key, toBinding(zone)) } });
}

/** @throws Error if none was imported */
export async function requirePinKey(zone: PinZone): Promise<Buffer> {
  const stored = await pinZones.at(zone).get();
  if (stored === undefined) throw new Error(`The PIN zone ${zone} has no key: import one.`);
  return open(stored.key, toBinding(zone));
}
