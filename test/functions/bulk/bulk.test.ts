import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { filesBucket } from "../../../shared/platform/file-store.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { injectFaults, isWrite } from "../../harness/faults.ts";
import { ada, givenApprovedCardholder, givenWallet } from "../../harness/given-cards.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { storedEvents, storedItem, storedItems } from "../../harness/stored.ts";
import { type GivenBulks, givenBulks, listed, ndjson, person } from "./given-bulk.ts";

skipLeaseWaits();

let bulks: GivenBulks;
beforeEach(async () => {
  bulks = await givenBulks();
});

describe("POST /cardholders/bulk", () => {
  it("creates one for each line, and says so of each", async () => {
    const { status, body } = await bulks.begin("cardholders", [person(1), person(2)]);
    expect([status, body.data]).toEqual([
      200,
      { bulkId: expect.stringMatching(/^blk_/), kind: "cardholders", status: "running", lines: 2 },
    ]);
    const { bulkId } = body.data;
    expect(await bulks.view(bulkId)).toMatchObject({
      status: "running",
      done: 0,
      dateCreated: expect.any(String),
    });
    await bulks.finish(bulkId);
    expect(await bulks.view(bulkId)).toEqual({
      ...body.data,
      ...{ status: "done", done: 2, succeeded: 2, duplicates: 0, failed: 0 },
      dateCreated: expect.any(String),
      dateDone: expect.any(String),
    });
    const results = await bulks.results(bulkId);
    const { items } = await listed(bulks, "GET /cardholders");
    expect(results).toEqual(
      [1, 2].map((line) => ({
        line,
        status: "succeeded",
        externalId: `person-${line}`,
        cardholderId: items.find(({ firstName }) => firstName === `Ada ${line}`)?.cardholderId,
      })),
    );
    expect(items.map(({ status: one }) => one)).toEqual([4, 4]);
  });

  it("submits those that say so, in the same transaction, and the provider is told", async () => {
    const { results } = await bulks.run("cardholders", [
      person(1, { submit: true }),
      person(2, { submit: false }),
    ]);
    const [submitted = ""] = results.map(({ cardholderId }) => String(cardholderId));
    const stored = await storedItem(cardholders.key(bulks.programId, submitted));
    expect(stored).toMatchObject({
      status: 3,
      kycSession: expect.any(String),
      kycEndsAt: expect.any(String),
    });
    const events = await storedEvents(bulks.programId);
    expect(
      events
        .filter(({ detail }) => detail.cardholderId === submitted)
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(["cardholder.status_changed", "kyc.requested"]);
    const approve = { path: { cardholderId: submitted }, body: { status: 1 } };
    expect((await bulks.call("POST /cardholders/{cardholderId}/kyc-outcome", approve)).status).toBe(200);
    expect((await listed(bulks, "GET /cardholders", { status: "3" })).total).toBe(0);
  });

  it("fails a bad line alone, with what its own request would have been answered", async () => {
    const lines = [
      "{",
      "[]",
      "7",
      person(4, { email: "nobody" }),
      { ...ada, firstName: "No id" },
      person(6, { gender: "1" }),
      person(7, { dateOfBirth: "2999-01-01" }),
      person(8, { altKycEnabled: 1, submit: true }),
      person(9),
      person(10, { submit: 1 }),
    ];
    const { bulk, results } = await bulks.run("cardholders", lines);
    expect(bulk).toMatchObject({ lines: 10, done: 10, succeeded: 1, duplicates: 0, failed: 9 });
    const faults = results.map(({ line, status, error }) => {
      return [line, status, error?.code, error?.errors?.[0]?.path];
    });
    expect(faults).toEqual([
      [1, "failed", "MALFORMED_BODY", "body"],
      [2, "failed", "MALFORMED_BODY", "body"],
      [3, "failed", "MALFORMED_BODY", "body"],
      [4, "failed", "VALIDATION_FAILED", "body.email"],
      [5, "failed", "VALIDATION_FAILED", "body.externalId"],
      [6, "failed", "MALFORMED_BODY", "body.gender"],
      [7, "failed", "VALIDATION_FAILED", "body.dateOfBirth"],
      [8, "failed", "VALIDATION_FAILED", "body.kycToken"],
      [9, "succeeded", undefined, undefined],
      [10, "failed", "MALFORMED_BODY", "body.submit"],
    ]);
    expect(results[3]).toMatchObject({ externalId: "person-4", error: { message: expect.any(String) } });
    expect((await listed(bulks, "GET /cardholders")).total).toBe(1);
  });

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

  it("finds what is there: with the same values a duplicate, with others it fails", async () => {
    const before = (await bulks.call("POST /cardholders", { body: person(1, { metadata: { team: "a" } }) }))
      .body.data;
    const lines = [
      person(1, { metadata: { team: "a" } }),
      person(1, { metadata: { team: "b" } }),
      person(1),
      person(1, { metadata: { team: "a" }, phone: "+442079460001" }),
      person(1, { metadata: { team: "a" }, nationality: undefined }),
      person(2),
      person(2),
      person(2, { firstName: "Other" }),
    ];
    const { bulk, results } = await bulks.run("cardholders", lines);
    expect(results.map(({ status }) => status)).toEqual([
      "duplicate",
      "failed",
      "failed",
      "failed",
      "failed",
      "succeeded",
      "duplicate",
      "failed",
    ]);
    expect(results[0]?.cardholderId).toBe(before.cardholderId);
    expect(results[6]?.cardholderId).toBe(results[5]?.cardholderId);
    expect(results[7]).toMatchObject({ error: { code: "EXTERNAL_ID_EXISTS" } });
    expect(bulk).toMatchObject({ succeeded: 1, duplicates: 2, failed: 5 });
    expect((await listed(bulks, "GET /cardholders")).total).toBe(2);
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

describe("POST /cards/bulk", () => {
  it("issues Cards as POST /cards does, with controls and loads, to Cardholders by their externalId", async () => {
    const cardholderId = await givenApprovedCardholder(bulks, { externalId: "ada" });
    const walletId = await givenWallet(bulks, 1_000);
    const card = { cardForm: 0, cardType: 0, cardholderExternalId: "ada" };
    const load = (amount: number) => ({ walletId, amount });
    const cash = { name: "No cash", cash: "block" };
    const { bulk, results } = await bulks.run("cards", [
      { ...card, externalId: "c1" },
      { ...card, externalId: "c2", cardholderExternalId: undefined, cardholderId },
      { ...card, externalId: "c3", load: load(600), controls: [cash], singleUse: true },
      { ...card, externalId: "c4", load: load(1_001) },
      { ...card, externalId: "c5", cardholderExternalId: "nobody" },
      { ...card, externalId: "c6", cardholderExternalId: undefined },
      { ...card, externalId: "c7", cardholderId },
      { ...card, externalId: "c8", controls: [{ name: "None" }] },
      { ...card, externalId: "c1" },
      { ...card, externalId: "c1", cardType: 1 },
      { ...card, externalId: "c3", load: load(600), controls: [cash], singleUse: true },
      { ...card, externalId: "c3", load: load(601), controls: [cash], singleUse: true },
    ]);
    const codes = results.map(({ status, error }) => error?.code ?? status);
    expect(codes).toEqual([
      "succeeded",
      "succeeded",
      "succeeded",
      "INSUFFICIENT_FUNDS",
      "NOT_FOUND",
      "VALIDATION_FAILED",
      "VALIDATION_FAILED",
      "VALIDATION_FAILED",
      "duplicate",
      "EXTERNAL_ID_EXISTS",
      "duplicate",
      "EXTERNAL_ID_EXISTS",
    ]);
    expect(bulk).toMatchObject({ lines: 12, done: 12, succeeded: 3, duplicates: 2, failed: 7 });
    expect(results[4]?.error?.errors?.[0]?.path).toBe("body.cardholderExternalId");
    expect(results[7]?.error?.errors?.[0]?.path).toBe("body.controls.0");
    const items = await expectBooksInOrder(bulks.programId);
    expect(balancesIn(items, walletId).availableMinor).toBe(400);
    expect(balancesIn(items, String(results[2]?.cardId)).availableMinor).toBe(600);
    expect((await listed(bulks, "GET /cards")).total).toBe(3);
    const { data: audited } = { data: await listed(bulks, "GET /controls") };
    expect(audited.total).toBe(2);
  });

  it("a duplicate with an external id of a load that another transfer has is no duplicate", async () => {
    await givenApprovedCardholder(bulks, { externalId: "ada" });
    const walletId = await givenWallet(bulks, 1_000);
    const card = { cardForm: 0, cardType: 0, cardholderExternalId: "ada" };
    const load = { walletId, amount: 10, externalId: "load" };
    const { results } = await bulks.run("cards", [
      { ...card, externalId: "c1", load },
      { ...card, externalId: "c2", load },
    ]);
    const statuses = results.map(({ status }) => status).toSorted();
    expect(statuses).toEqual(["failed", "succeeded"]);
    expect((await listed(bulks, "GET /cards")).total).toBe(1);
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

  it("with the same Idempotency-Key answers the same bulk, under way and later", async () => {
    const key = { "Idempotency-Key": "file-1" };
    const first = await bulks.begin("cardholders", lines, key);
    expect((await bulks.begin("cardholders", lines, key)).body).toEqual(first.body);
    await bulks.finish(first.body.data.bulkId);
    expect((await bulks.begin("cardholders", lines, key)).body).toEqual(first.body);
    expect((await bulks.begin("cardholders", lines.slice(1), key)).body.code).toBe("IDEMPOTENCY_MISMATCH");
    expect((await listed(bulks, "GET /bulk")).total).toBe(1);
  });
});

describe("bulks of a Program", () => {
  it("run five at once; the next is 409 LIMIT_REACHED until one is done", async () => {
    const begun = await Promise.all(
      Array.from({ length: 7 }, (_, index) => bulks.begin("cardholders", [person(index)])),
    );
    const ids = begun.flatMap(({ status, body }) => (status === 200 ? [body.data.bulkId as string] : []));
    expect(ids).toHaveLength(5);
    const refused = begun.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      refused.map(() => [409, "LIMIT_REACHED"]),
    );
    await bulks.finish(ids[0] ?? "");
    expect((await bulks.begin("cardholders", [person(9)])).status).toBe(200);
    expect((await bulks.begin("cardholders", [person(9)])).body.code).toBe("LIMIT_REACHED");
    // Another Program has its own.
    expect((await (await givenBulks()).begin("cardholders", [person(1)])).status).toBe(200);
  });

  it("are listed, by kind and status", async () => {
    const cards = (await bulks.begin("cards", ["{}"])).body.data.bulkId;
    const done = (await bulks.run("cardholders", [person(1)])).bulkId;
    const ids = async (query: object) =>
      (await listed(bulks, "GET /bulk", query)).items.map(({ bulkId }) => bulkId);
    expect(await ids({})).toEqual([done, cards]);
    expect(await ids({ kind: "cards" })).toEqual([cards]);
    expect(await ids({ status: "done" })).toEqual([done]);
    expect(await ids({ status: "running", sort: "asc" })).toEqual([cards]);
    const other = await givenBulks();
    expect((await other.call("GET /bulk/{bulkId}", { path: { bulkId: done } })).status).toBe(404);
    expect((await other.call("GET /bulk/{bulkId}/results", { path: { bulkId: done } })).status).toBe(404);
  });

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
