import { vi } from "vitest";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { CardStatus } from "../../../shared/contract/enums.ts";
import { newId } from "../../../shared/platform/id.ts";
import { type GivenProgram, givenCard, givenWallet } from "../../harness/given-cards.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import type { Random } from "../../harness/random.ts";

/** Random operations that move money, with hours between: some are rejected, as in life. */
export async function livePlatform(program: GivenProgram, random: Random, steps: number): Promise<void> {
  const { programId, call } = program;
  const wallets = [await givenWallet(program, 500_000), await givenWallet(program, 100_000)];
  const cards = [(await givenCard(program)).cardId, (await givenCard(program)).cardId];
  const closedCard = await givenStoredCard(programId, CardStatus.closed);
  const deposits: string[] = [];
  const purchases: string[] = [];
  const suspended: string[] = [];
  for (let step = 0; step < steps; step += 1) {
    vi.setSystemTime(Date.now() + 1 + random.below(4 * 3_600_000));
    const amount = 1 + random.below(5_000);
    const onCard = (route: string, body: object) =>
      call(route as "POST /", { path: { cardId: random.pick(cards) }, body });
    const onDeposit = (change: string) =>
      call(`POST /deposits/{depositId}/${change}`, {
        path: { depositId: deposits.length > 0 ? random.pick(deposits) : newId("deposit") },
      });
    const keep = (into: string[], id: string | undefined) => id && into.push(id);
    const tell = (kind: string, details: object) =>
      processor({ programId, eventId: newId("event"), kind, ...details } as never);
    const onNetwork = (kind: string, authorization: number) =>
      tell(kind, { cardId: random.pick(cards), authorizationId: `aut-${authorization}`, amount });
    const bank = (depositId: string) => ({
      ...{ accountType: 1, accountId: closedCard, amount, channel: "bank", depositId },
    });
    const operations: (() => Promise<unknown>)[] = [
      () => onCard("POST /cards/{cardId}/bank-deposit", { amount }),
      async () =>
        keep(deposits, (await onCard("POST /cards/{cardId}/deposits", { amount })).body.data?.depositId),
      async () => {
        const path = { walletId: random.pick(wallets) };
        const { body } = await call("POST /wallets/{walletId}/deposits", { path, body: { amount } });
        keep(deposits, body.data?.depositId);
      },
      () => onDeposit("clear"),
      () => onDeposit("reverse"),
      () => onDeposit("return"),
      () => {
        const [sourceWalletId, other] = random.shuffle(wallets);
        const isToCard = random.chance(0.5);
        const destinationId = isToCard ? random.pick(cards) : other;
        const body = { sourceWalletId, destinationType: isToCard ? 1 : 0, destinationId, amount };
        return call("POST /wallets/transfer", { body });
      },
      () => onCard("POST /cards/{cardId}/unload", { walletId: random.pick(wallets), amount }),
      () => onNetwork("authorization", step),
      () => onNetwork("authorization", step),
      () => onNetwork("clearing", step - 1 - random.below(5)),
      () => onNetwork("authorization_reversal", step - 1 - random.below(5)),
      async () =>
        keep(purchases, (await onCard("POST /cards/{cardId}/force-post", { amount })).body.data?.transId),
      () => onCard("POST /cards/{cardId}/fees", { feeType: 2, amount }),
      () => onCard("POST /cards/{cardId}/refunds", { amount }),
      () => onCard("POST /cards/{cardId}/atm-withdrawals", { amount }),
      async () => {
        const depositId = newId("deposit");
        suspended.push(depositId);
        await tell("deposit_cleared", bank(depositId));
      },
      async () => {
        const [depositId] = random.shuffle(suspended);
        const suspenseId = depositId?.replace("dep_", "sus_");
        if (suspenseId)
          await program.operate(random.chance(0.5) ? "return-suspense" : "assign-suspense", {
            programId,
            suspenseId,
            walletId: random.pick(wallets),
          });
      },
    ];
    await random
      .pick(operations)()
      .catch(() => undefined);
  }
}
