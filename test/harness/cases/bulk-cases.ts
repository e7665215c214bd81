import { maximumBulks } from "../../../shared/contract/bulk.ts";
import { pause } from "../../../shared/platform/clock.ts";
import { ada, type GivenProgram } from "../given-cards.ts";
import { after, and, type EndpointCases, type Preparation, unknownId } from "./case.ts";

const toLines = (...lines: object[]) => ({
  body: lines.map((line) => JSON.stringify(line)).join("\n"),
});

/** On a running platform, those of other cases end meanwhile. Where none gets on, it is refused. */
async function untilOneMayBegin(program: GivenProgram): Promise<void> {
  let last = "";
  for (let same = 0; same < 40; await pause(250)) {
    const { body } = await program.call("GET /bulk", { query: { status: "running" } });
    if (body.total < maximumBulks) return;
    const seen = JSON.stringify(body.items);
    same = seen === last ? same + 1 : 0;
    last = seen;
  }
}

const people: Preparation = async (program) => {
  await untilOneMayBegin(program);
  return toLines(
    { ...ada, externalId: "p-1", submit: true },
    { ...ada, firstName: "Grace", externalId: "p-2" },
  );
};

const cards: Preparation = async (program) => {
  await untilOneMayBegin(program);
  return toLines({ cardholderExternalId: "p-1", cardForm: 0, cardType: 0, externalId: "c-1" });
};

const begun: Preparation = async (program) => {
  const { body, status } = await program.call("POST /cardholders/bulk", await people(program));
  return { path: { bulkId: status === 200 ? body.data.bulkId : unknownId("blk") } };
};

/** As many as run at once, with lines enough that they still do. */
const afterOthers: Preparation = async (program) => {
  const others = toLines(...Array.from({ length: 6_000 }, () => ({})));
  for (let status = 200; status === 200; )
    ({ status } = await program.call("POST /cardholders/bulk", others));
  return toLines({ ...ada, externalId: "p-3" });
};

export const bulkCases: EndpointCases = {
  "POST /cardholders/bulk": [people, { LIMIT_REACHED: afterOthers }],
  "POST /cards/bulk": [cards, { LIMIT_REACHED: afterOthers }],
  "GET /bulk": after(begun, { query: { kind: "cardholders", status: "running", limit: "10" } }),
  "GET /bulk/{bulkId}": begun,
  "GET /bulk/{bulkId}/results": and(begun, { query: { status: "failed", limit: "10" } }),
};
