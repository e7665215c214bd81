import { sweep } from "../../../functions/deadlines/sweep.ts";
import { newId } from "../../../shared/platform/id.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { contractCases } from "../../harness/cases/cases.ts";
import { callerOf, givenProgram, handlerOf } from "../../harness/given-cards.ts";
import { givenNetwork, type Told } from "../../harness/given-network.ts";
import { replay } from "../../harness/replay.ts";
import { routesInUse, storingRoutes } from "./routes.ts";
import type { Step } from "./step.ts";

/** Rows of the page of transactions that is measured: as many as one is by default. */
const pageRows = 50;

export function apiSteps(): Step[] {
  const cases = contractCases().filter(({ code }) => code === "OK");
  return [...routesInUse, ...storingRoutes].map((key) => {
    const found = cases.find(({ route }) => `${route.method} ${route.path}` === key);
    if (!found) throw new Error(`Nothing succeeds at ${key}.`);
    return {
      name: key,
      prepare: async () => {
        const program = await givenProgram({ settings: { threeDSecure: true } });
        const caller = callerOf(key, program.caller);
        const request = await found.prepare(program);
        const event = apiEvent({ ...request, body: toUsual(key, request.body), route: key, caller });
        return () => answered(key, event);
      },
    };
  });
}

/** Few Cards are issued with controls and money: most are with what must be said alone. */
function toUsual(key: string, body: unknown): unknown {
  if (key !== "POST /cards") return body;
  const { cardholderId, cardForm, cardType } = body as Record<string, unknown>;
  return { cardholderId, cardForm, cardType };
}

async function answered(key: string, event: ReturnType<typeof apiEvent>): Promise<unknown> {
  const { status, body } = await replay(handlerOf(key), event);
  if (status !== 200) throw new Error(`${key} answered ${status}.`);
  return body;
}

/** The list that is asked for most, of a card that has been in use. */
export function transactionPageStep(): Step {
  let network: Awaited<ReturnType<typeof givenNetwork>> | undefined;
  const key = "GET /cards/transactions";
  return {
    name: key,
    prepare: async () => {
      if (!network) {
        network = await givenNetwork({ availableMinor: 1_000_000 });
        for (let made = 0; made < pageRows; made += 1) await network.apply({ kind: "clearing", amount: 100 });
      }
      const { programId, cardId } = network;
      const caller = {
        programId,
        tenantId: newId("tenant"),
        currency: 0 as const,
        apiUserId: newId("apiUser"),
      };
      const event = apiEvent({ route: key, caller, query: { cardId } });
      return async () => {
        const page = (await answered(key, event)) as { items: unknown[] };
        if (page.items.length !== pageRows) throw new Error(`The page has ${page.items.length} rows.`);
        return page;
      };
    },
  };
}

export function networkSteps(): Step[] {
  const merchant = { merchantName: "Coffee & Company", mcc: "5814" } as const;
  const on = (name: string, before: Told[], event: Told): Step => ({
    name,
    prepare: async () => {
      const network = await givenNetwork({ availableMinor: 1_000_000 });
      // A worker knows the card that it has met.
      await network.apply({ kind: "balance_inquiry" });
      for (const one of before) await network.apply(one);
      return () => network.apply(event);
    },
  });
  const authorization = { kind: "authorization", authorizationId: "A", amount: 2_500, ...merchant } as const;
  const clearing = { kind: "clearing", authorizationId: "A", amount: 2_500, ...merchant } as const;
  return [
    on("authorization", [], authorization),
    on("authorization, declined", [], { ...authorization, amount: 2_000_000 }),
    on("clearing", [authorization], clearing),
    on("clearing, with a reference code", [authorization], {
      ...clearing,
      referenceCode: "74027005323000000000001",
    }),
    on("reversal", [authorization], { kind: "authorization_reversal", authorizationId: "A" }),
    on("fee", [], { kind: "fee", feeType: 1, amount: 100 }),
  ];
}

/** A sweep that finds nothing: the usual one. */
export const sweepStep: Step = { name: "sweep", prepare: async () => () => sweep(() => true) };
