import { createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { Metrics } from "../telemetry.ts";

const directory = mkdtempSync(join(tmpdir(), "metrics-"));
afterAll(() => rmSync(directory, { recursive: true }));

const line = (root: object, directive: object = {}) =>
  JSON.stringify({
    message: "It happened.",
    environment: "local",
    ...root,
    _aws: {
      Timestamp: 1_800_000_000_000,
      CloudWatchMetrics: [
        {
          Namespace: "Test",
          Dimensions: [["environment"], ["environment", "reason"]],
          Metrics: [{ Name: "Happened", Unit: "Count" }],
          ...directive,
        },
      ],
    },
  });

describe("the metrics in the functions' logs", () => {
  it("go to the file with the other lines, those of a moment in one write", async () => {
    const writes: string[] = [];
    const file = new Writable({
      write: (chunk, _encoding, done) => {
        writes.push(String(chunk));
        done();
      },
      writev: (chunks, done) => {
        writes.push(chunks.map(({ chunk }) => String(chunk)).join(""));
        done();
      },
    });
    const metrics = new Metrics();
    const log = metrics.listening(file);
    for (const text of ["a\n", `${line({ Happened: 1 })}\n`, "b\n"]) log.write(text);
    expect(metrics.all().metrics).toHaveLength(1);
    await expect.poll(() => writes).toEqual([`a\n${line({ Happened: 1 })}\nb\n`]);
    // More than the file takes at once waits for it, and the end for all.
    log.write("c\n".repeat(100_000));
    log.write("d\n");
    await new Promise((resolve) => log.end(resolve));
    expect(writes.join("")).toHaveLength(4 + line({ Happened: 1 }).length + 1 + 200_002);
  });

  it("are added up by name and dimensions", () => {
    const metrics = new Metrics();
    metrics.hear(`${line({ Happened: 2, reason: "A" })}\n${line({ Happened: [1, 4], reason: "B" })}\n`);
    const series = (reason: object, samples: number, sum: number, minimum: number, maximum: number) => ({
      namespace: "Test",
      name: "Happened",
      unit: "Count",
      dimensions: { environment: "local", ...reason },
      samples,
      sum,
      minimum,
      maximum,
    });
    expect(metrics.all()).toEqual({
      metrics: [
        series({}, 3, 7, 1, 4),
        series({ reason: "A" }, 1, 2, 2, 2),
        series({ reason: "B" }, 2, 5, 1, 4),
      ],
      faults: [],
    });
  });

  it.each([
    ["has no value", line({ reason: "A" })],
    ["has a value that is no number", line({ Happened: "2", reason: "A" })],
    ["lacks a dimension that it names", line({ Happened: 2 })],
    ["has an empty dimension", line({ Happened: 2, reason: "" })],
    ["has no dimensions", line({ Happened: 2, reason: "A" }, { Dimensions: [] })],
    ["is cut off", line({ Happened: 2, reason: "A" }).slice(0, -2)],
  ])("of which one %s are none, and that is told", (_, wrong) => {
    const metrics = new Metrics();
    metrics.hear(wrong);
    expect(metrics.all().faults).toHaveLength(1);
  });

  it("other lines are no metrics", () => {
    const metrics = new Metrics();
    metrics.hear('{"message":"The request is answered."}\nnot JSON\n');
    expect(metrics.all()).toEqual({ metrics: [], faults: [] });
  });

  it("are heard on the way to the file, which gets every byte", async () => {
    const metrics = new Metrics();
    const file = join(directory, "a.log");
    const log = metrics.listening(createWriteStream(file));
    const told = `${line({ Happened: 1, reason: "A" })}\nZoë\n`;
    // All but the first wait for the file, and are written together.
    for (let times = 0; times < 3; times += 1) log.write(Buffer.from(told));
    await new Promise<void>((resolve) => log.end(resolve));
    expect(readFileSync(file, "utf8")).toBe(told.repeat(3));
    expect(metrics.all().metrics.map(({ samples }) => samples)).toEqual([3, 3]);
  });

  it("are heard although the file cannot be written", async () => {
    const metrics = new Metrics();
    const gone = createWriteStream(join(directory, "missing", "a.log"));
    gone.on("error", () => undefined);
    const log = metrics.listening(gone);
    for (let times = 0; times < 3; times += 1) {
      await new Promise<void>((resolve) =>
        log.write(`${line({ Happened: 1, reason: "A" })}\n`, () => resolve()),
      );
    }
    expect(metrics.all().metrics[0]).toMatchObject({ sum: 3 });
    await new Promise<void>((resolve) => log.end(resolve));
  });
});
