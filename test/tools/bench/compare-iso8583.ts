import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeMessage, type Message, readMessage } from "../../../shared/adapters/iso8583/codec.ts";
import { type DialectName, dialects } from "../../../shared/adapters/iso8583/dialects.ts";
import type { Comparison, OpenSide } from "./comparison.ts";

/** Installed in a folder of its own, for this alone. */
const rival = "iso_8583@2.6.7";

/** Codes and PIN block apart, what a purchase has. Both packages take all of it. */
const purchase = {
  ...{ 2: "4111111111111111", 3: "000000", 4: "000000002500", 7: "1123181500", 11: "000042" },
  ...{ 12: "181500", 13: "1123", 14: "4012", 18: "5411", 22: "051", 25: "00", 32: "12345" },
  ...{ 37: "REF000000042", 41: "TERM0001", 42: "MERCHANT0000001", 49: "840" },
  43: `${"CORNER SHOP".padEnd(23)}${"BERLIN".padEnd(13)}  DE`,
};
const original = `0100${purchase[11]}${purchase[7]}${purchase[32].padStart(11, "0")}${"0".repeat(11)}`;

/** The rival always writes a second bitmap. */
const messages: readonly Message[] = [
  { mti: "0100", fields: { ...purchase, 52: "7434F67813BAE545" }, hasEmptyBitmap: true },
  { mti: "0110", fields: { ...purchase, 38: "A1B2C3", 39: "00" }, hasEmptyBitmap: true },
  { mti: "0420", fields: { ...purchase, 90: original } },
];
const rounds = 2_000;

/** Both take what they write, and compare the same messages in the same process's time. */
export const comparison: Comparison = {
  title: "ISO 8583 messages: written and read again",
  base: rival,
  figures: [
    { name: "written, in its dialect", unit: "µs", ratio: { most: 0.2 } },
    { name: "read, in its dialect", unit: "µs", ratio: { most: 0.2 } },
    { name: "written, in EBCDIC", unit: "µs" },
    { name: "read, in EBCDIC", unit: "µs" },
    { name: "written, in EBCDIC and BCD", unit: "µs" },
    { name: "read, in EBCDIC and BCD", unit: "µs" },
  ],
  open: async ({ name }) => (name === "before" ? openRival() : openOwn()),
};

/** Processor time of each message, in microseconds. */
function timesOf(work: (index: number) => unknown): number {
  const began = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1)
    for (let index = 0; index < messages.length; index += 1) work(index);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / rounds / messages.length;
}

function openOwn(): OpenSide {
  const encoded = (name: DialectName) => messages.map((message) => encodeMessage(message, dialects[name]));
  return {
    measure: async () =>
      (["default", "mastercard", "visa"] as const).flatMap((name) => {
        const dialect = dialects[name];
        const bytes = encoded(name);
        for (const [index, message] of messages.entries())
          deepStrictEqual(readMessage(bytes[index] ?? Buffer.alloc(0), dialect).message, message);
        return [
          timesOf((index) => encodeMessage(messages[index] as Message, dialect)),
          timesOf((index) => readMessage(bytes[index] as Uint8Array, dialect)),
        ];
      }),
  };
}

interface RivalMessage {
  getRawMessage(): Buffer;
  getIsoJSON(bytes: Uint8Array, options: { lenHeader: boolean }): Record<string, string>;
}

function openRival(): OpenSide {
  const folder = mkdtempSync(join(tmpdir(), "bench-rival-"));
  const close = async () => rmSync(folder, { recursive: true, force: true });
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--prefix", folder];
  execFileSync("npm", ["install", ...options, rival], { cwd: folder, stdio: ["ignore", "ignore", 2] });
  const Rival: new (message?: object) => RivalMessage = createRequire(join(folder, "bench.js"))("iso_8583");
  const given = messages.map(({ mti, fields }) => ({ 0: mti, ...fields }));
  const bytes = given.map((message) => new Rival(message).getRawMessage());
  for (const [index, message] of messages.entries())
    strictEqual(bytes[index]?.toString("hex"), Buffer.from(encodeMessage(message)).toString("hex"));
  const read = (index: number) => new Rival().getIsoJSON(bytes[index] as Buffer, { lenHeader: false });
  for (const [index, { fields }] of messages.entries()) strictEqual(read(index)[7], fields[7]);
  return {
    measure: async () => [timesOf((index) => new Rival(given[index]).getRawMessage()), timesOf(read)],
    close,
  };
}
