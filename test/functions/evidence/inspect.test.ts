import { describe, expect, it } from "vitest";
import { inspect } from "../../../functions/evidence/inspect.ts";
import { jpeg, pdf, png, pngChunk } from "../../harness/given-documents.ts";

const all = Buffer.concat;
const archive = Buffer.from(`PK\x05\x06${"\0".repeat(18)}`, "latin1");
const archiveAround = (bytes: Buffer) => {
  const end = Buffer.from(archive);
  end.writeUInt16LE(bytes.length, 20);
  return all([end, bytes]);
};
const web = Buffer.from("<html><script>1</script></html>");
const afterSignature = (chunk: Buffer) => all([png().subarray(0, 8 + 25), chunk, png().subarray(8 + 25)]);
const changed = (bytes: Buffer, at: number, value: number) => {
  const copy = Buffer.from(bytes);
  copy[at < 0 ? bytes.length + at : at] = value;
  return copy;
};
const packed = pdf({ packed: "5 0 <</Type /Font>>" });
const withoutEnd = (bytes: Buffer) => bytes.subarray(0, -1);

describe("evidence is accepted", () => {
  it.each([
    ["a PNG", png(3, 5), "image/png"],
    ["a PNG with a text in it", afterSignature(pngChunk("tEXt", Buffer.from("Title\0Receipt"))), "image/png"],
    ["a JPEG", jpeg(), "image/jpeg"],
    ["a JPEG with a second image behind it", all([jpeg(), jpeg()]), "image/jpeg"],
    ["a JPEG with padding", all([jpeg(), Buffer.alloc(7)]), "image/jpeg"],
    ["a PDF", pdf(), "application/pdf"],
    ["a PDF with packed objects", pdf({ packed: "5 0 <</Type /Font>>" }), "application/pdf"],
  ] as const)("%s", (_, bytes, contentType) => {
    expect(inspect(bytes, contentType)).toBeUndefined();
  });
});

describe("evidence is rejected", () => {
  it.each([
    ["a PDF that is called a PNG", pdf(), "image/png", "other_type"],
    ["a PNG that is called a JPEG", png(), "image/jpeg", "other_type"],
    ["a web page that is called a PDF", web, "application/pdf", "other_type"],
    ["a PDF that begins later", all([web, pdf()]), "application/pdf", "other_type"],
    ["nothing", Buffer.alloc(0), "application/pdf", "other_type"],
    ["a PNG's signature alone", png().subarray(0, 8), "image/png", "malformed"],
    ["a PNG's signature before a web page", all([png().subarray(0, 8), web]), "image/png", "malformed"],
    ["a PNG without its end", withoutEnd(png()), "image/png", "malformed"],
    ["a PNG with something behind it", all([png(), web]), "image/png", "malformed"],
    ["a PNG with a changed byte", changed(png(), 20, 9), "image/png", "malformed"],
    ["a PNG of no width", png(0, 1), "image/png", "malformed"],
    ["a PNG without an image", all([png().subarray(0, 33), png().subarray(-12)]), "image/png", "malformed"],
    ["a PNG with an unknown critical chunk", afterSignature(pngChunk("EVIL", web)), "image/png", "malformed"],
    ["a PNG with a second header", all([png().subarray(0, 33), png().subarray(8)]), "image/png", "malformed"],
    ["a PNG with a PDF in it", afterSignature(pngChunk("teXt", pdf())), "image/png", "malformed"],
    [
      "a PNG in the comment of an archive",
      all([
        png().subarray(0, 33),
        pngChunk("zipx", archiveAround(all([Buffer.alloc(4), png().subarray(33)]))).subarray(0, -4),
        png().subarray(33),
      ]),
      "image/png",
      "malformed",
    ],
    ["a JPEG's first bytes", Buffer.from([0xff, 0xd8, 0xff]), "image/jpeg", "malformed"],
    [
      "a JPEG's first bytes before a web page",
      all([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), web]),
      "image/jpeg",
      "malformed",
    ],
    ["a JPEG without its end", withoutEnd(jpeg()), "image/jpeg", "malformed"],
    ["a JPEG with an archive behind it", all([jpeg(), archive]), "image/jpeg", "malformed"],
    ["a JPEG with a web page behind it", all([jpeg(), web]), "image/jpeg", "malformed"],
    ["a JPEG without a scan", all([jpeg().subarray(0, 2), jpeg().subarray(-2)]), "image/jpeg", "malformed"],
    ["a JPEG of no height", changed(jpeg(), 77, 0), "image/jpeg", "malformed"],
    ["a PDF's header alone", Buffer.from("%PDF-1.7\n"), "application/pdf", "malformed"],
    [
      "a PDF's header before a web page",
      all([Buffer.from("%PDF-1.7\n"), web]),
      "application/pdf",
      "malformed",
    ],
    ["a PDF with something behind it", all([pdf(), web]), "application/pdf", "malformed"],
    ["a PDF with an archive behind it", all([pdf(), archive]), "application/pdf", "malformed"],
    ["a PDF without its end", pdf().subarray(0, -20), "application/pdf", "malformed"],
    [
      "a PDF whose references are elsewhere",
      all([Buffer.from("%PDF-1.4\n"), pdf()]),
      "application/pdf",
      "malformed",
    ],
    [
      "a PDF with an unreadable object stream",
      changed(packed, packed.indexOf("stream\n") + 7, 0),
      "application/pdf",
      "malformed",
    ],
    ["a PDF with a password", pdf({ trailer: "/Encrypt 9 0 R" }), "application/pdf", "encrypted"],
    [
      "a PDF with a script",
      pdf({ catalogue: "/OpenAction <</S /JavaScript /JS (1)>>" }),
      "application/pdf",
      "active_content",
    ],
    [
      "a PDF with a disguised script",
      pdf({ catalogue: "/OpenAction <</S /Java#53cript /JS (1)>>" }),
      "application/pdf",
      "active_content",
    ],
    [
      "a PDF with a packed script",
      pdf({ packed: "5 0 <</S /JavaScript /JS (1)>>" }),
      "application/pdf",
      "active_content",
    ],
    [
      "a PDF that starts a program",
      pdf({ catalogue: "/OpenAction <</S /Launch /F (a)>>" }),
      "application/pdf",
      "active_content",
    ],
  ] as const)("%s", (_, bytes, contentType, reason) => {
    expect(inspect(bytes, contentType)).toBe(reason);
  });

  it("every part of a file, whatever its length", () => {
    for (const [whole, contentType] of [
      [png(), "image/png"],
      [jpeg(), "image/jpeg"],
      [pdf().subarray(0, -1), "application/pdf"],
    ] as const) {
      for (let length = 0; length < whole.length; length += 1)
        expect(inspect(whole.subarray(0, length), contentType), `${contentType}, ${length}`).toBeDefined();
    }
  });
});
