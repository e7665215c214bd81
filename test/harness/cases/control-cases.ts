import { maximumControls } from "../../../shared/contract/controls.ts";
import { pause } from "../../../shared/platform/clock.ts";
import { atOnce } from "../../../shared/simulations/simulate.ts";
import { type GivenProgram, givenCard } from "../given-cards.ts";
import {
  and,
  called,
  changing,
  created,
  type EndpointCases,
  externalIdTaken,
  newCard,
  type Preparation,
  unknownId,
} from "./case.ts";

const control = {
  name: "Fuel only, 100 a day",
  velocity: { amount: 10_000, count: 3, window: "day" },
  merchants: {
    mcc: { allow: ["5541-5542", "5983"] },
    country: { allow: ["DE", "AT"] },
    merchantId: { block: ["M-0001"] },
  },
  entryModes: { block: ["magstripe"] },
  currencies: { allow: ["978"] },
  cash: "block",
  singleUse: false,
  merchantLock: false,
};

/** Of a new Card, so that the Program's other Cards are free of it. */
const ofNewCard = (details: object = {}): Preparation =>
  changing(async (program) => ({ body: { ...control, cardId: (await givenCard(program)).cardId } }), details);

const inState = (state: "draft" | "active") => created("POST /controls", ofNewCard({ state }), "controlId");
const draft = inState("draft");

/** A control that has counted an authorization. */
const counted: Preparation = async (program) => {
  const { path } = await called("POST /cards/{cardId}/deposits", newCard, { amount: 10_000, pending: false })(
    program,
  );
  const velocity = { amount: 10_000, count: 3, window: "day" };
  const body = { name: "Hundred a day", ...path, velocity };
  const made = await created("POST /controls", async () => ({ body }), "controlId")(program);
  const purchase = { amount: 2_500, merchantName: "Corner Shop" };
  await program.call("POST /cards/{cardId}/authorizations", { path, body: purchase });
  return made;
};

/** A control for a Card that has ten. */
const oneTooMany = called("POST /controls", ofNewCard(), undefined, maximumControls);

/** A control of the Program, which has more Cards than a request simulates. */
async function manyCards(program: GivenProgram): Promise<Record<string, string>> {
  const { cardholderId } = await givenCard(program);
  for (let count = 0; count < atOnce.cards; count += 1) await givenCard(program, { cardholderId });
  const body = { ...control, state: "draft" };
  return { controlId: (await program.call("POST /controls", { body })).body.data.controlId };
}

const monthly = { days: 30 };

/** Waits 5 s for another simulation to end; then returns an unknown id. */
export async function givenSimulation(program: GivenProgram): Promise<string> {
  const path = await manyCards(program);
  for (let tries = 0; tries < 20; tries += 1) {
    const { status, body } = await program.call("POST /controls/{controlId}/simulate", {
      path,
      body: monthly,
    });
    if (status === 200) return body.data.simulationId;
    await pause(250);
  }
  return unknownId("simulation");
}

export const controlCases: EndpointCases = {
  "POST /controls": [
    ofNewCard(),
    { NOT_FOUND: { body: { ...control, cardId: unknownId("crd") } }, LIMIT_REACHED: oneTooMany },
  ],
  "GET /controls": async (program) => {
    const { body } = await called("POST /controls", ofNewCard({ state: "draft" }))(program);
    return { query: { cardId: (body as { cardId: string }).cardId } };
  },
  "GET /controls/{controlId}": draft,
  "PUT /controls/{controlId}": [
    and(draft, {
      body: {
        name: "Online only",
        entryModes: { allow: ["ecommerce", "recurring"] },
        merchants: {
          mcc: { block: ["7995"] },
          country: { block: ["US"] },
          merchantId: { allow: ["M-0001", "M-0002"] },
        },
        currencies: { block: ["643"] },
      },
    }),
    { EXTERNAL_ID_EXISTS: externalIdTaken(and(draft, { body: { name: "Without cash", cash: "block" } })) },
  ],
  "DELETE /controls/{controlId}": draft,
  "GET /controls/{controlId}/usage": counted,
  "GET /controls/{controlId}/transactions": counted,
  "POST /controls/{controlId}/simulate": [
    and(counted, { body: monthly }),
    {
      VALIDATION_FAILED: and(draft, { body: { days: 91 } }),
      SIMULATION_IN_PROGRESS: async (program) => {
        await givenSimulation(program);
        return { path: await manyCards(program), body: monthly };
      },
    },
  ],
  "GET /simulations/{simulationId}": async (program) => ({
    path: { simulationId: await givenSimulation(program) },
  }),
  "POST /controls/{controlId}/activate": [
    draft,
    {
      LIMIT_REACHED: created("POST /controls", changing(oneTooMany, { state: "draft" }), "controlId"),
      ILLEGAL_TRANSITION: inState("active"),
    },
  ],
};
