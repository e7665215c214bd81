import { createHash } from "node:crypto";
import { png } from "../../harness/given-documents.ts";
import { money } from "./narrator.ts";
import type { Stage } from "./story.ts";

/** Money comes from a bank into a new Wallet. */
export async function fundWallet({ call, tell }: Stage, cardId: string): Promise<string> {
  const { walletId, creditorReference } = await call("POST /wallets", {}, { name: "Demo" });
  tell.follow(
    { name: "Wallet", read: () => call("GET /wallets/{walletId}", { walletId }) },
    { name: "Card", read: () => call("GET /cards/{cardId}/balance", { cardId }) },
  );
  const deposit = { amount: 50_000, reference: "Demo" };
  const { depositId } = await call("POST /wallets/{walletId}/bank-deposit", { walletId }, deposit);
  tell.step(
    `${money(deposit.amount)} come into a new Wallet from a bank`,
    `${depositId}, cleared at once; payers would write ${creditorReference}`,
  );
  await tell.balances();
  return walletId;
}

/** Transfers to the Card: approved, repeated, declined, partial. */
export async function transfer(
  { call, tell }: Stage,
  sourceWalletId: string,
  destinationId: string,
): Promise<void> {
  const order = { sourceWalletId, destinationType: 1, destinationId } as const;
  const send = (more: { amount: number; allowPartial?: boolean }, key?: string) =>
    call("POST /wallets/transfer", {}, { ...order, ...more }, key);
  const key = `demo-${destinationId}`;
  const first = await send({ amount: 20_000 }, key);
  tell.step("200.00 USD go from the Wallet to the Card", outcome(first));
  await tell.balances();

  const again = await send({ amount: 20_000 }, key);
  tell.step(
    "The same request with the same Idempotency-Key moves nothing more",
    again.transferId === first.transferId ? "the first answer again" : "another transfer!",
  );
  await tell.balances();

  tell.step("900.00 USD are more than there is: declined", outcome(await send({ amount: 90_000 })));
  await tell.balances();

  const partial = await send({ amount: 90_000, allowPartial: true });
  tell.step("The same, but a part will do", outcome(partial));
  await tell.balances();
}

interface Transferred {
  readonly transferId: string;
  readonly transStatus: number;
  /** Absent from the type of a declined one. */
  readonly transferredAmount?: number;
  readonly declineReason?: string | undefined;
}

function outcome({ transferId, transStatus, transferredAmount = 0, declineReason }: Transferred): string {
  const names = ["Pending", "Approved", "Declined", "Partial", "Error"];
  const reason = declineReason ? ` (${declineReason})` : "";
  return `${transferId}, ${names[transStatus]}${reason}: ${money(transferredAmount)} moved`;
}

/** A deposit on the Card is pending, and clears. */
export async function receiveDigitalAssets({ call, tell }: Stage, cardId: string): Promise<void> {
  const deposit = { amount: 7_500, chain: "bitcoin", asset: "BTC" } as const;
  const { depositId } = await call("POST /sandbox/cards/{cardId}/deposits", { cardId }, deposit);
  tell.step("Digital assets worth 75.00 USD arrive on the Card, not yet confirmed", `${depositId}, pending`);
  await tell.balances();
  await call("POST /sandbox/deposits/{depositId}/clear", { depositId });
  tell.step("The deposit clears");
  await tell.balances();
}

/** A purchase is held and settles, and a fee is charged. Returns the settled purchase. */
export async function pay({ call, tell }: Stage, cardId: string): Promise<string> {
  const purchase = { amount: 3_000, merchantName: "Corner Shop", mcc: "5411" };
  const { authorizationId } = await call("POST /sandbox/cards/{cardId}/authorizations", { cardId }, purchase);
  tell.step("A shop asks for 30.00 USD: approved, and held", authorizationId);
  await tell.balances();
  const clear = "POST /sandbox/authorizations/{authorizationId}/clear";
  const { transId } = await call(clear, { authorizationId }, { amount: 3_150 });
  tell.step("It settles for 31.50 USD: the hold goes, the money too", transId);
  await tell.balances();
  const fee = await call("POST /sandbox/cards/{cardId}/fees", { cardId }, { feeType: 2, amount: 100 });
  tell.step("A maintenance fee of 1.00 USD is charged", fee.feeId);
  await tell.balances();
  return transId;
}

/** The Cardholder disputes the purchase, uploads a receipt, and wins. */
export async function disputePurchase({ call, tell }: Stage, referenceCode: string): Promise<void> {
  const dispute = await call("POST /disputes", {}, { referenceCode, reason: "not_received" });
  const { disputeId } = dispute;
  const named = { fileName: "receipt.png", contentType: "image/png" } as const;
  const upload = await call("POST /disputes/{disputeId}/evidence", { disputeId }, named);
  const receipt = png(40, 30);
  const headers = { "content-type": "image/png" };
  await fetch(upload.uploadUrl, { method: "PUT", body: new Uint8Array(receipt), headers });
  const path = { disputeId, evidenceId: upload.evidenceId };
  const view = () => call("GET /disputes/{disputeId}/evidence/{evidenceId}", path);
  const piece = await tell.until(view, ({ status }) => status !== "pending");
  const sha256 = createHash("sha256").update(receipt).digest("hex");
  if (piece.sha256 !== sha256) throw new Error(`The evidence is ${piece.status} ${piece.reason ?? ""}`);
  const download = await fetch(piece.downloadUrl ?? "");
  if (!Buffer.from(await download.arrayBuffer()).equals(receipt)) throw new Error("Another file is kept.");
  tell.step(
    "The purchase is disputed, and the receipt is uploaded by a URL, checked and hashed",
    `${disputeId}, ${dispute.status}, liability ${dispute.liability.remaining} open`,
    `${piece.fileName}, ${piece.size} bytes, SHA-256 ${sha256.slice(0, 16)}…: ${piece.status}`,
  );
  const { status, creditDue } = await call("POST /disputes/{disputeId}/submit", { disputeId });
  await call("POST /sandbox/disputes/{disputeId}/outcome", { disputeId }, { status: "won" });
  const won = await call("GET /disputes/{disputeId}", { disputeId });
  const { original, recovered, remaining } = won.liability;
  tell.step(
    "The dispute is submitted, and the network decides for the Cardholder",
    `${status}, credit due ${creditDue?.slice(0, 10) ?? "at once"}; then ${won.status}`,
    `of ${money(original)} the network pays back ${money(recovered)}, ${money(remaining)} stays open`,
  );
}

/** What the network says of today, and what the report makes of it. */
export async function settle({ call, tell }: Stage, cardId: string): Promise<void> {
  const purchase = { amount: 2_500, merchantName: "Corner Shop", interchange: 15 };
  const { transId } = await call("POST /sandbox/cards/{cardId}/force-post", { cardId }, purchase);
  // By the platform's clock: the newest transaction is of today.
  const newest = { limit: 1, orderBy: "transDate", sort: "desc" } as const;
  const { items } = await call("GET /cards/transactions", {}, newest);
  const { dateCreated } = items.find(({ isAggregate }) => !isAggregate) ?? items[0] ?? {};
  const date = String(dateCreated).slice(0, 10);
  const common = { type: "DR", currency: "840" } as const;
  const transactions = [
    { ...common, referenceCode: transId, amount: 2_400, interchange: 15 },
    { ...common, referenceCode: `unknown-${transId}`, amount: 990 },
  ];
  const file = { fileId: `demo-${transId}`, transactions };
  await call("POST /sandbox/settlements/{date}/file", { date }, file);
  const { gross, interchange, net, reconciliation } = await call("GET /settlements/{date}", { date });
  tell.step(
    "The network says what it has settled today, and errs twice: the report names both",
    `gross ${money(gross)} less interchange ${money(interchange)} is ${money(net)}`,
    ...reconciliation.differing.map(
      ({ stated, ledger }) => `it states ${money(stated.amount)} of ${money(ledger.amount)}`,
    ),
    ...reconciliation.missing
      .filter(({ side }) => side === "ledger")
      .map((one) => `never posted: ${one.referenceCode}`),
  );
}

/** A bank account is proven, paid to and pulled from, and what the bank says is booked. */
export async function moveBankMoney(stage: Stage, walletId: string): Promise<void> {
  const { call, tell } = stage;
  const externalAccountId = await proveAccount(stage);
  const ids = { walletId, externalAccountId };
  await call("POST /wallets/{walletId}/bank-deposit", { walletId }, { amount: 2_000 });
  const payout = await call("POST /payouts", {}, { ...ids, amount: 1_500, reference: "INVOICE-7" });
  const { payoutId } = payout;
  tell.step("15.00 USD are to be paid out of the Wallet, which holds them", `${payoutId}, ${payout.status}`);
  await tell.balances();
  const paid = "POST /sandbox/payouts/{payoutId}/outcome";
  await call(paid, { payoutId }, { status: "completed" });
  tell.step("The bank books the payout: the money has left", payout.endToEndId);
  await tell.balances();
  const back = { status: "returned", amount: 1_450, reasonCode: "AM09" } as const;
  const { status, returnedAmount = 0, reasonCode } = await call(paid, { payoutId }, back);
  tell.step(`It comes back, less the bank's charge: ${money(returnedAmount)}`, `${status}, ${reasonCode}`);
  await tell.balances();

  // By a mandate: pending until the hold days are over, and back with its payer if that one asks.
  const mandates = "POST /external-accounts/{externalAccountId}/mandates";
  const { mandateId } = await call(mandates, { externalAccountId }, { signedAt: "2026-11-01" });
  const { pullId } = await call("POST /pulls", {}, { ...ids, mandateId, amount: 4_000 });
  const pulled = "POST /sandbox/pulls/{pullId}/outcome";
  const collected = await call(pulled, { pullId }, { status: "collected" });
  tell.step(
    "40.00 USD are pulled from the account: in the ledger at once",
    `${pullId}, ${collected.status}, available on ${String(collected.availableOn).slice(0, 10)}`,
  );
  await tell.balances();
  await call(pulled, { pullId }, { status: "returned", reasonCode: "MD06" });
  tell.step("Its payer has it back: the Wallet has what it had before");
  await tell.balances();
}

async function proveAccount({ call, tell }: Stage): Promise<string> {
  const account = {
    ...({ holderName: "Ada Lovelace", holderType: "person", accountType: "checking" } as const),
    ...{ routingNumber: "021000021", accountNumber: String(Date.now()) },
  };
  const { externalAccountId } = await call("POST /external-accounts", {}, account);
  const path = { externalAccountId };
  const verification = "POST /external-accounts/{externalAccountId}/verification";
  await call(verification, path, { method: "micro_deposits" });
  const shown = await call("GET /sandbox/external-accounts/{externalAccountId}/micro-deposits", path);
  const [first = 0, second = 0] = shown.amounts;
  const { status } = await call(`${verification}/confirm`, path, { amounts: [second, first] });
  tell.step(
    "A bank account is proven: its holder tells two small amounts from the statement",
    `${externalAccountId}, ${status} by ${first} and ${second} cents`,
  );
  return externalAccountId;
}

/** Cards that spend from one Wallet, up to a limit, and a Card that is topped up from it. */
export async function spendFromWallet({ call, tell }: Stage, cardholderId: string): Promise<void> {
  const { walletId, name } = await call("POST /wallets", {}, { name: "Travel" });
  await call("POST /sandbox/wallets/{walletId}/deposits", { walletId }, { amount: 10_000, pending: false });
  const card = { cardholderId, cardForm: 0, cardType: 0 } as const;
  const buy = (path: { cardId: string }, amount: number) =>
    call("POST /sandbox/cards/{cardId}/authorizations", path, { amount, merchantName: "Railway" });
  const spendLimit = { amount: 3_000, window: "day" } as const;
  const limited = await call("POST /cards", {}, { ...card, fundingWalletId: walletId, spendLimit });
  tell.step(
    `A Card spends from the Wallet "${name}", at most ${money(spendLimit.amount)} a day`,
    `${limited.cardId} has no balance of its own`,
  );
  const path = { cardId: limited.cardId };
  await buy(path, 2_500);
  const { declineReason } = await buy(path, 1_000);
  const { remaining = 0 } = await call("GET /cards/{cardId}/funding", path);
  const left = await call("GET /wallets/{walletId}", { walletId });
  tell.step(
    "It pays a train, and a second one is too much",
    `${declineReason}: ${money(remaining)} of the limit are left`,
    `the Wallet holds ${money(left.ledgerBalance - left.availableBalance)}`,
  );

  const { cardId } = await call("POST /cards", {}, { ...card, load: { walletId, amount: 1_500 } });
  const rule = { walletId, threshold: 1_000, amount: 2_000, active: true };
  await call("PUT /cards/{cardId}/top-up", { cardId }, rule);
  await buy({ cardId }, 1_200);
  const { availableBalance } = await tell.until(
    () => call("GET /cards/{cardId}/balance", { cardId }),
    (balance) => balance.availableBalance >= rule.threshold,
  );
  tell.step(
    `Another Card has money of its own, and is topped up below ${money(rule.threshold)}`,
    `after a purchase, ${money(rule.amount)} come by themselves: available ${money(availableBalance)}`,
  );
}
