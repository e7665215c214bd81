import type { Zone } from "../../../shared/contract/time-zones.ts";

/** The form in which moment-timezone has the IANA data: https://momentjs.com/timezone/docs. */
interface Packed {
  readonly version: string;
  /** Name, abbreviations, offsets, which of them, how long each. */
  readonly zones: readonly string[];
  /** A zone and another name of it. */
  readonly links: readonly string[];
}

export interface LatestZones {
  readonly version: string;
  readonly zones: ReadonlyMap<string, Zone>;
}

const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX";

/** Base 60, with a fraction: `-1.U` is -1.5. */
function toNumber(text: string): number {
  const [, sign, whole = "", fraction = ""] = /^(-?)([^.]*)\.?(.*)$/.exec(text) ?? [];
  const value = [...whole].reduce((sum, digit) => 60 * sum + digits.indexOf(digit), 0);
  const rest = [...fraction].reduceRight((sum, digit) => (sum + digits.indexOf(digit)) / 60, 0);
  return (value + rest) * (sign === "-" ? -1 : 1);
}

/** In minutes, and with offsets to the east, not to the west. */
export function readPackedZones({ version, zones, links }: Packed): LatestZones {
  const found = new Map<string, Zone>();
  for (const packed of zones) {
    const [name = "", , offsets = "", which = "", lengths = ""] = packed.split("|");
    const choices = offsets.split(" ").map((offset) => 0 - Math.round(toNumber(offset)));
    const inOrder = [...which].map((digit) => choices[digits.indexOf(digit)] ?? 0);
    let at = 0;
    const changes = lengths.split(" ").flatMap((length, index) => {
      at += toNumber(length);
      const offset = inOrder[index + 1];
      return length === "" || offset === undefined ? [] : [[Math.round(at), offset] as const];
    });
    found.set(name, { first: inOrder[0] ?? 0, changes });
  }
  for (const link of links) {
    const [zone = "", alias = ""] = link.split("|");
    const target = found.get(zone);
    if (target) found.set(alias, target);
  }
  return { version, zones: found };
}
