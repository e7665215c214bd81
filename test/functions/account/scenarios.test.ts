import { HDKey } from "@scure/bip32";
import { describe, it } from "vitest";
import { wallets } from "../../../shared/wallets/wallet.ts";
import { playScenario, readScenarios } from "../../harness/scenarios/scenario.ts";
import { type Deed, find } from "../../harness/scenarios/world.ts";
import { allStoredItems, storedItem } from "../../harness/stored.ts";

const done = (data: unknown) => ({ word: "done", isDone: true, data });

let seeds = 0;
const own: Readonly<Record<string, Deed>> = {
  keys: async () => {
    seeds += 1;
    const master = HDKey.fromMasterSeed(new Uint8Array(32).fill(seeds));
    const below = (path: string) => master.derive(path).publicExtendedKey;
    const [bitcoin, ethereum, tron] = [below("m/84'/0'/0'"), below("m/44'/60'/0'"), below("m/44'/195'/0'")];
    const { publicKey, chainCode } = HDKey.fromExtendedKey(tron);
    if (!publicKey || !chainCode) throw new Error("no key");
    const at = { depth: 1, index: 7, parentFingerprint: 1 };
    return done({
      ...{ bitcoin, ethereum, tron, long: `xpub${"1".repeat(2_000_000)}` },
      relabelled: new HDKey({ publicKey, chainCode, ...at }).publicExtendedKey,
      changed: `${bitcoin.slice(0, -1)}${bitcoin.endsWith("1") ? "2" : "1"}`,
    });
  },
  hundredAndOne: async () => done(Array(101).fill("cards:read")),
  hashes: async () => done((await allStoredItems()).flatMap(({ keyHash }) => (keyHash ? [keyHash] : []))),
  walletOf: async (world, name) => {
    const { programId, walletId } = find(world, name) as Record<string, string>;
    return done(await storedItem(wallets.key(programId ?? "", walletId ?? "")));
  },
};

describe.each(readScenarios(import.meta.dirname))("$of", ({ rows }) => {
  it.each(rows)("%s", (sentence, steps) => playScenario(sentence, steps, own));
});
