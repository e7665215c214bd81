import { describe, expect, it } from "vitest";
import { makeIban } from "../../../infra/development/iban.ts";
import {
  type ExternalAccount,
  externalAccounts,
} from "../../../shared/external-accounts/external-account.ts";
import { applyOutcome } from "../../../shared/payments/apply-outcome.ts";
import { type Payment, payments, readPending, sentWrites } from "../../../shared/payments/payment.ts";
import { now } from "../../../shared/platform/clock.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { operate } from "../../harness/administration.ts";
import { givenExternalAccount } from "../../harness/given-payouts.ts";
import { request } from "../../harness/scenarios/deeds.ts";
import { playScenario, readScenarios } from "../../harness/scenarios/scenario.ts";
import { type Deed, find, toJson, type World } from "../../harness/scenarios/world.ts";

// Measurements are written at every level.
process.env.LOG_LEVEL = "ERROR";

const done = (data?: unknown) => ({ word: "done", isDone: true, data });

/** Of a payout, a pull or what is pending, which a step has named. */
function paymentOf(world: World, name: string) {
  const { payoutId, pullId, paymentId } = find(world, name) as Record<string, string>;
  return { paymentId: payoutId ?? pullId ?? paymentId ?? "", kind: pullId ? "pull" : "payout" } as const;
}

const order =
  (operation: string, names: readonly string[]): Deed =>
  async (world, text) => {
    const [, head = "", json = "{}"] = /^((?:key \S+)?) ?(\{.*)?$/.exec(text) ?? [];
    const parts = names.map((name) => [name.split(".").at(-1), find(world, name)]);
    const body = { ...Object.fromEntries(parts), amount: 1_000, ...toJson(world, json) };
    return request(world, `${operation} ${head && `${head} `}${JSON.stringify(body)}`);
  };

async function change(world: World, name: string, set: Partial<ExternalAccount>) {
  const id = String(find(world, `${name}.externalAccountId`));
  return done(await externalAccounts.at(world.program.programId, id).updateNow({ set }));
}

const own: Readonly<Record<string, Deed>> = {
  account: async ({ program, others }, text) => {
    const { programId } = text === "other" && others.other ? others.other : program;
    const status = text === "other" ? undefined : ((text || undefined) as "new" | undefined);
    return done({ externalAccountId: await givenExternalAccount(programId, status) });
  },
  suspend: async (world, name) => change(world, name, { status: "suspended" }),
  abroad: async (world, name) => change(world, name, { status: "verified", country: "TR" }),
  pay: order("createPayout", ["W.walletId", "X.externalAccountId"]),
  pull: order("createPull", ["W.walletId", "X.externalAccountId", "mandateId"]),
  sent: async (world, name) => {
    const payment = await payments.at(world.program.programId, paymentOf(world, name).paymentId).get();
    const file = { fileId: "file-1", at: now(), timeZone: "Etc/UTC" };
    const { committed } = await transact(sentWrites(payment as Payment, file));
    expect(committed).toBe(true);
    return done();
  },
  bank: async (world, text) => {
    const { programId } = world.program;
    if (text === "account")
      return done(await operate("set-bank-account", { programId, bankAccount: makeIban(programId) }));
    const [, name = "", json = ""] = /^(\S+) (.*)$/.exec(text) ?? [];
    const said = await applyOutcome({ programId, ...paymentOf(world, name), ...toJson(world, json) });
    const isDone = said.result !== "refused";
    return { word: isDone ? said.result : said.reason, isDone };
  },
  waiting: async ({ program }, kind) =>
    done((await readPending(program.programId, kind as "pain.001", 30)).map((one) => one.amountMinor)),
  micro: async ({ program }) => done(await readPending(program.programId, "pain.001", 10)),
  once: async (world, text) => {
    const [place = "", word = ""] = text.split(" ");
    const named = word.includes(".") ? String(find(world, word)) : word;
    expect(String(find(world, place)).split(named)).toHaveLength(2);
    return done();
  },
};

describe.each(readScenarios(import.meta.dirname))("$of", ({ rows }) => {
  it.each(rows)("%s", (sentence, steps) => playScenario(sentence, steps, own));
});
