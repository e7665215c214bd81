import { compactDecrypt, exportJWK, generateKeyPair } from "jose";
import { createRevealKey, encryptPin } from "../../../client/device.ts";
import { jsonLines, unwrap } from "../../../client/src/card-issuing.ts";
import { shippingAddress } from "../../harness/given-cards.ts";
import { operateOn } from "../../harness/given-live-program.ts";
import { person } from "../../harness/person.ts";
import { money } from "./narrator.ts";
import type { Stage } from "./story.ts";

/** A Cardholder passes the compliance review. */
export async function approveCardholder({ call, tell }: Stage): Promise<string> {
  const { cardholderId, status } = await call("POST /cardholders", {}, person);
  tell.step("A Cardholder is created", `${cardholderId}, status ${status} Draft`);
  const { kycUrl, ...submitted } = await call("POST /cardholders/{cardholderId}/submit", { cardholderId });
  tell.step(
    "and submitted for compliance review",
    `status ${submitted.status} Under Review, to be continued at ${kycUrl}`,
  );
  const body = new URLSearchParams({ outcome: "approved" });
  const answer = await fetch(kycUrl ?? "", { method: "POST", body });
  const decided = await call("GET /cardholders/{cardholderId}", { cardholderId });
  tell.step(
    "The compliance provider of this machine approves on its page",
    `it answers ${answer.status}; status ${decided.status} Approved`,
  );
  return cardholderId;
}

/** A virtual Card is issued to the Cardholder. */
export async function issueCard({ call, tell }: Stage, cardholderId: string): Promise<string> {
  const card = await call("POST /cards", {}, { cardholderId, cardForm: 0, cardType: 0 });
  const { cardId, maskedCardNumber, issuerCardStatus, cryptoAddresses } = card;
  tell.step(
    "A virtual Card is issued",
    `${cardId}, ${maskedCardNumber}, status ${issuerCardStatus} Active, deposit addresses:`,
    ...cryptoAddresses.map(({ chain, address }) => `${chain.padEnd(8)} ${address}`),
  );
  return cardId;
}

/** The Cardholder's device reads the Card's number and sets a PIN; the Program sees neither. */
export async function useDevice({ call, tell }: Stage, cardId: string): Promise<void> {
  const { publicKey, open } = await createRevealKey();
  const answer = await call("POST /cards/{cardId}/reveal", { cardId }, { publicKey });
  const { cardNumber, expiryMonth, expiryYear } = await open(answer.jwe);
  tell.step(
    "The Card is revealed to the Cardholder's device, which alone can decrypt it",
    `${cardNumber.slice(0, 6)}******${cardNumber.slice(-4)} ${expiryMonth}/${expiryYear}, code ***, until ${answer.expiresAt}`,
  );
  const { jwk } = await call("GET /vault/key");
  const jwe = await encryptPin(jwk, "8271", cardId);
  const { transId } = await call("PUT /cards/{cardId}/pin", { cardId }, { jwe });
  tell.step("The device sets a PIN, encrypted for the vault", `${transId}, type 74`);
}

interface Batch {
  readonly cards: readonly { readonly cardNumber: string; readonly nameOnCard: string }[];
}

/** A physical Card is issued, embossed by a bureau that the demo plays, and shipped. */
export async function produceCard(
  { call, tell, connection }: Stage,
  programId: string,
  cardholderId: string,
): Promise<void> {
  const order = { cardholderId, cardForm: 1, cardType: 0, shippingAddress } as const;
  const { cardId, maskedCardNumber, issuerCardStatus, shipping } = await call("POST /cards", {}, order);
  tell.step(
    "A physical Card is issued, and production.requested is in the queue for others",
    `${cardId}, ${maskedCardNumber}, status ${issuerCardStatus} Not Activated, shipping ${shipping?.status}`,
  );
  const keys = await generateKeyPair("ECDH-ES", { crv: "P-256" });
  const publicKey = await exportJWK(keys.publicKey);
  const exported = await operateOn(connection, "export-production", { programId, publicKey });
  const { plaintext } = await compactDecrypt(exported.jwe ?? "", keys.privateKey);
  const { cards }: Batch = JSON.parse(new TextDecoder().decode(plaintext));
  const embossed = cards.map(
    ({ cardNumber, nameOnCard }) => `${nameOnCard}, number ending in ${cardNumber.slice(-4)}`,
  );
  tell.step("A bureau gets it in a batch that only its key opens", `${exported.batchId}`, ...embossed);
  const shipped = { status: "shipped", trackingNumber: "00340434161094042557", carrier: "DHL" } as const;
  const { shipping: sent } = await call("POST /sandbox/cards/{cardId}/shipping", { cardId }, shipped);
  tell.step("and ships it", `shipping ${sent?.status}, ${sent?.carrier} ${sent?.trackingNumber}`);
}

/** A Card with its controls and its money at once, and a file of others. */
export async function issueMany(stage: Stage, cardholderId: string, walletId: string): Promise<void> {
  const { call, tell, client } = stage;
  const card = { cardholderId, cardForm: 0, cardType: 0 } as const;
  const load = { walletId, amount: 1_500 };
  const issued = await call("POST /cards", {}, { ...card, singleUse: true, load });
  tell.step(
    "A Card for one purchase is issued with money on it",
    `${issued.cardId}, ${money(load.amount)} by ${issued.load?.transferId}`,
  );
  const lines = [1, 2, 3].map((number) => ({ ...card, externalId: `${issued.cardId}-${number}`, load }));
  const { data: begun } = await unwrap(client.POST("/cards/bulk", jsonLines([...lines, lines[0] ?? {}, {}])));
  const bulk = () => call("GET /bulk/{bulkId}", { bulkId: begun.bulkId });
  const { succeeded, duplicates, failed } = await tell.until(bulk, ({ status }) => status === "done");
  tell.step(
    "A file of five lines is done in the background",
    `${succeeded} Cards issued, ${duplicates} there already, ${failed} refused`,
  );
  await tell.balances();
}

/** A phone gets a token, a purchase is authenticated, and the Card is lost: it goes on as one. */
export async function loseCard(stage: Stage, cardId: string): Promise<void> {
  const { call, tell } = stage;
  const tokenId = await addToWallet(stage, cardId);
  const authenticationId = await authenticateInApp(stage, cardId);
  const { plasticId } = await call("GET /cards/{cardId}", { cardId });
  const buy = (more: { tokenId?: string; authenticationId?: string; plasticId?: string }) => {
    const purchase = { amount: 100, merchantName: "Web Shop", entryMode: "ecommerce", ...more } as const;
    return call("POST /sandbox/cards/{cardId}/authorizations", { cardId }, purchase);
  };
  const held = await buy({ authenticationId });
  tell.step("The purchase names its authentication", outcome(held));

  const made = await call("POST /cards/{cardId}/replace", { cardId }, { reason: "lost" });
  tell.step(
    "The Card is lost: another number replaces it at once",
    `${made.maskedCardNumber}, ${made.state}`,
  );
  tell.step("The old number is stopped", outcome(await buy({ plasticId: String(plasticId) })));
  tell.step("The phone's token goes on", outcome(await buy({ tokenId })));
  if (held.approved) {
    const { authorizationId } = held;
    await call("POST /sandbox/authorizations/{authorizationId}/clear", { authorizationId }, {});
    tell.step("What was held on the old number is settled", authorizationId);
  }
  const { items } = await call("GET /account-updates", {}, { cardId });
  tell.step(
    "Merchants that keep the number can be told, without the number",
    ...items.map(({ kind, oldNumberHash }) => `${kind} of ${oldNumberHash.slice(0, 12)}…`),
  );
}

function outcome({ approved, declineReason }: { approved: boolean; declineReason?: string | undefined }) {
  return approved ? "approved" : `declined: ${declineReason}`;
}

async function addToWallet({ call, tell }: Stage, cardId: string): Promise<string> {
  const asked = { wallet: "apple_pay", device: { type: "phone" } } as const;
  const { tokenId, state } = await call("POST /sandbox/cards/{cardId}/token-requests", { cardId }, asked);
  tell.step("A phone asks for a token of the Card", `${tokenId}, ${state}`);
  const verified = await call("POST /tokens/{tokenId}/verify", { tokenId }, { outcome: "approved" });
  tell.step("The Cardholder agrees in the Tenant's app", verified.state);
  return tokenId;
}

async function authenticateInApp({ call, tell }: Stage, cardId: string): Promise<string> {
  const purchase = { amount: 100, merchantName: "Web Shop" };
  const asked = await call("POST /sandbox/cards/{cardId}/authentications", { cardId }, purchase);
  const { authenticationId, state, challenge } = asked;
  tell.step("A web shop asks for 3-D Secure", `${authenticationId}, ${state} in the ${challenge?.method}`);
  const approved = { outcome: "approved" } as const;
  const path = { authenticationId };
  const decided = await call("POST /authentications/{authenticationId}/outcome", path, approved);
  tell.step("The Cardholder approves it in the app", `${decided.state}, ECI ${decided.eci}`);
  return authenticationId;
}
