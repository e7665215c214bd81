import { timestamp } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { type GivenProgram, givenCard } from "../given-cards.ts";
import type { EndpointCases } from "./case.ts";

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

export const settlementCases: readonly EndpointCases[] = [
  {
    route: "GET /settlements/{date}",
    success: async (program) => {
      const transactions = [await purchase(program)];
      const body = { fileId: newFileId(), transactions };
      await program.call("POST /settlements/{date}/file", { path: today(), body });
      return { path: today() };
    },
    refusals: {
      NOT_FOUND: async () => ({ path: { date: "2026-02-30" } }),
      NOT_ACCEPTABLE: async () => ({ path: today(), headers: { Accept: "image/png" } }),
      VALIDATION_FAILED: async () => ({ path: today(), query: { format: "pdf" } }),
    },
  },
  {
    route: "POST /settlements/{date}/file",
    success: async (program) => ({
      path: today(),
      body: { fileId: newFileId(), transactions: [await purchase(program)] },
    }),
    refusals: {
      NOT_FOUND: async (program) => ({
        path: { date: "2026-02-30" },
        body: { fileId: newFileId(), transactions: [await purchase(program)] },
      }),
    },
  },
];
