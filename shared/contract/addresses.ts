import type * as z from "zod";
import { besideOtherFaults, country, prose, text } from "./primitives.ts";

/**
 * The countries in which an address needs a postal code, by the data of
 * github.com/google/libaddressinput (12 June 2025): those whose `require` has Z. In the others
 * there is none, as in Hong Kong, the Emirates and Panama, or addresses do without.
 */
const needPostalCode: ReadonlySet<string> = new Set(
  (
    "AS AT AU AX BE BL BR CA CH CN CZ DE DK EE ES FI FK FM FR GB GF GG GL GP GR GS GU HU IM IN IO IT JE JP KR LI LT LU LV " +
    "MF MH MP MQ MX MY NC NL NO NZ PF PL PM PN PR PT PW RE RO RU SE SG SH SJ SK SM TC TR TW UA US VI WF YT ZA"
  ).split(" "),
);

export const addressFields = {
  line1: prose(100),
  line2: prose(100).optional(),
  city: prose(100),
  state: prose(100).optional(),
  postalCode: text(20).optional(),
  country,
};

/** An address, or more, whose country decides on its postal code. */
export function withPostalCode<S extends z.ZodObject>(schema: S): S {
  return schema.refine(
    (given) => given?.postalCode !== undefined || !needPostalCode.has(given?.country as string),
    { path: ["postalCode"], message: "is required in this country", when: besideOtherFaults },
  );
}
