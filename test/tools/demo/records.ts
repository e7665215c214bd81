import { money } from "./narrator.ts";
import type { Stage } from "./story.ts";

/** The Card's month so far, in JSON and as a bank would send it. */
export async function readStatement({ call, client, tell }: Stage, cardId: string): Promise<void> {
  const months = await call("GET /cards/{cardId}/statements", { cardId });
  const path = { cardId, period: months.items[0]?.period ?? "" };
  const statement = await call("GET /cards/{cardId}/statements/{period}", path);
  const { openingBalance = 0, closingBalance = 0, lines = [], proof } = statement;
  const { data: xml } = await client.GET("/cards/{cardId}/statements/{period}", {
    params: { path, query: { format: "camt053" } },
    parseAs: "text",
  });
  tell.step(
    `The Card's statement of ${path.period}: ${lines.length} lines, in ${proof?.entries} journal entries`,
    `${openingBalance / 100} + ${(proof?.sum ?? 0) / 100} = ${closingBalance / 100}`,
    `as camt.053: ${String(xml).match(/<Ntry>/g)?.length ?? 0} entries`,
  );
}

/** The Program's balances as a file, and its volumes by status. */
export async function report({ call, tell }: Stage, walletId: string): Promise<void> {
  const { dateCreated } = await call("GET /wallets/{walletId}", { walletId });
  const span = { from: dateCreated.slice(0, 10), to: "2999-01-01" };
  const { reportId } = await call("POST /reports", {}, { kind: "balances", format: "csv", ...span });
  const { total } = await call("GET /volumes", {}, { ...span, groupBy: "status" });
  const { count, debitAmount = 0, creditAmount = 0 } = total;
  const made = await tell.until(
    () => call("GET /reports/{reportId}", { reportId }),
    ({ status }) => status !== "running",
  );
  const file = made.url === undefined ? "" : await (await fetch(made.url)).text();
  tell.step(
    `A report of all balances is ${made.status}: ${made.rows} rows, ${made.bytes} bytes, with SHA-256`,
    ...file.split("\r\n").slice(0, 3),
    `${count} transactions debited ${money(debitAmount)} and credited ${money(creditAmount)}`,
  );
}

/** The books of the day on which the Wallet was made: closed if the clock has moved on. */
export async function readBooks({ call, client, tell }: Stage, walletId: string): Promise<void> {
  const { dateCreated } = await call("GET /wallets/{walletId}", { walletId });
  const path = { date: dateCreated.slice(0, 10) };
  const { error } = await client.GET("/ledger/{date}", { params: { path } });
  if (error) return tell.step(`The books of ${path.date} are not closed yet`, error.code);
  const { data: journal = "" } = await client.GET("/ledger/{date}", {
    params: { path, query: { format: "hledger" } },
    parseAs: "text",
  });
  const lines = String(journal).split("\n");
  const isOwn = (line: string) => /^; (assets|equity|liabilities:[ns]|revenues)/.test(line);
  tell.step(
    `The books of ${path.date} for hledger: opening, debits, credits, closing`,
    ...lines.filter(isOwn).map((line) => line.slice(2)),
  );
}

/** What else can be seen: a Card on hold, lists, what is deprecated. */
export async function look({ call, client, tell }: Stage, cardId: string, walletId: string): Promise<void> {
  await call("PUT /cards/{cardId}/status", { cardId }, { status: 2 });
  const { status } = await call("GET /cards/{cardId}/status", { cardId });
  tell.step("The Card is put on hold", `status ${status} On Hold`);

  const { items, total } = await call("GET /authorizations", {}, { cardId, limit: 200 });
  const cleared = items.filter((one) => one.status === "cleared").length;
  const [declined] = items.flatMap(({ declineMessage }) => declineMessage ?? []);
  tell.step(
    "Each authorization tells what became of it",
    `${total} of the Card, ${cleared} of them cleared`,
    ...(declined === undefined ? [] : [declined]),
  );

  const lists = {
    "Approved Cardholders": await call("GET /cardholders", {}, { status: 1, limit: 3 }),
    "Cards on hold": await call("GET /cards", {}, { issuerCardStatus: 2, limit: 3 }),
    "transfers of the Wallet": await call("GET /wallets/{walletId}/transfers", { walletId }),
  };
  tell.step(
    "Lists know how many records match",
    ...Object.entries(lists).map(([name, page]) => `${name}: ${page.items.length} of ${page.total}`),
  );

  const { response } = await client.POST("/cards/{cardId}/deposit", { params: { path: { cardId } } });
  tell.step(
    "An old endpoint still answers, and says that it is deprecated",
    `Deprecation: ${response.headers.get("deprecation")}`,
    `Link: ${response.headers.get("link")}`,
  );
}
