import { ada, type GivenProgram, givenApprovedCardholder } from "../given-cards.ts";
import type { EndpointCases, Preparation } from "./case.ts";

const toLines = (...lines: object[]) => ({
  body: lines.map((line) => JSON.stringify(line)).join("\n"),
});

const people: Preparation = async () =>
  toLines({ ...ada, externalId: "p-1", submit: true }, { ...ada, firstName: "Grace", externalId: "p-2" });

const cards: Preparation = async (program) => {
  await givenApprovedCardholder(program, { externalId: "p-1" });
  return toLines({ cardholderExternalId: "p-1", cardForm: 0, cardType: 0, externalId: "c-1" });
};

const begun: Preparation = async (program) => {
  const { body } = await program.call("POST /cardholders/bulk", await people(program));
  return { path: { bulkId: body.data.bulkId } };
};

/** As many as run at once. */
const afterOthers =
  (preparation: Preparation): Preparation =>
  async (program: GivenProgram) => {
    for (let running = 0; running < 5; running += 1) await begun(program);
    return preparation(program);
  };

export const bulkCases: readonly EndpointCases[] = [
  {
    route: "POST /cardholders/bulk",
    success: people,
    refusals: { LIMIT_REACHED: afterOthers(people) },
  },
  { route: "POST /cards/bulk", success: cards, refusals: { LIMIT_REACHED: afterOthers(cards) } },
  {
    route: "GET /bulk",
    success: async (program) => {
      await begun(program);
      return { query: { kind: "cardholders", status: "running", limit: "10" } };
    },
  },
  { route: "GET /bulk/{bulkId}", success: begun },
  {
    route: "GET /bulk/{bulkId}/results",
    success: async (program) => ({ ...(await begun(program)), query: { status: "failed", limit: "10" } }),
  },
];
