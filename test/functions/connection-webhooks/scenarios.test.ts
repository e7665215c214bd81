import { describe, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { sha256 } from "../../../shared/platform/sha256.ts";
import { deeds, request } from "../../harness/scenarios/deeds.ts";
import { playScenario, readScenarios } from "../../harness/scenarios/scenario.ts";
import { type Deed, find, toJson, type World } from "../../harness/scenarios/world.ts";
import { eventsIn, storedItems } from "../../harness/stored.ts";

const done = (data: unknown) => ({ word: "done", isDone: true, data });
const says = (world: World, who: string, body: object) =>
  (deeds.says as Deed)(world, `${who} ${JSON.stringify({ eventId: newId("event"), ...body })}`);

/** One letter in another case: bech32 forbids it, EIP-55 and base58 have another checksum. */
function withWrongChecksum(address: string): string {
  const at = address.search(/[a-zA-Z](?=[^a-zA-Z]*$)/);
  const letter = address.charAt(at);
  const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  return address.slice(0, at) + other + address.slice(at + 1);
}

const own: Readonly<Record<string, Deed>> = {
  output: async (world, chain) => {
    const { data } = await request(world, "viewCard");
    const { cryptoAddresses, cardId } = data as { cryptoAddresses: Record<string, string>[]; cardId: string };
    const address = cryptoAddresses.find((one) => one.chain === chain)?.address ?? "";
    const txHash = sha256(`${cardId} ${chain}`);
    return done({
      ...{ secret: "whsec_c2VjcmV0LW9mLXNvbWVib2R5LWVsc2UtZW50aXJlbHk=", wrong: withWrongChecksum(address) },
      ...{ lower: address.toLowerCase(), upper: address.toUpperCase(), upperHash: txHash.toUpperCase() },
      sent: { chain, address, txHash, asset: "USDC", amount: 700, currency: "USD" },
    });
  },
  reports: async (world, text) => {
    const [, output, state, by = "C", json = "{}"] =
      /^(\w+) (\w+)(?: by (\w+))?(?: (\{.*))?$/.exec(text) ?? [];
    const sent = find(world, `${output}.sent`) as object;
    return says(world, by, { type: `deposit.${state}`, ...sent, ...toJson(world, json) });
  },
  bank: async (world, text) => {
    const [, who = "", json = ""] = /^(\S+ \S+) (.*)$/.exec(text) ?? [];
    const { programId, walletId } = world.names;
    const deposit = { type: "deposit.announced", reference: walletId, amount: 1_250, currency: "USD" };
    const eventId = who.split(" ")[1];
    return says(world, who, { ...deposit, eventId, bankReference: `${programId}-1`, ...toJson(world, json) });
  },
  session: async ({ program }) => {
    const events = eventsIn(await storedItems(program.programId));
    const { detail } = events.findLast(({ kind }) => kind === "kyc.requested") ?? {};
    return done((detail as { sessionId: string }).sessionId);
  },
};

describe.each(readScenarios(import.meta.dirname))("$of", ({ rows }) => {
  it.each(rows)("%s", (sentence, steps) => playScenario(sentence, steps, own));
});
