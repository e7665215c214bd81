import * as z from "zod";
import { Counted } from "../controls/usage.ts";
import { countedMinor, holds, partsThatCount } from "./hold.ts";

/** What controls have counted of a hold, or of a transaction without one. */
export function countedParts(record: Readonly<Record<string, unknown>>): Counted[] {
  if (record.sk !== "HOLD") return z.array(Counted).parse(record.counted);
  const hold = holds.parse(record);
  return partsThatCount(hold.counted ?? [], countedMinor(hold));
}
