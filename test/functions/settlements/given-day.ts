import { handler } from "../../../functions/processor-events/handler.ts";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import type { SettlementView } from "../../../shared/contract/settlements.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { type GivenProgram, givenProgram, type ProgramOptions } from "../../harness/given-cards.ts";
import type { Told } from "../../harness/given-network.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";

export type FileRecord = Readonly<Record<string, unknown>>;

/** A Program with a Card, its network, and today's settlement. */
export async function givenDay(options: ProgramOptions = {}) {
  const program = await givenProgram(options);
  const { programId } = program;
  const cardId = await givenStoredCard(programId, 1, 1_000_000);
  return { ...program, cardId, ...toTokenNetwork(program, cardId), today: () => timestamp().slice(0, 10) };
}

export function toTokenNetwork({ programId, call }: GivenProgram, cardId: string) {
  const send = async (event: Told) => {
    const whole = { eventId: newId("event"), programId, cardId, ...event };
    return (await handler(whole as unknown as ProcessorEvent)) as unknown as Record<string, unknown>;
  };
  const date = timestamp().slice(0, 10);
  return {
    send,
    apply: async (event: Told) => {
      const result = await send(event);
      if (result.outcome !== "applied") throw new Error(`${event.kind}: ${JSON.stringify(result)}`);
      return result as { transId: string; authorizationId: string };
    },
    view: async (day = date): Promise<SettlementView> => {
      const { status, body } = await call("GET /settlements/{date}", { path: { date: day } });
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body.data;
    },
    feed: async (fileId: string, transactions: readonly FileRecord[], day = date) => {
      const body = { fileId, transactions };
      return call("POST /settlements/{date}/file", { path: { date: day }, body });
    },
  };
}

export const record = (referenceCode: string, amount: number, more: FileRecord = {}): FileRecord => ({
  ...{ referenceCode, amount, type: "DR", currency: "840" },
  ...more,
});
