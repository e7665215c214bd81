import { createHash } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { EvidenceView } from "../../../shared/contract/evidence.ts";
import { mostEvidence } from "../../../shared/contract/evidence.ts";
import { pdf, png } from "../../harness/given-documents.ts";
import { givenObjects } from "../../harness/given-objects.ts";
import { handOver } from "../evidence/hand-over.ts";
import { givenDispute } from "./given-dispute.ts";

const receipt = { fileName: "receipt.png", contentType: "image/png" };

async function givenEvidence() {
  const objects = await givenObjects();
  const dispute = await givenDispute();
  const { program, disputeId } = dispute;
  const path = { disputeId };
  const add = (body: object = receipt) => program.call("POST /disputes/{disputeId}/evidence", { path, body });
  /** Uploads as the customer does, and lets it be checked. */
  const upload = async (url: string, bytes: Buffer, contentType = "image/png") => {
    const headers = { "content-type": contentType };
    const answer = await fetch(url, { method: "PUT", body: new Uint8Array(bytes), headers });
    if (answer.status === 200) {
      const key = decodeURIComponent(new URL(url).pathname).replace("/evidence/", "");
      expect(await handOver(objects.messageOf(key))).toBe(true);
    }
    return answer.status;
  };
  return {
    ...dispute,
    add,
    upload,
    addAndUpload: async (bytes = png()) => upload((await add()).body.data.uploadUrl as string, bytes),
    list: async () => {
      const { body } = await program.call("GET /disputes/{disputeId}/evidence", {
        path,
        query: { sort: "asc" },
      });
      return body.items as unknown as EvidenceView[];
    },
    viewPiece: async (evidenceId: string) =>
      program.call("GET /disputes/{disputeId}/evidence/{evidenceId}", { path: { disputeId, evidenceId } }),
  };
}

describe("evidence of a dispute", () => {
  it("is uploaded by the URL, checked, listed with its hash, and downloaded under a safe name", async () => {
    const { add, upload, list, viewPiece } = await givenEvidence();
    const fileName = 'My "receipt"; ü.png';
    const { status, body } = await add({ fileName, contentType: "image/png" });
    expect(status).toBe(200);
    const { evidenceId, uploadUrl, expiresAt } = body.data as Record<string, string>;
    expect(Date.parse(expiresAt ?? "") / 60_000).toBeCloseTo(Date.now() / 60_000 + 30, 0);
    expect(uploadUrl).not.toContain("receipt");
    const pending = { evidenceId, status: "pending", fileName, contentType: "image/png" };
    expect(await list()).toEqual([{ ...pending, dateCreated: expect.any(String) }]);
    expect((await viewPiece(evidenceId ?? "")).body.data).not.toHaveProperty("downloadUrl");
    expect(await upload(uploadUrl ?? "", png(), "text/html")).toBe(403);
    expect(await upload(uploadUrl ?? "", png())).toBe(200);
    const sha256 = createHash("sha256").update(png()).digest("hex");
    const uploaded = { ...pending, status: "uploaded", size: png().length, sha256 };
    expect(await list()).toMatchObject([uploaded]);
    const { data } = (await viewPiece(evidenceId ?? "")).body;
    expect(data).toMatchObject(uploaded);
    const download = await fetch(data.downloadUrl as string);
    expect(Buffer.from(await download.arrayBuffer())).toEqual(png());
    expect(download.headers.get("content-disposition")).toBe('attachment; filename="My _receipt__ _.png"');
  });

  it("is rejected with its reason, and no URL leads to it", async () => {
    const { addAndUpload, list, viewPiece } = await givenEvidence();
    await addAndUpload(pdf());
    const [piece] = await list();
    expect(piece).toMatchObject({ status: "rejected", reason: "other_type" });
    const { data } = (await viewPiece(piece?.evidenceId ?? "")).body;
    expect(data).not.toHaveProperty("downloadUrl");
    expect(data).not.toHaveProperty("sha256");
  });

  it("is rejected 90 minutes later if nothing was uploaded", async () => {
    const { add, list } = await givenEvidence();
    await add();
    const at = Date.now();
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ now: at + 89 * 60_000, toFake: ["Date"] });
    expect(await list()).toMatchObject([{ status: "pending" }]);
    vi.setSystemTime(at + 91 * 60_000);
    expect(await list()).toMatchObject([{ status: "rejected", reason: "not_uploaded" }]);
  });

  it("409 LIMIT_REACHED: 50 pieces, also if the last ones are asked for at the same moment", async () => {
    const { add, list } = await givenEvidence();
    for (let count = 0; count < mostEvidence - 2; count += 1) expect((await add()).status).toBe(200);
    const racing = await Promise.all([add(), add(), add(), add()]);
    expect(racing.map(({ status }) => status).toSorted()).toEqual([200, 200, 409, 409]);
    expect((await add()).body).toMatchObject({ code: "LIMIT_REACHED" });
    expect((await list()).length).toBeGreaterThan(0);
  });

  it("409 ILLEGAL_TRANSITION: while the network has it, and when it is over", async () => {
    const { add, step, outcome } = await givenEvidence();
    const statusAfter = async (change: Promise<{ status: number }>) => {
      expect((await change).status).toBe(200);
      return (await add()).status;
    };
    expect((await add()).status).toBe(200);
    expect(await statusAfter(step("submit"))).toBe(409);
    expect(await statusAfter(outcome("pending_customer"))).toBe(200);
    expect((await step("submit")).body).toMatchObject({ code: "EVIDENCE_REQUIRED" });
    expect(await statusAfter(step("withdraw"))).toBe(409);
  });
});

describe("POST /disputes/{disputeId}/submit of a dispute for which the network asked for more", () => {
  it("409 EVIDENCE_REQUIRED until a piece is uploaded that came after the request", async () => {
    const { add, upload, addAndUpload, step, outcome, balances } = await givenEvidence();
    await addAndUpload();
    await step("submit");
    await outcome("pending_customer");
    expect((await step("submit")).body).toMatchObject({ code: "EVIDENCE_REQUIRED" });
    const { uploadUrl } = (await add()).body.data as { uploadUrl: string };
    expect((await step("submit")).status).toBe(409);
    await upload(uploadUrl, pdf());
    expect((await step("submit")).status).toBe(409);
    await addAndUpload(png(3, 3));
    expect((await step("submit")).body.data).toMatchObject({ status: "submitted" });
    await outcome("pending_customer");
    expect((await step("submit")).body).toMatchObject({ code: "EVIDENCE_REQUIRED" });
    await addAndUpload(png(4, 4));
    const racing = await Promise.all([step("submit"), step("submit"), step("withdraw")]);
    expect(racing.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(2);
    await balances();
  });
});
