import { expect, it } from "vitest";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";

async function givenWithdrawals(program: GivenProgram) {
  const { cardId } = await givenCard(program);
  const onCard = async (route: string, body: object) => {
    const answer = await program.call(`POST /cards/{cardId}/${route}`, { path: { cardId }, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body.data as Record<string, string>;
  };
  await onCard("deposits", { amount: 10_000, pending: false });
  const { transId, feeId } = await onCard("atm-withdrawals", { amount: 2_000, feeAmount: 250 });
  await onCard("atm-withdrawals", { amount: 1_000, feeAmount: 0 });
  await onCard("fees", { feeType: 2, amount: 300 });
  const path = { cardId, period: new Date().toISOString().slice(0, 7) };
  const view = (query: Record<string, string>) =>
    program.call("GET /cards/{cardId}/statements/{period}", { path, query });
  return { transId, feeId, view };
}

it("is one line of a withdrawal and its fee, if it is asked for, in each format", async () => {
  const { transId, feeId, view } = await givenWithdrawals(await givenProgram());
  const apart = (await view({})).body.data;
  const grouped = (await view({ group: "true" })).body.data;
  expect(apart.lines.map(({ amount }: { amount: number }) => amount)).toEqual([
    10_000, -2_000, -250, -1_000, -300,
  ]);
  expect(grouped.lines).toHaveLength(4);
  expect(grouped.lines[1]).toEqual({
    ...apart.lines[1],
    amount: -2_250,
    balance: 7_750,
    group: [
      { type: "cash", description: "Foreign Cash Withdrawal", amount: -2_000, transId },
      { type: "fee", description: "Foreign Cash Adv Fee", amount: -250, transId: feeId },
    ],
  });
  expect(grouped.lines[2]).toEqual(apart.lines[3]);
  expect({ ...grouped, lines: apart.lines }).toEqual(apart);
  const csv = (await view({ group: "true", format: "csv" })).body as unknown as string;
  expect(String(csv)).toContain("-2250");
  expect((await view({ group: "yes" })).status).toBe(422);
});
