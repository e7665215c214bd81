import { maximumControls } from "../../../shared/contract/controls.ts";
import { pause } from "../../../shared/platform/clock.ts";
import { atOnce } from "../../../shared/simulations/simulate.ts";
import { type GivenProgram, givenCard } from "../given-cards.ts";
import { type EndpointCases, externalIdTaken, type Preparation, unknownId } from "./case.ts";

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
async function newControl(program: GivenProgram, details: object = {}) {
  const { cardId } = await givenCard(program);
  return { ...control, cardId, ...details };
}

async function givenControl(program: GivenProgram, details: object): Promise<string> {
  const body = await newControl(program, details);
  return (await program.call("POST /controls", { body })).body.data.controlId;
}

const draft: Preparation = async (program) => ({
  path: { controlId: await givenControl(program, { state: "draft" }) },
});

/** A control that has counted an authorization. */
const counted: Preparation = async (program) => {
  const { cardId } = await givenCard(program);
  const deposit = { path: { cardId: String(cardId) }, body: { amount: 10_000, pending: false } };
  await program.call("POST /cards/{cardId}/deposits", deposit);
  const body = { name: "Hundred a day", cardId, velocity: { amount: 10_000, count: 3, window: "day" } };
  const { controlId } = (await program.call("POST /controls", { body })).body.data;
  const authorization = {
    path: { cardId: String(cardId) },
    body: { amount: 2_500, merchantName: "Corner Shop" },
  };
  await program.call("POST /cards/{cardId}/authorizations", authorization);
  return { path: { controlId } };
};

/** The body of a control for a Card that has ten. */
async function oneTooMany(program: GivenProgram) {
  const body = await newControl(program);
  for (let count = 0; count < maximumControls; count += 1) await program.call("POST /controls", { body });
  return body;
}

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

export const controlCases: readonly EndpointCases[] = [
  {
    route: "POST /controls",
    success: async (program) => ({ body: await newControl(program) }),
    refusals: {
      NOT_FOUND: async () => ({ body: { ...control, cardId: unknownId("crd") } }),
      LIMIT_REACHED: async (program) => ({ body: await oneTooMany(program) }),
      EXTERNAL_ID_EXISTS: externalIdTaken("POST /controls", async (program) => ({
        body: await newControl(program),
      })),
    },
  },
  {
    route: "GET /controls",
    success: async (program) => {
      const body = await newControl(program, { state: "draft" });
      await program.call("POST /controls", { body });
      return { query: { cardId: String(body.cardId) } };
    },
  },
  { route: "GET /controls/{controlId}", success: draft },
  {
    route: "PUT /controls/{controlId}",
    success: async (program) => ({
      ...(await draft(program)),
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
    refusals: {
      EXTERNAL_ID_EXISTS: externalIdTaken("PUT /controls/{controlId}", async (program) => ({
        ...(await draft(program)),
        body: { name: "Without cash", cash: "block" },
      })),
    },
  },
  { route: "DELETE /controls/{controlId}", success: draft },
  { route: "GET /controls/{controlId}/usage", success: counted },
  { route: "GET /controls/{controlId}/transactions", success: counted },
  {
    route: "POST /controls/{controlId}/simulate",
    success: async (program) => ({ ...(await counted(program)), body: monthly }),
    refusals: {
      VALIDATION_FAILED: async (program) => ({ ...(await draft(program)), body: { days: 91 } }),
      SIMULATION_IN_PROGRESS: async (program) => {
        await givenSimulation(program);
        return { path: await manyCards(program), body: monthly };
      },
    },
  },
  {
    route: "GET /simulations/{simulationId}",
    success: async (program) => ({ path: { simulationId: await givenSimulation(program) } }),
  },
  {
    route: "POST /controls/{controlId}/activate",
    success: draft,
    refusals: {
      LIMIT_REACHED: async (program) => {
        const body = { ...(await oneTooMany(program)), state: "draft" };
        const { data } = (await program.call("POST /controls", { body })).body;
        return { path: { controlId: data.controlId } };
      },
      ILLEGAL_TRANSITION: async (program) => ({
        path: { controlId: await givenControl(program, { state: "active" }) },
      }),
    },
  },
];
