import { describe, expect, it } from "vitest";
import {
  FileVerification,
  readDetail,
  readMoney,
  recordBytes,
} from "../../../../shared/adapters/clearing-file/read-record.ts";
import { clearingFileOf, detailOf, fileOf, headerOf, trailerOf } from "../clearing-records.ts";

const cardNumber = "4000001234567899";

function verify(file: string, recordsAtOnce = 2) {
  const bytes = Buffer.from(file, "latin1");
  let verification = new FileVerification(bytes.length);
  for (let at = 0; at < bytes.length; at += recordsAtOnce * recordBytes) {
    const fault = verification.add(bytes.subarray(at, at + recordsAtOnce * recordBytes));
    if (fault) return fault;
    // As another invocation does.
    verification = new FileVerification(bytes.length, verification.state());
  }
  return verification.end();
}

/** Replaces the characters of a record from a place on, counted from 1. */
const put = (record: string, place: number, text: string) =>
  record.slice(0, place - 1) + text + record.slice(place - 1 + text.length);

describe("a detail record", () => {
  it("is read field by field", () => {
    const record = detailOf(7, {
      referenceCode: "12345678901234567890123",
      cardNumber,
      direction: "C",
      extent: "P",
      amount: 1234,
      currency: "978",
      srcAmount: 1500,
      srcCurrency: "392",
      retrievalReference: "RRN000000001",
      systemTrace: "000042",
      acquirer: "123456",
      transmittedAt: "1123120000",
    });
    expect(record).toHaveLength(200);
    expect(readDetail(record)).toEqual({
      number: 7,
      cardNumber,
      isCredit: true,
      isFinal: false,
      billingAmount: 1234,
      billingCurrency: "978",
      referenceCode: "12345678901234567890123",
      authorizationId: "123456.RRN000000001.000042.1123120000",
      authorizedAt: "1123120000",
      merchant: {
        // Yen have no hundredths: events have hundredths all the same.
        srcAmount: 1_500,
        srcCurrency: "392",
        mcc: "5411",
        merchantName: "CORNER SHOP",
        merchantCity: "LONDON",
        merchantCountry: "GB",
      },
    });
  });

  it("may name a merchant in Latin-1", () => {
    const record = detailOf(1, { referenceCode: "1", merchant: "CAF\u00c9 Z\u00dcRICH" });
    expect(readDetail(record)).toMatchObject({ merchant: { merchantName: "CAF\u00c9 Z\u00dcRICH" } });
  });

  it("names no authorization where one of the four elements is blank, and no merchant where all is", () => {
    const record = detailOf(1, {
      referenceCode: "1",
      retrievalReference: "RRN000000001",
      systemTrace: "000042",
      transmittedAt: "1123120000",
      mcc: "",
      merchant: "",
      city: "",
      country: "",
    });
    expect(readDetail(record)).toEqual({
      ...{ number: 1, cardNumber, isCredit: false, isFinal: true, billingAmount: 1000 },
      ...{ billingCurrency: "840", referenceCode: "1", merchant: { srcAmount: 1000, srcCurrency: "840" } },
    });
  });

  it.each([
    [12, "4000 00", "12-30 must be 12 to 19 digits"],
    [31, "X", "31-31 must be D or C"],
    [32, "X", "32-32 must be F or P"],
    [33, " ", "33-44 must be digits"],
    [12, "400000******7899", "12-30 must be 12 to 19 digits"],
    [63, "\u00c9", "63-74 must be left-justified ASCII"],
    [102, "\u00c9", "102-124 must be a reference"],
    [45, "USD", "45-47 must be digits"],
    [48, "-", "48-59 must be digits"],
    [102, " ", "102-124 must be a reference"],
    [125, "54A1", "125-128 must be four digits"],
    [129, " ", "129-150 must be left-justified"],
    [164, "gb", "164-165 must be two letters"],
    [180, "\u0080", "it must be printable ASCII"],
    [1, "DXT", "it must begin with DET"],
  ])("is not well-formed with %i: %j", (place, text, reason) => {
    const record = put(detailOf(1, { referenceCode: "1234", cardNumber }), place, text);
    const read = readDetail(record);
    expect(read).toEqual({ reason: expect.stringContaining(reason) });
    expect(JSON.stringify(read)).not.toContain("1234567");
  });
});

describe("a clearing file", () => {
  const good = clearingFileOf(
    "F1",
    { referenceCode: "1" },
    { referenceCode: "2", direction: "C", amount: 5 },
  );

  it("is verified in parts of any size, with a digest of all of it", () => {
    const found = [1, 2, 3, 100].map((atOnce) => verify(good, atOnce));
    expect(new Set(found.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(found[0]).toMatchObject({ records: 2, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(verify(fileOf(headerOf("F1"), trailerOf(0, 0)))).toMatchObject({ records: 0 });
  });

  it.each(["\n", "\r\n\u001a", "\0".repeat(150), " \n"])("may end with %j behind its trailer", (filling) => {
    for (const atOnce of [1, 2, 3, 100]) expect(verify(good + filling, atOnce)).toMatchObject({ records: 2 });
  });

  it("may lack the last line feed, and is the same file", () => {
    for (const atOnce of [1, 2, 3, 100]) expect(verify(good.slice(0, -1), atOnce)).toEqual(verify(good));
  });

  const [header = "", first = "", second = "", trailer = ""] = good.split("\n");
  it.each([
    [
      "a count that disagrees",
      fileOf(header, first, second, trailerOf(3, 1005)),
      "counts 3 records, the file has 2",
    ],
    [
      "a sum that disagrees",
      fileOf(header, first, second, trailerOf(2, 1000)),
      "sum is 1000, the records' 1005",
    ],
    ["no trailer", fileOf(header, first, second), "it must begin with TRL"],
    ["no header", fileOf(first, second, trailer), "it must begin with HDR"],
    ["a header in the middle", fileOf(header, header, second, trailer), "it must begin with DET"],
    ["more after the trailer", `${good}x`, "200 characters and a line feed"],
    ["a whole record after the trailer", fileOf(header, first, trailer, second), "it must begin with DET"],
    [
      "a part of it",
      `${fileOf(header, first, second)}${trailer.slice(0, -1)}`,
      "200 characters and a line feed",
    ],
    ["nothing", "", "a header and a trailer"],
    ["a header alone", fileOf(header), "a header and a trailer"],
    ["other line ends", good.replaceAll("\n", "\r\n"), "200 characters and a line feed"],
    ["a shorter record", good.replace(first, first.slice(0, -1)), "200 characters and a line feed"],
    ["an impossible date", fileOf(headerOf("F1", "20260230"), trailerOf(0, 0)), "29-36 must be a date"],
    ["no id", fileOf(headerOf(""), trailerOf(0, 0)), "4-28 must be the file's id"],
  ])("is refused with %s", (_, file, reason) => {
    expect(verify(file)).toMatchObject({ reason: expect.stringContaining(reason) });
  });

  it("is verified with a record that is not well-formed, which is rejected alone, unless its amount cannot be read", () => {
    for (const [place, text] of [
      [12, "4***"],
      [31, "X"],
      [125, "54A1"],
      [4, "ABC"],
    ] as const)
      expect(verify(good.replace(first, put(first, place, text)))).toMatchObject({ records: 2 });
    expect(verify(good.replace(first, put(first, 33, "X")))).toMatchObject({
      reason: "33-44 must be digits",
    });
    expect(readMoney(first, 9)).toEqual({ record: 1, money: { currency: "840", amount: 1000 } });
    expect(readMoney(put(first, 4, "ABC"), 9)).toMatchObject({ record: 9 });
  });

  it("is refused however it is cut, and its fault shows no card number", () => {
    for (let length = 0; length < good.length; length += 7) {
      const found = verify(good.slice(0, length));
      expect(found).toHaveProperty("reason");
      expect(JSON.stringify(found)).not.toContain("1234567899");
    }
  });
});

describe("the interchange of a record", () => {
  const read = (interchange: string) => readDetail(detailOf(1, { referenceCode: "1", interchange }));

  it("is earned or paid, and absent from files that do not have it", () => {
    expect(read("+000000000015")).toMatchObject({ interchange: 15 });
    expect(read("-000000000450")).toMatchObject({ interchange: -450 });
    expect(read("")).not.toHaveProperty("interchange");
  });

  it.each(["0000000000015", "+15", "+00000000001a", " 000000000015"])("%j is malformed", (interchange) => {
    expect(read(interchange)).toEqual({ reason: "166-178 must be a sign and twelve digits, or spaces" });
  });
});
