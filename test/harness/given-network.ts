import type * as z from "zod";
import type { cardNetworkEvents } from "../../shared/contract/card-network.ts";
import "../../shared/ledger/hot/door.ts";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { handler } from "../../functions/processor-events/handler.ts";
import { type Card, cards } from "../../shared/cards/card.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import type { ProcessorEvent, ProcessorResult } from "../../shared/contract/processor.ts";
import { readAccount } from "../../shared/ledger/hot-wallets.ts";
import type { AppliedResult } from "../../shared/network-events/plan.ts";
import { environment } from "../../shared/platform/environment.ts";
import { newId } from "../../shared/platform/id.ts";
import { table } from "../../shared/platform/table/client.ts";
import { programs } from "../../shared/tenancy/programs/program.ts";
import { balancesIn, expectBooksInOrder } from "./books.ts";
import { givenStoredCard, givenStoredProgram } from "./given-stored.ts";
import { storedItems } from "./stored.ts";

type Sent = z.input<(typeof cardNetworkEvents)[number]>;

/** A card event without the fields that have defaults in tests. */
export type Told<E = Sent> = E extends Sent
  ? Omit<E, "eventId" | "programId" | "cardId"> & { eventId?: string; cardId?: string }
  : never;

/** A card, by default Active with 100.00, and its network by direct invocation. */
export async function givenNetwork({
  availableMinor = 10_000,
  status = CardStatus.active,
}: {
  availableMinor?: number;
  status?: CardStatus;
} = {}) {
  const programId = await givenStoredProgram();
  const cardId = await givenStoredCard(programId, CardStatus.active, availableMinor);
  // Its money came before: a closed Card takes no deposit.
  if (status !== CardStatus.active) await setAttributes(programId, cardId, { issuerCardStatus: status });
  const send = (event: Told): Promise<ProcessorResult> =>
    handler({ eventId: newId("event"), programId, cardId, ...event } as unknown as ProcessorEvent) as never;
  return {
    programId,
    cardId,
    send,
    /** Sends what must be applied. */
    apply: async (event: Told): Promise<AppliedResult> => {
      const result = await send(event);
      if (result.outcome !== "applied") throw new Error(`${event.kind} was refused: ${result.code}`);
      return result;
    },
    /** Available, held and ledger balance, once the whole of the books has been checked. */
    balances: async (id = cardId) => {
      const { availableMinor, heldMinor, ledgerMinor } = balancesIn(await expectBooksInOrder(programId), id);
      return [availableMinor, heldMinor, ledgerMinor];
    },
    /** The same, of the card alone and without the check. */
    cardBalances: async () => {
      const stored = await readAccount(programId, { kind: "card", accountId: cardId });
      return [stored?.availableMinor, stored?.heldMinor, stored?.ledgerMinor];
    },
    /** Transactions and fees of the card, oldest first. */
    records: async () => {
      const items = await storedItems(programId);
      return items.filter(({ sk }) => /^(TRANSACTION|FEE)#/.test(sk)) as unknown as Record<string, unknown>[];
    },
    record: async (id: string | undefined) => {
      const items = await storedItems(programId);
      return items.find(({ sk }) => sk.endsWith(`#${id}`)) as Record<string, unknown> | undefined;
    },
    everything: () => storedItems(programId),
    setStatus: (issuerCardStatus: CardStatus) => setAttributes(programId, cardId, { issuerCardStatus }),
    /** Writes attributes of the card's item, as no event of the network would. */
    setCard: (attributes: Partial<Card>) => setAttributes(programId, cardId, attributes),
    setProgram: (settings: object) => setProgramSettings(programId, settings),
  };
}

export type Network = Awaited<ReturnType<typeof givenNetwork>>;

export async function setAttributes(
  programId: string,
  cardId: string,
  attributes: Partial<Card>,
): Promise<void> {
  const names = Object.keys(attributes);
  await table.send(
    new UpdateCommand({
      TableName: environment.issuingTable,
      Key: cards.key(programId, cardId),
      UpdateExpression: `SET ${names.map((name) => `${name} = :${name}`).join(", ")}`,
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(attributes).map(([name, value]) => [`:${name}`, value]),
      ),
    }),
  );
}

export async function setProgramSettings(programId: string, settings: object): Promise<void> {
  const names = Object.keys(settings);
  await table.send(
    new UpdateCommand({
      TableName: environment.accountsTable,
      Key: programs.key(programId),
      UpdateExpression: `SET ${names.map((name) => `settings.#${name} = :${name}`).join(", ")}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(settings).map(([name, value]) => [`:${name}`, value]),
      ),
    }),
  );
}
