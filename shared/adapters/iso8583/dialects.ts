import { type Dialect, plain, toAcceptor } from "./dialect.ts";
import { readMastercard } from "./mastercard.ts";
import { readVisa } from "./visa.ts";

const standardAcceptor = toAcceptor([0, 23], [23, 36], [38, 40]);

/** A row for each. */
export const dialects = {
  default: { ...plain, readOwn: (values) => ({ ...readMastercard(values), readAcceptor: standardAcceptor }) },
  mastercard: { text: "ebcdic", digits: "characters", lengths: "digits", readOwn: readMastercard },
  visa: { text: "ebcdic", digits: "bcd", lengths: "byte", readOwn: readVisa },
} as const satisfies Record<string, Dialect>;
export type DialectName = keyof typeof dialects;
