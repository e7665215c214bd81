import { describe, expect, it } from "vitest";
import { mailAddress } from "../../../shared/contract/mail-address.ts";

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
