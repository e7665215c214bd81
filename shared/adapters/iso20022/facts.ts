import { sha256 } from "../../platform/sha256.ts";
import { type Element, findAll } from "./read-xml.ts";

const dates = (name: string) =>
  [
    [name, "Dt"],
    [name, "DtTm"],
  ] as const;

/** What reports of every kind say of a payment. Of the entry, unless its payment says it. */
const paths = {
  debtor: [
    ["RltdPties", "Dbtr", "Pty", "Nm"],
    ["RltdPties", "Dbtr", "Nm"],
  ],
  debtorAccount: [
    ["RltdPties", "DbtrAcct", "Id", "IBAN"],
    ["RltdPties", "DbtrAcct", "Id", "Othr", "Id"],
  ],
  ultimateDebtor: [
    ["RltdPties", "UltmtDbtr", "Pty", "Nm"],
    ["RltdPties", "UltmtDbtr", "Nm"],
  ],
  booked: dates("BookgDt"),
  value: dates("ValDt"),
  text: [
    ["RmtInf", "Ustrd"],
    ["RmtInf", "Strd", "CdtrRefInf", "Ref"],
    ["RmtInf", "Strd", "AddtlRmtInf"],
  ],
} as const;

/** Hashes: they are compared, never read. */
export function factsOf(entry: Element, parts: readonly Element[]): Record<string, string> {
  const found = Object.entries(paths).flatMap(([name, ways]) => {
    const written = ways
      .flatMap((path) => [...parts, entry].flatMap((element) => findAll(element, ...path)))
      .map(({ text }) => text.replace(/\s+/g, ""))
      .join("");
    // A time counts as its day: the other report may have the date alone.
    const said = name === "booked" || name === "value" ? written.slice(0, 10) : written;
    return said === "" ? [] : [[name, sha256(said).slice(0, 16)] as const];
  });
  return Object.fromEntries(found);
}
