import { timestamp } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { type GivenProgram, givenCard } from "../given-cards.ts";
import type { EndpointCases, Preparation } from "./case.ts";

const today = () => ({ date: timestamp().slice(0, 10) });

const newFileId = () => newId("event").slice(-20);

/** A purchase, and what the network says of it. */
async function purchase(program: GivenProgram) {
  const { cardId } = await givenCard(program);
  const referenceCode = newId("event").slice(-20);
  const body = { amount: 2_500, merchantName: "Corner Shop", referenceCode, interchange: 15 };
  await program.call("POST /cards/{cardId}/force-post", { path: { cardId }, body });
  return { referenceCode, type: "DR", amount: 2_500, currency: "840", interchange: 15 };
}

const ofFile =
  (path: { date: string }): Preparation =>
  async (program) => ({ path, body: { fileId: newFileId(), transactions: [await purchase(program)] } });

const noDay = { date: "2026-02-30" };

export const settlementCases: EndpointCases = {
  "GET /settlements/{date}": [
    async (program) => {
      await program.call("POST /settlements/{date}/file", await ofFile(today())(program));
      return { path: today() };
    },
    {
      NOT_FOUND: { path: noDay },
      NOT_ACCEPTABLE: async () => ({ path: today(), headers: { Accept: "image/png" } }),
      VALIDATION_FAILED: async () => ({ path: today(), query: { format: "pdf" } }),
    },
  ],
  "POST /settlements/{date}/file": [(program) => ofFile(today())(program), { NOT_FOUND: ofFile(noDay) }],
};
