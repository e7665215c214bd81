import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { StatementLine } from "../../../../shared/contract/statements.ts";
import { writePart } from "../../../../shared/statements/formats/forms.ts";
import { PdfState } from "../../../../shared/statements/formats/pdf-state.ts";
import type { Sheet } from "../../../../shared/statements/formats/sheet.ts";

/** The most that a PDF takes, in steps of as many as the background has. */
const [entries, inStep] = [100_000, 10_000];
/** Half of a step's time on a processor: 45 s, of which 1,024 MB have their part of 1,769. */
const mostCpuMs = (45_000 * (1_024 / 1_769)) / 2;

const sheet: Sheet = {
  ...{ kind: "card", accountId: "crd_01J9ZC3P2V8Q4N6T0B5W7XKD1M", programId: "prg_1" },
  ...{ programName: "Everyday", name: "LUKASZ", holderName: "山田 Łukasz Ελλάς", issuerName: "Bank" },
  ...{ cardNumber: "400000******1234", period: "2026-11", closed: true, sequence: 3, currency: "EUR" },
  ...{ start: "2026-11-01T00:00:00.000Z", end: "2026-12-01T00:00:00.000Z", timeZone: "Etc/UTC" },
  ...{ firstDay: "2026-11-01", lastDay: "2026-11-30", madeAt: "2026-12-01T00:00:00.000Z" },
  ...{ openingMinor: 0, closingMinor: 5_000, entries, hash: "abc" },
};

/** Every one has another Japanese character: more glyphs than a month of purchases has. */
function toLine(index: number): StatementLine {
  const words = ["Łódź — naïve", "Ελληνικά", "Кафе", "齋藤さん", "Corner Shop"];
  const character = String.fromCodePoint(0x4e00 + (index % 6_000));
  return {
    ...{ date: "2026-11-25", type: "purchase", amount: -1_050, balance: index },
    description: `${words[index % words.length]} ${character} ${index}`,
    ...{ transId: "txn_01J9ZC3P2V8Q4N6T0B5W7XKD1M", journalEntryId: "jrn_01J9ZC3P2V8Q4N6T0B5W7XKD1M" },
  };
}

it("a PDF of 100,000 entries: no step takes half of its function's time, and Poppler finds the last page", async () => {
  let [state, written]: [PdfState | undefined, string] = [undefined, ""];
  const times: number[] = [];
  for (let at = 0; at < entries; at += inStep) {
    const lines = Array.from({ length: inStep }, (_, index) => toLine(at + index));
    const before = process.cpuUsage();
    const place = { isFirst: at === 0, isLast: at + inStep === entries, ...(state && { state }) };
    const part = await writePart("pdf", sheet, lines, place);
    const { user, system } = process.cpuUsage(before);
    times.push(Math.round((user + system) / 1_000));
    state = part.state && PdfState.parse(JSON.parse(JSON.stringify(part.state)));
    written += part.text;
  }
  console.log(`CPU of the steps in ms, the last with all that a document has once: ${times.join(", ")}`);
  expect(Math.max(...times)).toBeLessThan(mostCpuMs);
  const folder = mkdtempSync(join(tmpdir(), "long-pdf-"));
  try {
    const file = join(folder, "statement.pdf");
    writeFileSync(file, written);
    const pages = /Pages: +(\d+)/.exec(spawnSync("pdfinfo", [file], { encoding: "utf8" }).stdout ?? "")?.[1];
    if (pages === undefined) return;
    expect(Number(pages)).toBeGreaterThan(2_000);
    const { stdout } = spawnSync("pdftotext", ["-f", pages, "-layout", file, "-"], { encoding: "utf8" });
    expect(stdout).toMatch(new RegExp(`Page ${pages} +of ${pages}\\s*$`));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
