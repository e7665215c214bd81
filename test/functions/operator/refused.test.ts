import { describe, expect, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { keepRefused, refusedInputs } from "../../../shared/platform/refused/refused-input.ts";
import { operate } from "../../harness/administration.ts";
import { expectRejected } from "./expect-rejected.ts";

const number = "4000001234567899";

describe("refused inputs", () => {
  it("are listed newest first, page by page", async () => {
    const kept: string[] = [];
    for (const port of ["network", "clearing", "bank"] as const)
      kept.unshift(await keepRefused({ port, reason: `Not read: ${port}`, input: "x" }));
    const first = await operate("list-refused", { limit: 2 });
    expect(first.items).toEqual([
      { refusedId: kept[0], port: "bank", reason: "Not read: bank", receivedAt: expect.any(String) },
      { refusedId: kept[1], port: "clearing", reason: "Not read: clearing", receivedAt: expect.any(String) },
    ]);
    const rest = await operate("list-refused", { limit: 2, before: kept[1] });
    expect(rest.items[0]).toMatchObject({ refusedId: kept[2], port: "network" });
    expect((await operate("list-refused", {})).items.length).toBeGreaterThanOrEqual(3);
  });

  it("are kept without card numbers, for 90 days", async () => {
    const refusedId = await keepRefused({
      port: "processor",
      reason: `No card ${number}`,
      input: JSON.stringify({ pan: number }),
    });
    const found = await operate("view-refused", { refusedId });
    expect(found).toMatchObject({ reason: `No card ${"*".repeat(16)}`, isCut: false });
    expect(found.input).toBe(JSON.stringify({ pan: "*".repeat(16) }));
    const stored = await refusedInputs.at(refusedId).require();
    const days = (stored.expiresAtSeconds - Date.parse(stored.receivedAt) / 1000) / 86_400;
    expect(days).toBeCloseTo(90, 2);
    expect(JSON.stringify(stored)).not.toContain(number);
  });

  it("are kept in part if they are large, without the number at the cut", async () => {
    const input = `${"x".repeat(64 * 1024 - 8)}${number}`;
    const refusedId = await keepRefused({ port: "clearing", reason: "Too large", input });
    const found = await operate("view-refused", { refusedId });
    expect(found.input).toBe(`${"x".repeat(64 * 1024 - 8)}********`);
    expect(found.isCut).toBe(true);
    const bytes = Buffer.concat([Buffer.alloc(64 * 1024 - 4), Buffer.from(number, "hex")]);
    const other = await keepRefused({ port: "network", reason: "Too large", input: bytes });
    expect((await operate("view-refused", { refusedId: other })).input.slice(-10)).toBe("00********");
  });

  it("are kept once by their identity, of each reason and sender", async () => {
    const input = { port: "processor", reason: "fee: REFUSED", input: "x", identity: "evt-1" } as const;
    const kept = await Promise.all([1, 2, 3].map(() => keepRefused(input)));
    expect(new Set(kept)).toHaveLength(1);
    const others = [
      { reason: "fee: OTHER" },
      { port: "network" },
      { identity: "evt-2" },
      { programId: newId("program") },
    ] as const;
    const other = await Promise.all(others.map((one) => keepRefused({ ...input, ...one })));
    expect(new Set([...kept, ...other])).toHaveLength(5);
    const { items } = await operate("list-refused", { limit: 5 });
    expect(new Set(items.map(({ refusedId }) => refusedId))).toEqual(new Set([...kept, ...other]));
  });

  it("are text if all of their bytes are", async () => {
    const refusedId = await keepRefused({ port: "bank", reason: "Not XML", input: Buffer.from("<a>\r\n") });
    expect((await operate("view-refused", { refusedId })).input).toBe("<a>\r\n");
  });

  it("rejects an unknown id", () =>
    expectRejected("view-refused", { refusedId: "rfd_00000000000000000000000000" }));
});
