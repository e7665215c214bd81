import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { filesBucket } from "../../../shared/platform/file-store.ts";
import { injectFaults, isWrite } from "../../harness/faults.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { storedItems } from "../../harness/stored.ts";
import { type GivenBulks, givenBulks, listed, ndjson, person } from "./given-bulk.ts";

skipLeaseWaits();

let bulks: GivenBulks;
beforeEach(async () => {
  bulks = await givenBulks();
});

describe("POST /cardholders/bulk", () => {
  it("skips blank lines and counts them; CRLF and a byte order mark are fine", async () => {
    const text = `\uFEFF\r\n${JSON.stringify(person(1))}\r\n  \r\n\r\n${JSON.stringify(person(2))}\r\n`;
    const { bulk, results } = await bulks.run("cardholders", text);
    expect(bulk).toMatchObject({ lines: 2, succeeded: 2 });
    expect(results.map(({ line }) => line)).toEqual([2, 5]);
    const first = `\uFEFF${JSON.stringify(person(3))}`;
    expect((await bulks.run("cardholders", first)).results).toMatchObject([{ line: 1, status: "succeeded" }]);
  });

  it("takes gzip", async () => {
    const body = gzipSync(ndjson([person(1)]));
    const headers = { "Content-Encoding": "gzip" };
    const { status, body: answer } = await bulks.begin("cardholders", body, headers);
    expect([status, answer.data?.lines]).toEqual([200, 1]);
    const broken = await bulks.begin("cardholders", body.subarray(0, 30), headers);
    expect([broken.status, broken.body.code]).toEqual([400, "MALFORMED_BODY"]);
    const bomb = await bulks.begin("cardholders", gzipSync(Buffer.alloc(6 * 1024 * 1024, " ")), headers);
    expect(bomb.status).toBe(413);
  });
});

describe("a line with more faults than a result has room for", () => {
  const keys = (count: number, key: (at: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [key(at), "x"]));
  it.each([
    ["six thousand keys", keys(6_000, (at) => `ö${at}`), 50],
    ["a key of half a megabyte", keys(1, () => "ö".repeat(250_000)), 1],
    ["a key that is no Unicode", keys(1, () => "\ud800"), 1],
  ])("fails alone, with the first ones: %s", async (_, metadata, count) => {
    const { bulk, results } = await bulks.run("cardholders", [person(1, { metadata }), person(2)]);
    expect(bulk).toMatchObject({ status: "done", succeeded: 1, failed: 1 });
    const [{ error }] = results as [(typeof results)[number]];
    expect(error?.errors).toHaveLength(count);
    expect(JSON.stringify(error).length).toBeLessThan(50_000);
    expect(JSON.stringify(error)).not.toContain("\\ud800");
  });
});

describe("a file that is refused as a whole", () => {
  const tooMany = Array.from({ length: 10_001 }, () => "{}").join("\n");
  it.each([
    ["no line", "", {}, 422, "VALIDATION_FAILED"],
    ["blank lines", "\n \r\n", {}, 422, "VALIDATION_FAILED"],
    ["too many lines", tooMany, {}, 422, "VALIDATION_FAILED"],
    ["too many bytes", `{"a":"${"x".repeat(5 * 1024 * 1024)}"}`, {}, 413, "PAYLOAD_TOO_LARGE"],
    ["what is not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), {}, 400, "MALFORMED_BODY"],
    ["JSON", "{}", { "Content-Type": "application/json" }, 400, "MALFORMED_BODY"],
    ["no content type", "{}", { "Content-Type": "" }, 400, "MALFORMED_BODY"],
    [
      "another charset",
      "{}",
      { "Content-Type": "application/x-ndjson; charset=latin1" },
      400,
      "MALFORMED_BODY",
    ],
    ["another encoding", "{}", { "Content-Encoding": "br" }, 400, "MALFORMED_BODY"],
  ])("%s", async (_, body, headers, status, code) => {
    for (const kind of ["cardholders", "cards"] as const) {
      const answer = await bulks.begin(kind, body, headers as Record<string, string>);
      expect([answer.status, answer.body.code]).toEqual([status, code]);
    }
    expect(await storedItems(bulks.programId)).toEqual([]);
  });

  it("10,000 lines are taken, and a charset of UTF-8", async () => {
    const body = Array.from({ length: 10_000 }, () => "{}").join("\n");
    const headers = { "Content-Type": 'Application/X-NDJSON; charset="UTF-8"' };
    expect((await bulks.begin("cardholders", body, headers)).body.data.lines).toBe(10_000);
  });
});

describe("a file that is repeated", () => {
  const lines = Array.from({ length: 40 }, (_, index) => person(index + 1));

  it("under way or later makes nothing twice", async () => {
    const [one, two] = await Promise.all([
      bulks.begin("cardholders", lines),
      bulks.begin("cardholders", lines),
    ]);
    const ids = [one, two].map(({ body }) => body.data.bulkId as string);
    expect(new Set(ids).size).toBe(2);
    await Promise.all(ids.map((bulkId) => bulks.finish(bulkId)));
    expect((await listed(bulks, "GET /cardholders")).total).toBe(40);
    const views = await Promise.all(ids.map((bulkId) => bulks.view(bulkId)));
    expect(views.reduce((sum, { succeeded }) => sum + succeeded, 0)).toBe(40);
    expect(views.map(({ done, failed }) => [done, failed])).toEqual([
      [40, 0],
      [40, 0],
    ]);
    const { bulk } = await bulks.run("cardholders", lines);
    expect(bulk).toMatchObject({ succeeded: 0, duplicates: 40, failed: 0 });
  });
});

describe("bulks of a Program", () => {
  it("have their results in the order of lines, in pages, by status", async () => {
    const lines = Array.from({ length: 70 }, (_, index) => (index % 7 === 0 ? "x" : person(index)));
    const { bulkId } = (await bulks.begin("cardholders", lines)).body.data;
    const page = async (query: Record<string, string>) => {
      const { body } = await bulks.call("GET /bulk/{bulkId}/results", { path: { bulkId }, query });
      return { total: body.total, lines: body.items.map(({ line }: { line: number }) => line) };
    };
    expect(await page({})).toEqual({ total: 0, lines: [] });
    await bulks.finish(bulkId);
    const numbers = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => from + index);
    expect(await page({ limit: "30" })).toEqual({ total: 70, lines: numbers(1, 30) });
    expect(await page({ limit: "30", offset: "60" })).toEqual({ total: 70, lines: numbers(61, 70) });
    expect(await page({ limit: "30", offset: "70" })).toEqual({ total: 70, lines: [] });
    expect(await page({ limit: "3", offset: "1", sort: "desc" })).toEqual({ total: 70, lines: [69, 68, 67] });
    expect(await page({ status: "failed", limit: "3", offset: "2" })).toEqual({
      total: 10,
      lines: [15, 22, 29],
    });
    expect((await page({ status: "duplicate" })).total).toBe(0);
    expect((await page({ after: "1" })).total).toBe(70);
    expect((await page({ before: "1" })).total).toBe(0);
  });

  it("leave no line behind when they are done", async () => {
    const { bulkId } = (await bulks.begin("cardholders", [person(1)])).body.data;
    const key = `bulk/${bulks.programId}/${bulkId}`;
    expect(await filesBucket.read(key)).toBeDefined();
    await bulks.finish(bulkId);
    expect(await filesBucket.read(key)).toBeUndefined();
    const kept = (await storedItems(bulks.programId)).filter(({ sk }) => /^(BULK|RESULT|RUNNING)/.test(sk));
    expect(JSON.stringify(kept)).not.toMatch(/ada@|\+4420|Lovelace/);
  });
});

describe("a process that ends in between", () => {
  const lines = Array.from({ length: 5 }, (_, index) => person(index + 1, { submit: index === 2 }));

  it("at any call is made up for: every line is done once", async () => {
    for (let at = 1; ; at += 1) {
      const program = await givenBulks();
      const { bulkId } = (await program.begin("cardholders", lines)).body.data;
      const event = await program.eventOf(bulkId);
      let isDone: boolean;
      let failed = 0;
      {
        using faults = injectFaults(({ number }) => (number >= at ? "lost" : undefined));
        isDone = await program.takeOnce(event);
        failed = faults.calls.filter(({ fault }) => fault).length;
      }
      if (failed > 0) {
        expect(isDone).toBe(false);
        await program.finish(bulkId);
      }
      expect(await program.view(bulkId)).toMatchObject({ status: "done", done: 5, succeeded: 5, failed: 0 });
      expect((await listed(program, "GET /cardholders")).total).toBe(5);
      expect((await program.results(bulkId)).map(({ status }) => status)).toEqual(
        lines.map(() => "succeeded"),
      );
      if (failed === 0) break;
    }
  }, 240_000);

  it("although each answer of the table is lost once, and the message comes twice at once", async () => {
    const { bulkId } = (await bulks.begin("cardholders", lines)).body.data;
    const event = await bulks.eventOf(bulkId);
    const met = new Set<string>();
    using _ = injectFaults((call) => {
      const place = JSON.stringify(call.input).slice(0, 400);
      if (!isWrite(call) || met.has(place)) return undefined;
      met.add(place);
      return "timeout-after-commit";
    });
    await Promise.all([bulks.takeOnce(event), bulks.takeOnce(event)]);
    await bulks.finish(bulkId);
    expect(await bulks.view(bulkId)).toMatchObject({
      status: "done",
      succeeded: 5,
      duplicates: 0,
      failed: 0,
    });
    expect((await listed(bulks, "GET /cardholders")).total).toBe(5);
  });

  it("while the table is down, no line fails", async () => {
    const { bulkId } = (await bulks.begin("cardholders", lines)).body.data;
    const event = await bulks.eventOf(bulkId);
    {
      using _ = injectFaults((call) => (isWrite(call) ? "server-error" : undefined));
      expect(await bulks.takeOnce(event)).toBe(false);
    }
    expect(await bulks.results(bulkId)).toEqual([]);
    await bulks.finish(bulkId);
    expect(await bulks.view(bulkId)).toMatchObject({ status: "done", succeeded: 5 });
  });

  it("later than lines are kept: those that are left fail, and can be sent again", async () => {
    const { bulkId } = (await bulks.begin("cardholders", lines)).body.data;
    await filesBucket.delete(`bulk/${bulks.programId}/${bulkId}`);
    await bulks.finish(bulkId);
    expect(await bulks.view(bulkId)).toMatchObject({ status: "done", failed: 5 });
  });
});
