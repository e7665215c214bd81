import { expect, vi } from "vitest";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { CardStatus } from "../../../shared/contract/enums.ts";
import { newId } from "../../../shared/platform/id.ts";
import { type GivenProgram, givenCard, givenWallet } from "../../harness/given-cards.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import type { Random } from "../../harness/random.ts";

/** The Cards and Wallets of a life. */
export interface Living {
  readonly cards: readonly string[];
  readonly wallets: readonly string[];
}

/** A record that a later operation may take back. */
interface Made {
  readonly cardId: string;
  readonly id: string;
}

/**
 * Random operations that move money, with up to `pauseMs` between: some are rejected, as in life.
 * @param after What happens after each.
 */
export async function livePlatform(
  program: GivenProgram,
  random: Random,
  steps: number,
  pauseMs = 4 * 3_600_000,
  after?: (living: Living) => Promise<void>,
): Promise<Living> {
  const { programId } = program;
  const wallets = [await givenWallet(program, 500_000), await givenWallet(program, 100_000)];
  const cards = [(await givenCard(program)).cardId, (await givenCard(program)).cardId];
  const closedCard = await givenStoredCard(programId, CardStatus.closed);
  const deposits: string[] = [];
  const purchases: Made[] = [];
  const refunds: Made[] = [];
  const fees: Made[] = [];
  const suspended: string[] = [];
  const call = async (route: string, path: Record<string, string>, body: object) => {
    const answer = await program.call(route as "POST /", { path, body });
    expect(answer.status, `${route} ${JSON.stringify(answer.body)}`).toBeLessThan(500);
    return answer.body.data;
  };
  for (let step = 0; step < steps; step += 1) {
    vi.setSystemTime(Date.now() + 1 + random.below(pauseMs));
    const amount = 1 + random.below(5_000);
    const cardId = random.pick(cards);
    const onCard = (route: string, body: object = { amount }) =>
      call(`POST /cards/{cardId}/${route}`, { cardId }, body);
    const onDeposit = (change: string) =>
      call(
        `POST /deposits/{depositId}/${change}`,
        { depositId: deposits.length > 0 ? random.pick(deposits) : newId("deposit") },
        {},
      );
    const takeBack = (made: readonly Made[], route: string) =>
      made.length > 0 ? call(`POST /cards/{cardId}/${route}`, ...pathAndBody(random.pick(made))) : undefined;
    const pathAndBody = ({ cardId, id }: Made) =>
      [{ cardId, transId: id, feeId: id }, { transId: id }] as const;
    const keep = (into: string[], id: string | undefined) => id && into.push(id);
    const keepMade = (into: Made[], id: string | undefined) => id && into.push({ cardId, id });
    const tell = (kind: string, details: object) =>
      processor({ programId, eventId: newId("event"), kind, ...details } as never);
    const onNetwork = (kind: string, authorization: number) =>
      tell(kind, { cardId, authorizationId: `aut-${authorization}`, amount });
    const bank = (depositId: string) => ({
      ...{ accountType: 1, accountId: closedCard, amount, channel: "bank", depositId },
    });
    const operations: (() => Promise<unknown> | undefined)[] = [
      () => onCard("bank-deposit", { amount, reference: `Invoice ${amount}` }),
      async () => keep(deposits, (await onCard("deposits"))?.depositId),
      async () => {
        const path = { walletId: random.pick(wallets) };
        keep(deposits, (await call("POST /wallets/{walletId}/deposits", path, { amount }))?.depositId);
      },
      () => onDeposit("clear"),
      () => onDeposit("reverse"),
      () => onDeposit("return"),
      () => {
        const [sourceWalletId, other] = random.shuffle(wallets);
        const isToCard = random.chance(0.5);
        const destinationId = isToCard ? cardId : other;
        const body = { sourceWalletId, destinationType: isToCard ? 1 : 0, destinationId, amount };
        return call("POST /wallets/transfer", {}, body);
      },
      () => onCard("unload", { walletId: random.pick(wallets), amount }),
      () => onNetwork("authorization", step),
      () => onNetwork("authorization", step),
      () => onNetwork("clearing", step - 1 - random.below(5)),
      () => onNetwork("authorization_reversal", step - 1 - random.below(5)),
      async () => keepMade(purchases, (await onCard("force-post"))?.transId),
      () => onCard("force-post", { amount, srcAmount: amount, srcCurrency: "978" }),
      () => takeBack(purchases, "chargebacks"),
      async () => keepMade(fees, (await onCard("fees", { feeType: 2, amount }))?.feeId),
      () => takeBack(fees, "fees/{feeId}/reverse"),
      async () => keepMade(refunds, (await onCard("refunds"))?.transId),
      () => takeBack(refunds, "refunds/{transId}/reverse"),
      () => onCard("atm-withdrawals"),
      async () => {
        if (random.chance(0.1)) await onCard("close", { sweepToWalletId: random.pick(wallets) });
      },
      async () => {
        const depositId = newId("deposit");
        suspended.push(depositId);
        await tell("deposit_cleared", bank(depositId));
      },
      async () => {
        const [depositId] = random.shuffle(suspended);
        const suspenseId = depositId?.replace("dep_", "sus_");
        const command = random.chance(0.5) ? "return-suspense" : "assign-suspense";
        const input = { programId, suspenseId, walletId: random.pick(wallets) };
        // One that is settled already is rejected.
        if (suspenseId) await program.operate(command, input).catch(() => undefined);
      },
    ];
    await random.pick(operations)();
    await after?.({ cards, wallets });
  }
  return { cards, wallets };
}
