import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { SQSEvent } from "aws-lambda";
import { afterEach, describe, expect, it, vi } from "vitest";
import { expireHold } from "../../../functions/deadlines/due-network-events.ts";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { CardStatus, DestinationType, TransactionType } from "../../../shared/contract/enums.ts";
import { newId } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { givenSandbox } from "../../functions/sandbox/given-sandbox.ts";
import { operate } from "../../harness/administration.ts";
import { givenStoredCard, givenStoredWallet } from "../../harness/given-stored.ts";

type Sandbox = Awaited<ReturnType<typeof givenSandbox>>;

afterEach(() => {
  vi.restoreAllMocks();
});

const authorizationId = newId("hold");

/** Of the processor and, by their route and body, of the sandbox. */
interface Event {
  readonly kind: string;
  readonly route: string;
  readonly body: { readonly amount?: number };
}

/** The life of an authorization, and what posts without one. */
const events: readonly Event[] = (
  [
    ["authorization_advice", "/cards/{cardId}/authorization-advices", { authorizationId, amount: 1_000 }],
    ["authorization_incremental", "/authorizations/{authorizationId}/increment", { amount: 200 }],
    ["authorization_incremental", "/authorizations/{authorizationId}/increment", { amount: 999_999 }],
    ["authorization_reversal", "/authorizations/{authorizationId}/reverse", { amount: 100 }],
    ["clearing", "/authorizations/{authorizationId}/clear", { amount: 300, final: false }],
    ["authorization_expiry", "/authorizations/{authorizationId}/expire", {}],
    ["refund", "/cards/{cardId}/refunds", { amount: 50 }],
    ["atm_withdrawal", "/cards/{cardId}/atm-withdrawals", { amount: 400, feeAmount: 20 }],
  ] as const
).map(([kind, route, body]) => ({ kind, route, body }));

/** What the processor sends. */
const toEvent = ({ programId, cardId }: Sandbox, { kind, route, body }: Event) => ({
  ...{ programId, cardId, eventId: newId("event"), kind, ...body },
  ...(route.includes("{authorizationId}") && { authorizationId }),
});

const direct = (sandbox: Sandbox, event: Event) => processor(toEvent(sandbox, event));

const queued = async (sandbox: Sandbox, event: Event) => {
  const attributes = { ApproximateFirstReceiveTimestamp: String(Date.now()) };
  const body = JSON.stringify(toEvent(sandbox, event));
  const Records = [{ messageId: "one", body, attributes, messageAttributes: {} }];
  expect(await processor({ Records } as unknown as SQSEvent)).toEqual({ batchItemFailures: [] });
};

const requested = async (sandbox: Sandbox, { route, body }: Event, headers = {}) => {
  const path: Record<string, string> = route.startsWith("/cards")
    ? { cardId: sandbox.cardId }
    : { authorizationId };
  const sent = Object.keys(body).length > 0 ? body : undefined;
  expect(await sandbox.post(route, path, sent, headers)).toMatchObject({ status: 200 });
};

const entrances: Record<string, (sandbox: Sandbox, event: Event) => Promise<unknown>> = {
  "direct invocation": direct,
  "the queue": queued,
  "the sandbox": requested,
  "the sandbox with an Idempotency-Key": (sandbox, event) =>
    requested(sandbox, event, { "Idempotency-Key": newId("event") }),
  "the deadline of its hold": async (sandbox, event) => {
    if (event.kind !== "authorization_expiry") return direct(sandbox, event);
    const inAMonth = new Date(Date.now() + 30 * 86_400_000);
    expect(await expireHold(sandbox.programId, authorizationId, inAMonth)).toBe(true);
  },
};

/** The card after each event, and its records. An expiry at the deadline has a type of its own. */
async function lifeThrough(enter: (sandbox: Sandbox, event: Event) => Promise<unknown>) {
  const sandbox = await givenSandbox();
  const balances: unknown[] = [];
  for (const event of events) {
    await enter(sandbox, event);
    balances.push([event.kind, ...(await sandbox.cardBalances())]);
  }
  await sandbox.balances();
  const records = (await sandbox.records()).map(({ transType, transStatus, type, amountMinor }) => [
    transType === TransactionType.authorization_reversal_issuerexpiration
      ? TransactionType.authorizationexpiry
      : transType,
    transStatus,
    type,
    amountMinor,
  ]);
  return { balances, records: records.map(String).toSorted() };
}

describe("an event of the card network", () => {
  it("does the same through every entrance", async () => {
    const first = await lifeThrough(direct);
    expect(first.balances.at(-1)).toEqual(["atm_withdrawal", 9_330, 0, 9_330]);
    for (const [entrance, enter] of Object.entries(entrances)) {
      expect(await lifeThrough(enter), entrance).toEqual(first);
    }
  });

  it("answers the balances of the account that a deposit was assigned to while it cleared", async () => {
    const sandbox = await givenSandbox();
    const { programId } = sandbox;
    const accountId = await givenStoredCard(programId, CardStatus.closed);
    const walletId = await givenStoredWallet(programId, 5_000);
    const account = { accountType: DestinationType.card, accountId };
    const event = { kind: "deposit_pending", programId, eventId: newId("event"), ...account, amount: 100 };
    const { depositId, suspenseId } = (await processor(event)) as Record<string, string>;
    const real = table.send.bind(table);
    vi.spyOn(table, "send").mockImplementation((async (command: never) => {
      if ((command as unknown) instanceof TransactWriteCommand) {
        vi.mocked(table.send).mockImplementation(real as never);
        await operate("assign-suspense", { programId, suspenseId, walletId });
      }
      return real(command);
    }) as never);
    const route = "/deposits/{depositId}/clear";
    const path = { depositId: depositId ?? "" };
    const { status, body } = await sandbox.post(route, path, undefined, { "Idempotency-Key": "clear" });
    expect([status, body.data]).toEqual([200, { depositId, availableBalance: 5_100, ledgerBalance: 5_100 }]);
  });
});
