import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import { png } from "../../harness/given-documents.ts";
import { money, type Narrator } from "./narrator.ts";

const longestWaitMs = 20_000;

/** The Cardholder disputes the purchase, uploads a receipt, and wins. */
export async function disputePurchase(client: Client, tell: Narrator, purchaseId: string): Promise<void> {
  const { data: dispute } = await unwrap(
    client.POST("/disputes", {
      body: { referenceCode: purchaseId, reason: "not_received" },
    }),
  );
  const path = { disputeId: dispute.disputeId };
  const { data: upload } = await unwrap(
    client.POST("/disputes/{disputeId}/evidence", {
      params: { path },
      body: { fileName: "receipt.png", contentType: "image/png" },
    }),
  );
  const receipt = png(40, 30);
  const headers = { "content-type": "image/png" };
  await fetch(upload.uploadUrl, { method: "PUT", body: new Uint8Array(receipt), headers });
  const view = async () => {
    const piece = { params: { path: { ...path, evidenceId: upload.evidenceId } } };
    return (await unwrap(client.GET("/disputes/{disputeId}/evidence/{evidenceId}", piece))).data;
  };
  let piece = await view();
  for (const until = Date.now() + longestWaitMs; piece.status === "pending" && Date.now() < until; ) {
    await delay(100);
    piece = await view();
  }
  const sha256 = createHash("sha256").update(receipt).digest("hex");
  if (piece.sha256 !== sha256) throw new Error(`The evidence is ${piece.status} ${piece.reason ?? ""}`);
  const download = await fetch(piece.downloadUrl ?? "");
  if (!Buffer.from(await download.arrayBuffer()).equals(receipt)) throw new Error("Another file is kept.");
  tell.step(
    "The purchase is disputed, and the receipt is uploaded by a URL, checked and hashed",
    `${dispute.disputeId}, ${dispute.status}, liability ${dispute.liability.remaining} open`,
    `${piece.fileName}, ${piece.size} bytes, SHA-256 ${sha256.slice(0, 16)}…: ${piece.status}`,
  );
  const params = { path };
  const { data: submitted } = await unwrap(client.POST("/disputes/{disputeId}/submit", { params }));
  const outcome = { params, body: { status: "won" } as const };
  await unwrap(client.POST("/sandbox/disputes/{disputeId}/outcome", outcome));
  const { data: won } = await unwrap(client.GET("/disputes/{disputeId}", { params }));
  const { original, recovered, remaining } = won.liability;
  tell.step(
    "The dispute is submitted, and the network decides for the Cardholder",
    `${submitted.status}, credit due ${submitted.creditDue?.slice(0, 10) ?? "at once"}; then ${won.status}`,
    `of ${money(original).trim()} the network pays back ${money(recovered).trim()}, ${money(remaining).trim()} stays open`,
  );
}
