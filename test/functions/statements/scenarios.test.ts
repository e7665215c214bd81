import { describe, it } from "vitest";
import type { Identity } from "../../../shared/contract/balances.ts";
import { advanceCheckpoint } from "../../../shared/proofs/read-journal.ts";
import { auditBooks } from "../../harness/audit-books.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { request } from "../../harness/scenarios/deeds.ts";
import { playScenario, readScenarios } from "../../harness/scenarios/scenario.ts";
import { type Deed, find, type World } from "../../harness/scenarios/world.ts";
import { storedItems } from "../../harness/stored.ts";

const done = (data?: unknown) => ({ word: "done", isDone: true, data });
const walletOf = (world: World, name: string) => find(world, name) as { walletId: string; cardId?: string };
const isWallet = (world: World, name: string) => walletOf(world, name).cardId === undefined;

async function identitiesOf(world: World, name: string) {
  const { data } = await request(
    world,
    `${isWallet(world, name) ? "wallets" : "cards"}.proveBalance of ${name}`,
  );
  return (data as { identities: readonly Identity[] }).identities;
}

/** Of the postings that a Wallet has for a record of a Card. */
const multiplied =
  (factor: number): Deed =>
  async (world, name) => {
    const { programId } = world.program;
    const items = await storedItems(programId);
    const record = items.find((one) => one.fundingEntryId !== undefined && one.cardId === world.names.cardId);
    const pk = `${programId}#${walletOf(world, name).walletId}`;
    const entry = items.find((one) => one.pk === pk && one.sk === `ENTRY#${record?.fundingEntryId}`);
    if (!entry) throw new Error("No record names its entry.");
    const postings = (entry.postings as { amountMinor: number }[]).map((one) => ({
      ...one,
      amountMinor: one.amountMinor * factor,
    }));
    await overwrite({ pk, sk: entry.sk }, { postings });
    return done();
  };

const own: Readonly<Record<string, Deed>> = {
  lines: async (world, text) => {
    const [name = "", month, fields = ""] = text.split(" ");
    const view = isWallet(world, name) ? "viewWalletStatement" : "viewCardStatement";
    const { data } = await request(world, `${view} period=${month} of ${name} .lines`);
    const shown = (line: Record<string, unknown>) => fields.split(",").map((field) => line[field]);
    const lines = (data as Record<string, unknown>[]).map(shown);
    return done(fields.includes(",") ? lines : lines.flat());
  },
  failing: async (world, name) =>
    done((await identitiesOf(world, name)).filter(({ holds }) => !holds).map((one) => one.name)),
  sum: async (world, text) => {
    const [name = "", of] = text.split(" ");
    return done((await identitiesOf(world, name)).find((one) => one.name === of)?.left.amount);
  },
  faults: async ({ program: { programId } }) =>
    done((await auditBooks()).faults.filter((one) => one.includes(programId) || one.includes("funding"))),
  checkpoint: async (world, name) =>
    done(
      await advanceCheckpoint(world.program.programId, {
        kind: "wallet",
        accountId: walletOf(world, name).walletId,
      }),
    ),
  doubled: multiplied(2),
  halved: multiplied(0.5),
};

describe.each(readScenarios(import.meta.dirname))("$of", ({ rows }) => {
  it.each(rows)("%s", (sentence, steps) => playScenario(sentence, steps, own));
});
