import type { Command } from "./command.ts";
import { toJwk } from "./jwe.ts";
import { readDevicePublicKey } from "./keys.ts";

export const publicKey: Command<"public-key"> = async () => ({ jwk: toJwk(await readDevicePublicKey()) });
