import { beforeAll, describe, it } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import { newId } from "../../../shared/platform/id.ts";
import { revealTo } from "../../harness/given-device.ts";
import { refusedFor } from "../../harness/refused.ts";
import { request } from "../../harness/scenarios/deeds.ts";
import { playScenario, readScenarios } from "../../harness/scenarios/scenario.ts";
import { type Deed, find, toJson } from "../../harness/scenarios/world.ts";
import { type Cleared, clearingFileOf } from "../../shared/adapters/clearing-records.ts";
import { type GivenFiles, givenFiles } from "./given-files.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});

const done = (data: unknown) => ({ word: "done", isDone: true, data });
type Fed = number | (Partial<Cleared> & { readonly n: number; readonly id?: string });

const own: Readonly<Record<string, Deed>> = {
  number: async ({ program: { programId }, names }) => {
    const cardId = String(names.cardId);
    const { bin, lastFour, expiryMonth, expiryYear } = await cards.at(programId, cardId).require();
    const { cardNumber } = await revealTo({ programId, cardId, bin, lastFour, expiryMonth, expiryYear });
    return done({ cardNumber, reference: names.reference ?? newId("event").slice(-20) });
  },
  feed: async (world, text) => {
    const [, fileId = newId("event").slice(-20), json = ""] = /^(?:(\w+) )?(\[.*)$/.exec(text) ?? [];
    const records = (toJson(world, json) as Fed[]).map((one): Cleared => {
      const { n, id, ...more } = typeof one === "number" ? { n: one } : one;
      const [retrievalReference = "", systemTrace = ""] = id?.split(" ") ?? [];
      const named = { retrievalReference, systemTrace, acquirer: "123456", transmittedAt: "1123120000" };
      const [referenceCode, cardNumber] = [
        `${find(world, "reference")}${n}`,
        String(find(world, "cardNumber")),
      ];
      return { referenceCode, cardNumber, ...(id && named), ...more };
    });
    const content = clearingFileOf(fileId, ...records).replace("20261123", "20310506");
    return done(await files.feed("clearing", content));
  },
  doubled: async (world) => {
    const { data } = await request(world, "viewSettlement date=2031-05-06 .reconciliation");
    return done((data as { doubled: object[] }).doubled);
  },
  kept: async (world) => done(await refusedFor(String(find(world, "file")))),
};

describe.each(readScenarios(import.meta.dirname))("$of", ({ rows }) => {
  it.each(rows)("%s", (sentence, steps) => playScenario(sentence, steps, own));
});
