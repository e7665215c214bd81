import * as z from "zod";
import { hasCardNumber, withoutCardNumbers } from "./card-numbers.ts";
import "./fault-messages.ts";
import { type IdKind, idPrefixes } from "./identifiers.ts";

/** ISO 3166-1: each alpha-3 code with its alpha-2 code. `Intl` knows withdrawn and private ones. */
const countryCodes = (
  "ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATAAQ ATFTF ATGAG AUSAU AUTAT AZEAZ " +
  "BDIBI BELBE BENBJ BESBQ BFABF BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL BLRBY BLZBZ BMUBM BOLBO BRABR BRBBB " +
  "BRNBN BTNBT BVTBV BWABW CAFCF CANCA CCKCC CHECH CHLCL CHNCN CIVCI CMRCM CODCD COGCG COKCK COLCO COMKM " +
  "CPVCV CRICR CUBCU CUWCW CXRCX CYMKY CYPCY CZECZ DEUDE DJIDJ DMADM DNKDK DOMDO DZADZ ECUEC EGYEG ERIER " +
  "ESHEH ESPES ESTEE ETHET FINFI FJIFJ FLKFK FRAFR FROFO FSMFM GABGA GBRGB GEOGE GGYGG GHAGH GIBGI GINGN " +
  "GLPGP GMBGM GNBGW GNQGQ GRCGR GRDGD GRLGL GTMGT GUFGF GUMGU GUYGY HKGHK HMDHM HNDHN HRVHR HTIHT HUNHU " +
  "IDNID IMNIM INDIN IOTIO IRLIE IRNIR IRQIQ ISLIS ISRIL ITAIT JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG " +
  "KHMKH KIRKI KNAKN KORKR KWTKW LAOLA LBNLB LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT LUXLU LVALV MACMO " +
  "MAFMF MARMA MCOMC MDAMD MDGMG MDVMV MEXMX MHLMH MKDMK MLIML MLTMT MMRMM MNEME MNGMN MNPMP MOZMZ MRTMR " +
  "MSRMS MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE NFKNF NGANG NICNI NIUNU NLDNL NORNO NPLNP NRUNR " +
  "NZLNZ OMNOM PAKPK PANPA PCNPN PERPE PHLPH PLWPW PNGPG POLPL PRIPR PRKKP PRTPT PRYPY PSEPS PYFPF QATQA " +
  "REURE ROURO RUSRU RWARW SAUSA SDNSD SENSN SGPSG SGSGS SHNSH SJMSJ SLBSB SLESL SLVSV SMRSM SOMSO SPMPM " +
  "SRBRS SSDSS STPST SURSR SVKSK SVNSI SWESE SWZSZ SXMSX SYCSC SYRSY TCATC TCDTD TGOTG THATH TJKTJ TKLTK " +
  "TKMTM TLSTL TONTO TTOTT TUNTN TURTR TUVTV TWNTW TZATZ UGAUG UKRUA UMIUM URYUY USAUS UZBUZ VATVA VCTVC " +
  "VENVE VGBVG VIRVI VNMVN VUTVU WLFWF WSMWS YEMYE ZAFZA ZMBZM ZWEZW"
).split(" ");

/** The alpha-2 code of each alpha-3 code. */
export const alpha2: ReadonlyMap<string, string> = new Map(
  countryCodes.map((codes) => [codes.slice(0, 3), codes.slice(3)]),
);
export const countries: ReadonlySet<string> = new Set(alpha2.values());

/** Creates each schema once, because many fields share one. */
function once<K, S>(make: (kind: K) => S): (kind: K) => S {
  const made = new Map<K, S>();
  return (kind) => {
    const schema = made.get(kind) ?? make(kind);
    made.set(kind, schema);
    return schema;
  };
}

/** A prefix and a ULID: `crd_01J9ZC3P2V8Q4N6T0B5W7XKD1M`. */
export const id = once((kind: IdKind) => {
  const words = (kind === "hold" ? "authorization" : kind).replaceAll(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`);
  const message = `must be ${/^[aeiou]/.test(words) ? "an" : "a"} ${words} id`;
  return z.string().regex(new RegExp(`^${idPrefixes[kind]}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`), message);
});

const notBlank = z.refine<string>((value) => /[^\s\p{Cf}]/u.test(value), "must not be blank");

/** 1 to `max` characters, not trimmed, not all blank, without control characters. */
export const text = once((max: number) =>
  z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(max),
      z.regex(/^[^\p{Cc}\p{Cs}]*$/u, "must not contain control characters"),
      notBlank,
    ),
);

/** What people write: a `text` in which card numbers are masked. */
export const prose = once((max: number) => text(max).overwrite(withoutCardNumbers));

/** Like `prose`, but may contain line breaks and tabs. */
export const paragraphs = (max: number) =>
  z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(max),
      z.regex(/^(?:[^\p{Cc}\p{Cs}]|[\n\r\t])*$/u, "must not contain control characters"),
      notBlank,
      z.overwrite(withoutCardNumbers),
    );

/**
 * The `when` of a rule over several fields: it also runs if fields are faulty, so that all faults
 * are listed. The rule must accept values of any type.
 */
export const besideOtherFaults = () => true;

type Codes = Readonly<Record<string, number>>;

/** The OpenAPI document finds an enum's name by its schema. */
export const integerEnum = once((codes: Codes) => z.literal(Object.values(codes))) as <const E extends Codes>(
  codes: E,
) => z.ZodLiteral<E[keyof E]>;

/** An operation moves at most a thousand million units of the base currency. */
export const maximumAmountMinor = 100_000_000_000;

/** In minor units: 1050 is 10.50. */
export const positiveAmount = z.int().min(1).max(maximumAmountMinor);

/** In minor units. May be zero or negative. */
export const amount = z.int();

/** ISO 8601, UTC, milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

export const country = z.string().refine((code) => countries.has(code), "must be an ISO 3166-1 alpha-2 code");

/** One merchant category code or a range: `5541`, `5500-5599`. */
export const mccOrRange = z
  .string()
  .regex(/^\d{4}(-\d{4})?$/, "must be four digits, or a range as 5500-5599")
  .refine((given) => {
    const [first = "", last = first] = given.split("-");
    return first <= last;
  }, "must begin with the lower code");

export const phoneNumber = z.string().regex(/^\+[1-9]\d{6,14}$/, "must be an E.164 number");

export const memo = prose(140);

/** An identifier that the caller chooses is never masked: others would be the same then. */
const noCardNumber = z.refine<string>((value) => !hasCardNumber(value), "must not contain a card number");

/** ISO 11649: what a payer writes to reach a Wallet or Card. Ids from 2527 on have none. */
export const creditorReference = z.string().regex(/^RF\d{2}[0-9A-HJKMNP-TV-Z]{21}$/);

/** The same of an announced deposit: it has a U, which no other has. */
export const depositReference = z.string().regex(/^RF\d{2}[0-9A-HJKMNP-Z]{21}$/);

/** The caller's own identifier of a record. */
export const externalId = text(64).check(noCardNumber);

/** The first digits of card numbers (IIN, ISO/IEC 7812-1), of a range of payment cards. */
export const bin = z
  .string()
  .regex(/^[2-6](\d{5}|\d{7})$/, "must be six or eight digits, the first one 2 to 6");

export const maximumMetadataKeys = 20;
export const maximumMetadataBytes = 8 * 1024;

const metadataKey = z
  .string()
  .check(z.regex(/^[A-Za-z0-9_.-]{1,40}$/, "must be 1 to 40 letters, digits, _ . or -"), noCardNumber);

/** What is wrong with it as a whole; undefined if nothing is. */
export function metadataFault(metadata: Readonly<Record<string, string>>): string | undefined {
  if (Object.keys(metadata).length > maximumMetadataKeys)
    return `must have at most ${maximumMetadataKeys} keys`;
  const bytes = new TextEncoder().encode(JSON.stringify(metadata)).length;
  return bytes > maximumMetadataBytes ? `must be at most ${maximumMetadataBytes} bytes of JSON` : undefined;
}

/** Sorted: with its keys in another order, it is the same. */
const entries = z
  .record(metadataKey, prose(500))
  .overwrite((given) => Object.fromEntries(Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1))));

/** The caller's own data on a record. */
export const metadata = entries.superRefine((given, context) => {
  const message = metadataFault(given);
  if (message) context.addIssue({ code: "custom", message, input: given });
});
export type Metadata = Readonly<z.output<typeof metadata>>;

/** It is merged with what is there: `null` removes a key, or all. */
const metadataChange = z.record(metadataKey, prose(500).nullable()).nullable();
export type MetadataChange = Readonly<z.output<typeof metadataChange>>;

/** What callers name and describe themselves. An `externalId` is unique in the Program and kind. */
export type LabelledKind =
  | "cardholder"
  | "card"
  | "wallet"
  | "transfer"
  | "control"
  | "dispute"
  | "payout"
  | "pull";
/** A deposit's `externalId` is not unique. */
export type NamedKind = LabelledKind | "deposit";
export const labels = { externalId: externalId.optional(), metadata: metadata.optional() };
export const labelChanges = {
  externalId: externalId.nullable().optional(),
  metadata: metadataChange.optional(),
};

const queryNumber = z
  .string()
  .regex(/^-?\d{1,15}$/, "must be an integer of at most 15 digits")
  .transform(Number);

export const queryInteger = (min: number, max: number) =>
  queryNumber.pipe(z.int().check(z.gte(min), z.lte(max)));

/** The amounts of a list, in minor units, both included. */
export const ranges = {
  amountFrom: queryInteger(-999_999_999_999_999, 999_999_999_999_999).optional(),
  amountTo: queryInteger(-999_999_999_999_999, 999_999_999_999_999).optional(),
};

const checkRanges = z.superRefine<Readonly<Record<string, unknown>>>((given, context) => {
  const { amountFrom, amountTo } = given;
  if (typeof amountFrom !== "number" || typeof amountTo !== "number" || amountFrom <= amountTo) return;
  const message = "must not be more than amountTo";
  context.addIssue({ code: "custom", path: ["amountFrom"], message, input: given });
});

export const queryEnum = <const E extends Codes>(codes: E) => queryNumber.pipe(integerEnum(codes));

const unixSeconds = z
  .string()
  .regex(/^\d{1,11}$/, "must be a Unix timestamp in seconds")
  .transform(Number)
  .pipe(z.int().min(0).max(99_999_999_999));

const direction = z.enum(["asc", "desc"]);
const sort = { asc: direction.default("asc"), desc: direction.default("desc") };
const page = {
  before: unixSeconds.optional(),
  after: unixSeconds.optional(),
  limit: queryInteger(1, 200).default(50),
  offset: queryInteger(0, 999_999_999_999_999).default(0),
};

type Orders = readonly [string, ...string[]];
interface DefaultOrder<O extends Orders> {
  readonly orderBy: O[number];
  readonly sort: "asc" | "desc";
}

/**
 * The parameters of a list: its orders, its filters, and the default order, which is newest first.
 * `before` and `after` match records created strictly before or after, in Unix seconds.
 */
export function listQuery<const O extends Orders, F extends z.ZodRawShape>(
  orders: O,
  filters: F,
  ...[defaults]: "dateCreated" extends O[number] ? [DefaultOrder<O>?] : [DefaultOrder<O>]
) {
  const { orderBy, sort: direction } = defaults ?? { orderBy: "dateCreated", sort: "desc" };
  return z
    .object({
      ...filters,
      orderBy: z.enum(orders).default(orderBy as never),
      sort: sort[direction],
      ...page,
    })
    .check(checkRanges as never);
}

/** Deprecated endpoints ignore their body and return an empty answer. */
export const DeprecatedAnswer = z.object({});

export const idempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, "must be 1 to 255 printable ASCII characters")
  .check(noCardNumber);

/** A day of the Program: `2026-11-20`. The first and the last reach into years of other digits. */
export const calendarDate = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .refine((date) => date > "0000-01-01" && date < "9999-12-31")
  .refine((date) => new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) === true);
