import type { EntryMode } from "../../contract/card-network.ts";
import { alpha2 } from "../../contract/primitives.ts";
import type { EntryCapability, StoredCredential, ThreeDSResult } from "../../contract/verification.ts";
import { type CardAcceptor, commonModes, type OwnLayout, toAcceptor, toCapability } from "./dialect.ts";
import { readSubelements, type Values } from "./fields.ts";

/** 79 and 80: the chip could not be read. */
const entryModes = {
  ...commonModes,
  "06": "keyed",
  "09": "ecommerce",
  "79": "keyed",
  "80": "magstripe",
  "81": "ecommerce",
  "82": "ecommerce",
} as const satisfies Record<string, EntryMode>;

const unitedStates =
  "AK AL AR AZ CA CO CT DC DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT " +
  "NC ND NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY";
/** Their codes are those of ISO 3166-1 too. */
const territories = "AS GU MP PR UM VI";
const provinces = "AB BC MB NB NL NS NT NU ON PE QC SK YT";

const countryOfState = new Map([
  ...unitedStates.split(" ").map((state) => [state, "US"] as const),
  ...territories.split(" ").map((territory) => [territory, territory] as const),
  ...provinces.split(" ").map((province) => [province, "CA"] as const),
]);

const readPlaces = toAcceptor([0, 22], [23, 36], [37, 40]);

/** Two letters are a state of the United States or a province of Canada: `CA` is California. */
function readAcceptor(location: string): CardAcceptor {
  const acceptor = readPlaces(location);
  const { country: code } = acceptor;
  return { ...acceptor, country: alpha2.get(code) ?? countryOfState.get(code) ?? (code && unknownCode) };
}

/** As sent, it could be another country's alpha-2 code. */
const unknownCode = "?";

const recurringPresence = "4";
const onlinePresence = "5";

/** DE48 subelements 43, 61 and 92, and subfield 4 of DE61. */
export function readMastercard(values: Values): OwnLayout {
  const additional = readSubelements(values[48]);
  const presence = values[61]?.[3];
  return {
    readAcceptor,
    entryModes,
    presence:
      presence === recurringPresence ? "recurring" : presence === onlinePresence ? "online" : undefined,
    supportsPartial: additional.get("61")?.[0] === "1",
    cvv: additional.get("92"),
    cavv: additional.get("43")?.trim(),
    use: readUse(values, additional, presence === onlinePresence),
  };
}

const capabilities: Readonly<Record<string, EntryCapability>> = {
  "2": "magstripe",
  "3": "contactless",
  "4": "contactless",
  "5": "chip",
  "6": "keyed",
  "7": "magstripe",
  "8": "chip",
  "9": "chip",
};

/**
 * The third digit of DE48 subelement 42: what the merchant collected of the authentication. That
 * there was one is no merchant's to say: its proof, the CAVV, tells.
 */
const collected: Readonly<Record<string, ThreeDSResult>> = {
  "4": "exempted",
  "6": "exempted",
};

/** DE48 subelement 22, subfield 05: who began the payment, and why. */
const initiated: Readonly<Record<string, StoredCredential>> = {
  C101: "cardholder",
  C102: "initial",
  C103: "initial",
  C104: "initial",
  M101: "unscheduled",
  M102: "recurring",
  M103: "recurring",
  M104: "installment",
  M205: "unscheduled",
  M206: "unscheduled",
  M207: "unscheduled",
  M208: "unscheduled",
};

/** DE48 subelements 22 and 42, and subfield 11 of DE61. */
function readUse(values: Values, additional: ReadonlyMap<string, string>, isOnline: boolean) {
  const commerce = additional.get("42")?.replace(/^0103(?=...$)/, "");
  const purpose = /^(?:\d\d\d\d.{4})*?0504(.{4})/.exec(additional.get("22") ?? "")?.[1];
  return {
    entryCapability: toCapability(capabilities, values[61]?.[10], isOnline),
    threeDS: collected[commerce?.[2] ?? ""],
    storedCredential: initiated[purpose ?? ""],
  };
}
