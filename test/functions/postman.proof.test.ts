import { describe, expect, it } from "vitest";
import postman from "../../docs/postman.json" with { type: "json" };
import { cards as storedCards } from "../../shared/cards/card.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import type { Case } from "../harness/cases/case.ts";
import { contractCases } from "../harness/cases/cases.ts";
import { type GivenProgram, givenProgram, overwrite } from "../harness/given-cards.ts";

/** What a Card can be when a request comes. Each is written straight into the table. */
const states: Readonly<Record<string, object>> = {
  pending: { cardStatus: 0, issuerCardStatus: CardStatus.pending },
  declined: { cardStatus: 2, issuerCardStatus: CardStatus.closed },
  active: { issuerCardStatus: CardStatus.active },
  "on hold": { issuerCardStatus: CardStatus.onHold },
  closed: { issuerCardStatus: CardStatus.closed },
  "not activated": { issuerCardStatus: CardStatus.notActivated, cardForm: 1 },
  blocked: { blockedAt: timestamp() },
  expired: { expiryMonth: 1, expiryYear: 2020 },
  "in debt": { availableMinor: -5_000, ledgerMinor: -5_000 },
};

/** Each path once: "First purchase" writes `{{name}}` for `:name`. */
const collection = new Set(
  postman.item.flatMap(({ item }) =>
    item.map(({ request: { method, url } }) => {
      const path = url.path.slice(1).join("/");
      return `${method} /${path.replace(/\{\{(\w+)\}\}/g, ":$1")}`;
    }),
  ),
);

/** As the collection writes its path: with `:name` for `{name}`. */
function pathInCollection({ route }: Case): string {
  const base = route.function === "sandbox" ? "/sandbox" : "";
  return `${route.method} ${base}${route.path.replace(/\{(\w+)\}/g, ":$1")}`;
}

const cases = new Map(
  contractCases()
    .filter(({ code }) => code === "OK")
    .map((one) => [pathInCollection(one), one]),
);

/** Requests whose Program has no Card: they are the same in every state. */
const withoutCards = new Set<string>();

async function putCardsInto(state: object, program: GivenProgram): Promise<number> {
  const { body } = await program.call("GET /cards", { query: { limit: "200" } });
  const cards = body.items as { cardId: string }[];
  await Promise.all(cards.map(({ cardId }) => overwrite(storedCards.key(program.programId, cardId), state)));
  return cards.length;
}

/** Prepares the request's records, puts the Cards into the state, and sends it. */
async function answerTo(name: string, state: object) {
  const one = cases.get(name);
  if (!one) throw new Error(`No case of the contract is ${name}.`);
  const settings = { threeDSecure: true, ...(one.manualIssuance && { issuanceApproval: 1 as const }) };
  const program = await givenProgram({ settings });
  const request = await one.prepare(program);
  if ((await putCardsInto(state, program)) === 0) withoutCards.add(name);
  return program.call(`${one.route.method} ${one.route.path}` as `POST /${string}`, request);
}

describe("the requests of docs/postman.json", () => {
  it.each(Object.entries(states))("none is answered 5xx where the Card is %s", async (_, state) => {
    const failed: string[] = [];
    let succeeded = 0;
    const tried = [...collection].filter((name) => !withoutCards.has(name));
    const waiting = tried.values();
    const worker = async () => {
      for (const name of waiting) {
        const { status, body } = await answerTo(name, state);
        if (status >= 500) failed.push(`${name}: ${status} ${body.code}`);
        if (status === 200) succeeded += 1;
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect(failed).toEqual([]);
    expect(succeeded).toBeGreaterThan(tried.length / 2);
  });
});
