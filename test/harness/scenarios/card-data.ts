import { GenerateMacCommand } from "@aws-sdk/client-kms";
import { onTestFinished } from "vitest";
import { kms } from "../../../functions/vault/keys.ts";
import { encryptForVault, givenDevice } from "../given-device.ts";
import { vaultFault } from "../given-vault.ts";
import { keyServerFault } from "../key-server.ts";
import { request } from "./deeds.ts";
import { type Deed, type Outcome, toJson, type World } from "./world.ts";

/** As the vault should: over the digits alone, with the key for account updates. */
async function hashOf(number: string): Promise<string> {
  const KeyId = process.env.ACCOUNT_UPDATE_KEY;
  const MacAlgorithm = "HMAC_SHA_256";
  const { Mac } = await kms.send(
    new GenerateMacCommand({ KeyId, MacAlgorithm, Message: Buffer.from(number) }),
  );
  return Buffer.from(Mac ?? []).toString("hex");
}

/** What only a device and the vault can read. */
export const cardDataDeeds: Readonly<Record<string, Deed>> = {
  /** A device that is not used yet: its `publicKey`. */
  device: async (world) => {
    world.names.publicKey = (await givenDevice()).publicKey;
    return { word: "done", isDone: true };
  },
  /** `reveal [of CARD] [{...}]`: what a new device is shown, and the number's hash. */
  reveal: async (world, text) => {
    const { publicKey, open } = await givenDevice();
    world.names.publicKey = publicKey;
    const outcome = await withBody(world, "revealCard", text, { publicKey });
    if (!outcome.isDone) return outcome;
    const { content } = await open((outcome.data as { jwe: string }).jwe);
    return { ...outcome, data: { ...content, numberHash: await hashOf(content.cardNumber) } };
  },
  /** `pin 2580 [of CARD] [{...}]`: sealed as `jwe`. */
  pin: async (world, text) => {
    const [, pin, rest = ""] = /^(\d+) ?(.*)$/.exec(text) ?? [];
    const jwe = await encryptForVault({ pin, nonce: crypto.randomUUID() });
    world.names.jwe = jwe;
    return withBody(world, "setPin", rest, { jwe });
  },
  /** `keys off`: the server of keys fails until `keys on`. */
  keys: async (_, text) => {
    keyServerFault.on = text === "off";
    onTestFinished(() => {
      keyServerFault.on = false;
    });
    return { word: "done", isDone: true };
  },
  /** `vault before`, `after`: its next call fails before or after its work. */
  vault: async (_, text) => {
    vaultFault.next = text as "before" | "after";
    return { word: "done", isDone: true };
  },
};

/** `[of CARD] [{...}]` of an operation, with something more in the body. */
function withBody(world: World, operation: string, text: string, more: object): Promise<Outcome> {
  const [, card = "", body = "{}"] = /^(of \S+)? ?(\{.*)?$/.exec(text) ?? [];
  const words = [operation, card, JSON.stringify({ ...more, ...toJson(world, body) })];
  return request(world, words.filter((word) => word !== "").join(" "));
}
