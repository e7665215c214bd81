import { describe, it } from "vitest";
import { timestamp } from "../../../shared/platform/clock.ts";
import { request } from "../../harness/scenarios/deeds.ts";
import { playScenario, readScenarios } from "../../harness/scenarios/scenario.ts";
import { type Deed, expectLike, toJson } from "../../harness/scenarios/world.ts";
import { record } from "./given-day.ts";

const own: Readonly<Record<string, Deed>> = {
  settlement: (world, date) => request(world, `viewSettlement date=${date || timestamp().slice(0, 10)}`),
  matched: async (world, count) => {
    const outcome = await request(world, `viewSettlement date=${timestamp().slice(0, 10)}`);
    const nothing = { otherDay: 0, missing: [], doubled: [], differing: [], unlisted: 0 };
    expectLike(outcome.data, { reconciliation: { matched: Number(count), ...nothing } });
    return outcome;
  },
  feed: async (world, text) => {
    const [, fileId, date = timestamp().slice(0, 10), json = ""] =
      /^(\S+)(?: (\d\S+))? (\[.*)$/.exec(text) ?? [];
    const transactions = toJson(world, json).map((one: { referenceCode: string; amount: number }) =>
      record(one.referenceCode, one.amount, { ...one }),
    );
    return request(world, `feedSettlementFile date=${date} ${JSON.stringify({ fileId, transactions })}`);
  },
};

describe.each(readScenarios(import.meta.dirname))("$of", ({ rows }) => {
  it.each(rows)("%s", (sentence, steps) => playScenario(sentence, steps, own));
});
