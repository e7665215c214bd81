import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import { pause } from "../../../shared/platform/clock.ts";
import { money, type Narrator } from "./narrator.ts";

/** The Program's balances as a file, and its volumes by status. */
export async function report(client: Client, tell: Narrator, walletId: string): Promise<void> {
  const wallet = await unwrap(client.GET("/wallets/{walletId}", { params: { path: { walletId } } }));
  const span = { from: wallet.data.dateCreated.slice(0, 10), to: "2999-01-01" };
  const body = { kind: "balances", format: "csv", ...span } as const;
  const { data: asked } = await unwrap(client.POST("/reports", { body }));
  const params = { path: { reportId: asked.reportId } };
  const { data: volumes } = (await unwrap(
    client.GET("/volumes", { params: { query: { ...span, groupBy: "status" } } }),
  )) as { data: { total: { count: number; debitAmount: number; creditAmount: number } } };
  const { count, debitAmount, creditAmount } = volumes.total;
  let made = asked;
  for (let tries = 0; tries < 60 && made.status === "running"; tries += 1) {
    await pause(500);
    ({ data: made } = await unwrap(client.GET("/reports/{reportId}", { params })));
  }
  const file = made.url === undefined ? "" : await (await fetch(made.url)).text();
  tell.step(
    `A report of all balances is ${made.status}: ${made.rows} rows, ${made.bytes} bytes, with SHA-256`,
    ...file.split("\r\n").slice(0, 3),
    `${count} transactions debited ${money(debitAmount).trim()} and credited ${money(creditAmount).trim()}`,
  );
}
