import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Bucket } from "../../../shared/platform/file-store.ts";

const bucket = new Bucket(() => "files");
const expiresInSeconds = 60;
describe("a bucket's presigned URLs", () => {
  it("take any bytes of one content type", async () => {
    const url = await bucket.uploadUrl("in/a", "application/pdf", expiresInSeconds);
    const put = (type: string) =>
      fetch(url, { method: "PUT", body: "the bytes", headers: { "content-type": type } });
    expect((await put("text/html")).status).toBe(403);
    expect((await put("application/pdf")).status).toBe(200);
    expect(Buffer.from((await bucket.read("in/a")) ?? []).toString()).toBe("the bytes");
  });

  it("give an object under a name that says nothing else to who stores it", async () => {
    await bucket.write("reports/a", new Uint8Array([1, 2, 3]), "application/pdf");
    const fileName = 'a"; b=ü\r\n/../c.pdf';
    const url = await bucket.downloadUrl("reports/a", {
      fileName,
      contentType: "text/csv",
      expiresInSeconds,
    });
    const answer = await fetch(url);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]));
    expect(answer.headers.get("content-type")).toBe("text/csv");
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="a__ b_____.._c.pdf"');
  });

  it("end when they say", async () => {
    await bucket.write("reports/a", "{}");
    const download = { fileName: "a.json", contentType: "application/json", expiresInSeconds };
    vi.useFakeTimers({ now: Date.now() - 61_000, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const url = await bucket.downloadUrl("reports/a", download);
    vi.useRealTimers();
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(await bucket.downloadUrl("reports/a", download))).status).toBe(200);
  });
});
