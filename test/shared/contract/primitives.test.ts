import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ControlCreate, durationMinutes } from "../../../shared/contract/controls.ts";
import { idPrefixes } from "../../../shared/contract/identifiers.ts";
import { mailAddress, sentAddress } from "../../../shared/contract/mail-address.ts";
import {
  countries,
  country,
  id,
  memo,
  phoneNumber,
  positiveAmount,
  text,
} from "../../../shared/contract/primitives.ts";
import { newId } from "../../../shared/platform/id.ts";

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

describe("an identifier", () => {
  it.each(Object.keys(idPrefixes) as (keyof typeof idPrefixes)[])(
    "%s: is what the platform makes",
    (kind) => {
      expect(accepts(id(kind), newId(kind))).toBe(true);
      expect(newId(kind).slice(0, 4)).toBe(`${idPrefixes[kind]}_`);
    },
  );

  it.each([
    ["externalAccount", "must be an external account id"],
    ["card", "must be a card id"],
    ["hold", "must be an authorization id"],
  ] as const)("%s: a wrong one is told in words", (kind, message) => {
    expect(id(kind).safeParse("x").error?.issues[0]?.message).toBe(message);
  });

  it("is of one kind", () => {
    expect(accepts(id("card"), newId("wallet"))).toBe(false);
    expect(new Set(Object.values(idPrefixes)).size).toBe(Object.keys(idPrefixes).length);
  });

  it("orders as it was made, thousands in a millisecond", () => {
    const made = Array.from({ length: 5_000 }, () => newId("card"));
    expect(made.toSorted()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });
});

describe("a country", () => {
  it("is one of the 249 that ISO 3166-1 assigns", () => {
    expect(countries.size).toBe(249);
    for (const code of ["GB", "US", "FR", "SS", "BQ", "TW"]) expect(accepts(country, code), code).toBe(true);
  });

  it("is no withdrawn, reserved, private, lower-case or longer code", () => {
    for (const code of " ZZ UK EU SU YU AN XK XA gb GBR 826 G1 __proto__".split(" "))
      expect(accepts(country, code), code).toBe(false);
  });

  it("has its own name in Intl", () => {
    const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
    for (const code of countries) expect(names.of(code), code).toBeDefined();
  });
});

describe("a text", () => {
  it("keeps what it was given", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }), (value) => {
        const parsed = text(200).safeParse(value);
        if (parsed.success) expect(parsed.data).toBe(value);
        else expect(value.trim() === "" || /[\p{Cc}\p{Cs}]/u.test(value)).toBe(true);
      }),
    );
  });

  it("has its bounds", () => {
    expect(accepts(memo, "m".repeat(140))).toBe(true);
    expect(accepts(memo, "m".repeat(141))).toBe(false);
  });
});

describe("an amount", () => {
  it.each([1, 100_000_000_000])("%s is in range", (value) => {
    expect(accepts(positiveAmount, value)).toBe(true);
  });

  it.each([0, -1, 0.01, 100_000_000_001, Number.NaN, Number.POSITIVE_INFINITY, 1n, "1"])(
    "%s is not",
    (value) => {
      expect(accepts(positiveAmount, value)).toBe(false);
    },
  );
});

describe("a phone number", () => {
  it.each(["+442079460000", "+12025550100"])("%s is E.164", (value) => {
    expect(accepts(phoneNumber, value)).toBe(true);
  });

  it.each(["442079460000", "+0442079460000", "+44 20 7946 0000", "+1234567890123456", "+44"])(
    "%s is not",
    (value) => {
      expect(accepts(phoneNumber, value)).toBe(false);
    },
  );
});

describe("the duration of a window", () => {
  it.each([
    ["PT10M", 10],
    ["PT36H", 2_160],
    ["P1D", 1_440],
    ["P1DT2H30M", 1_590],
    ["P90D", 129_600],
    ["PT129600M", 129_600],
  ])("%s has %i minutes, and is accepted", (window, minutes) => {
    expect(durationMinutes(window)).toBe(minutes);
    const control = { name: "Limit", velocity: { amount: 1, window } };
    expect(ControlCreate.safeParse(control).success).toBe(true);
  });

  it.each(["P", "PT", "P1DT", "P1M", "P1W", "PT10S", "PT1.5H", "-PT10M", "10", "P100D", "pt10m", ""])(
    "%s is none",
    (window) => {
      expect(durationMinutes(window)).toBeUndefined();
      const control = { name: "Limit", velocity: { amount: 1, window } };
      expect(ControlCreate.safeParse(control).success).toBe(false);
    },
  );
});

it.each([
  ["ada@example.com", true],
  ["o'brien+cards@mail.example.co.uk", true],
  ["ivan@xn--e1afmkfd.xn--p1ai", true],
  ["info@xn--bcher-kva.example", true],
  ["jörg@example.de", false],
  ["ada@bücher.example", false],
  ['"a,b"@example.com', false],
  ["ada@example", false],
])("whether SES sends to %s: %s", (address, expected) =>
  expect(sentAddress.safeParse(address).success).toBe(expected),
);

const isTaken = (address: string) => mailAddress.safeParse(address).success;
const label = (length: number) => "a".repeat(length);

describe("a mail address", () => {
  it.each([
    "ada@example.com",
    "smith&sons@example.com",
    "!#$%&'*+-/=?^_`{|}~@example.com",
    "o'brien+cards@mail.example.co.uk",
    '"john smith"@example.com',
    '"a\\"b@c"@example.com',
    "jörg@example.de",
    "用户@例子.广告",
    "ivan@xn--e1afmkfd.xn--p1ai",
    "иван@пример.рф",
    "अजय@डाटा.भारत",
    "a@b--c.example",
    "1@2.example",
    `${label(64)}@example.com`,
    `a@${label(63)}.example`,
    `${label(64)}@${label(63)}.${label(63)}.${label(61)}`,
  ])("is %s", (address) => expect(isTaken(address)).toBe(true));

  it.each([
    "",
    "ada",
    "@example.com",
    "ada@",
    "ada@example",
    "ada@@example.com",
    "ada@exa mple.com",
    "a b@example.com",
    ".ada@example.com",
    "ada.@example.com",
    "a..b@example.com",
    "ada@.example.com",
    "ada@example..com",
    "ada@example.com.",
    "ada@-example.com",
    "ada@example-.com",
    "ada@exam_ple.com",
    "ada@192.0.2.1",
    "ada@0x7f.1",
    "ada@[192.0.2.1]",
    "ada@example.com/path",
    "ada@example.com:25",
    "ada@example.com\n",
    "ada\u0000@example.com",
    'a"b@example.com',
    '"a"b"@example.com',
    '"a\\"@example.com',
    "Ada <ada@example.com>",
    "a,b@example.com",
    "a\u00a0b@example.com",
    "a\ud800@example.com",
    `${label(65)}@example.com`,
    `${"ö".repeat(33)}@example.com`,
    `a@${label(64)}.example`,
    `${label(64)}@${label(63)}.${label(63)}.${label(62)}`,
  ])("is not %j", (address) => expect(isTaken(address)).toBe(false));
});
