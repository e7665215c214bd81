import { describe, it } from "vitest";
import { request } from "../../harness/scenarios/deeds.ts";
import { playScenario, readScenarios } from "../../harness/scenarios/scenario.ts";
import type { Deed } from "../../harness/scenarios/world.ts";

const done = (data: unknown) => ({ word: "done", isDone: true, data });

const own: Readonly<Record<string, Deed>> = {
  closings: async (world, date) => {
    const { data } = await request(world, `exportBooks date=${date} .trialBalance`);
    const rows = data as { account: string; accountType: string; closing: number }[];
    const shown = rows.filter(({ closing }) => closing !== 0);
    return done(shown.map(({ account, accountType, closing }) => [account, accountType, closing]));
  },
  postings: async (world, date) => {
    const { data } = await request(world, `exportBooks date=${date} ?format=csv`);
    return done(
      String(data)
        .split("\r\n")
        .filter((line) => line.startsWith("posting,")),
    );
  },
};

describe.each(readScenarios(import.meta.dirname))("$of", ({ rows }) => {
  it.each(rows)("%s", (sentence, steps) => playScenario(sentence, steps, own));
});
