import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inspect } from "../../../functions/evidence/inspect.ts";
import { jpeg, pdf, pdfOf, png, pngChunk } from "../../harness/given-documents.ts";
import { readTable } from "../../harness/rules-table.ts";
import { encodings, lzw, packed, script } from "./packed-pdfs.ts";

const catalogues = Object.fromEntries(
  readTable(readFileSync(new URL("catalogues.txt", import.meta.url), "utf8")).map(({ of, rows }) => [
    of,
    rows,
  ]),
);

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
const withFonts = pdf({ packed: "5 0 <</Type /Font>>" });
const withoutEnd = (bytes: Buffer) => bytes.subarray(0, -1);

describe("evidence is accepted", () => {
  it.each([
    ["a PNG", png(3, 5), "image/png"],
    ["a PNG with a text in it", afterSignature(pngChunk("tEXt", Buffer.from("Title\0Receipt"))), "image/png"],
    ["a JPEG", jpeg(), "image/jpeg"],
    ["a JPEG with a second image behind it", all([jpeg(), jpeg()]), "image/jpeg"],
    ["a JPEG with padding", all([jpeg(), Buffer.alloc(7)]), "image/jpeg"],
    ["a PDF", pdf(), "application/pdf"],
    ["a PDF with packed objects", withFonts, "application/pdf"],
  ] as const)("%s", (_, bytes, contentType) => {
    expect(inspect(bytes, contentType)).toBeUndefined();
  });
});

/** What is rejected, by what it is called and by the reason. */
const rejected: Readonly<Record<string, Readonly<Record<string, Buffer>>>> = {
  "image/png: other_type": {
    "a PDF that is called a PNG": pdf(),
  },
  "image/jpeg: other_type": {
    "a PNG that is called a JPEG": png(),
  },
  "application/pdf: other_type": {
    "a web page that is called a PDF": web,
    "a PDF that begins later": all([web, pdf()]),
    nothing: Buffer.alloc(0),
  },
  "image/png: malformed": {
    "a PNG's signature alone": png().subarray(0, 8),
    "a PNG's signature before a web page": all([png().subarray(0, 8), web]),
    "a PNG without its end": withoutEnd(png()),
    "a PNG with something behind it": all([png(), web]),
    "a PNG with a changed byte": changed(png(), 20, 9),
    "a PNG of no width": png(0, 1),
    "a PNG without an image": all([png().subarray(0, 33), png().subarray(-12)]),
    "a PNG with an unknown critical chunk": afterSignature(pngChunk("EVIL", web)),
    "a PNG with a second header": all([png().subarray(0, 33), png().subarray(8)]),
    "a PNG with a PDF in it": afterSignature(pngChunk("teXt", pdf())),
    "a PNG in the comment of an archive": all([
      png().subarray(0, 33),
      pngChunk("zipx", archiveAround(all([Buffer.alloc(4), png().subarray(33)]))).subarray(0, -4),
      png().subarray(33),
    ]),
  },
  "image/jpeg: malformed": {
    "a JPEG's first bytes": Buffer.from([0xff, 0xd8, 0xff]),
    "a JPEG's first bytes before a web page": all([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), web]),
    "a JPEG without its end": withoutEnd(jpeg()),
    "a JPEG with an archive behind it": all([jpeg(), archive]),
    "a JPEG with a web page behind it": all([jpeg(), web]),
    "a JPEG without a scan": all([jpeg().subarray(0, 2), jpeg().subarray(-2)]),
    "a JPEG of no height": changed(jpeg(), 77, 0),
  },
  "application/pdf: malformed": {
    "a PDF's header alone": Buffer.from("%PDF-1.7\n"),
    "a PDF's header before a web page": all([Buffer.from("%PDF-1.7\n"), web]),
    "a PDF with something behind it": all([pdf(), web]),
    "a PDF with an archive behind it": all([pdf(), archive]),
    "a PDF without its end": pdf().subarray(0, -20),
    "a PDF whose references are elsewhere": all([Buffer.from("%PDF-1.4\n"), pdf()]),
    "a PDF with an unreadable object stream": changed(withFonts, withFonts.indexOf("stream\n") + 7, 0),
  },
  "application/pdf: encrypted": {
    "a PDF with a password": pdf({ trailer: "/Encrypt 9 0 R" }),
  },
  "application/pdf: active_content": {
    "a PDF with a script": pdf({ catalogue: "/OpenAction <</S /JavaScript /JS (1)>>" }),
    "a PDF with a disguised script": pdf({ catalogue: "/OpenAction <</S /Java#53cript /JS (1)>>" }),
    "a PDF with a packed script": pdf({ packed: "5 0 <</S /JavaScript /JS (1)>>" }),
    "a PDF that starts a program": pdf({ catalogue: "/OpenAction <</S /Launch /F (a)>>" }),
  },
};

describe("evidence is rejected", () => {
  describe.each(Object.entries(rejected))("as %s", (called, files) => {
    const [contentType = "", reason] = called.split(": ");
    it.each(Object.entries(files))("%s", (_, bytes) => {
      expect(inspect(bytes, contentType as "image/png")).toBe(reason);
    });
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

const check = (bytes: Uint8Array) => inspect(bytes, "application/pdf");
describe("a script in an object stream is found", () => {
  it.each(Object.entries(encodings))("through %s", (_, [encode, filter]) => {
    expect(check(packed(encode, { filter }))).toBe("active_content");
    expect(
      check(packed(encode, { filter, action: "<< /S /URI /URI (https://a.example) >>" })),
    ).toBeUndefined();
  });

  it.each([0, 1] as const)("through LZW of all widths, growing early or not (%s)", (earlyChange) => {
    const numbers = Array.from({ length: 9_000 }, (_, index) => (index * index) % 997).join(" ");
    const filter = `/Filter /LZWDecode /DecodeParms << /EarlyChange ${earlyChange} >>`;
    const parts = { filter, action: "<< /S /GoTo >>", tail: `${numbers} ${script}` };
    expect(check(packed(lzw(earlyChange), parts))).toBe("active_content");
    expect(check(packed(lzw(earlyChange), { ...parts, tail: numbers }))).toBeUndefined();
  });

  it.each([
    ["of a type with #-codes", { entries: "/Type /Obj#53tm" }],
    ["without a type", { entries: "" }],
    ["of another type", { entries: "/Type /XObject" }],
    ["behind its last place", { action: "<< /S /GoTo >>", tail: script }],
    ["within a text", { action: `(a ${script})` }],
  ])("%s", (name, parts) => {
    const file = packed(deflateSync, { filter: "/Filter /FlateDecode", ...parts });
    // Only a place that leads into the text makes it an object.
    const led = name === "within a text" ? withPlaceInText() : file;
    expect(check(led)).toBe("active_content");
  });

  function withPlaceInText(): Buffer {
    const text = `4 0 5 3 (a ${script})`;
    const catalogue = "<< /Type /Catalog /Pages 2 0 R >>";
    const body = `<< /Type /ObjStm /N 2 /First 8 /Length ${text.length} >>`;
    return pdfOf([
      [1, catalogue],
      [6, `${body}\nstream\n${text}\nendstream`],
    ]);
  }
});

describe("a stream of objects is malformed", () => {
  const flate = { filter: "/Filter /FlateDecode" };
  it.each([
    ["with a filter that is not known", packed(deflateSync, { filter: "/Filter /BrotliDecode" })],
    ["with a filter that is in another object", packed(deflateSync, { filter: "/Filter 9 0 R" })],
    ["with parameters in another object", packed(deflateSync, { filter: "/Filter /Fl /DecodeParms 9 0 R" })],
    [
      "with two filters of which readers choose one",
      packed(deflateSync, { filter: "/Filter /Fl /Filter /LZW" }),
    ],
    ["with its data in another file", packed(deflateSync, { filter: "/Filter /Fl /F (a)" })],
    ["with a wrong length", packed((plain) => plain, { filter: "/Length 5" })],
    ["that is broken", packed((plain) => deflateSync(plain).subarray(0, -20).fill(255, 20), flate)],
    [
      "that grows beyond its limit",
      packed((plain) => deflateSync(Buffer.concat([plain, Buffer.alloc(2 ** 25, 32)])), flate),
    ],
    [
      "as a bomb in a bomb",
      packed((plain) => deflateSync(deflateSync(Buffer.concat([plain, Buffer.alloc(2 ** 25)]))), {
        filter: "/Filter [/Fl /Fl]",
      }),
    ],
    ["nested too deep", packed(deflateSync, { ...flate, action: "[".repeat(5_000) + "]".repeat(5_000) })],
    ["with no end", packed(deflateSync, { ...flate, action: "<< /A (" })],
  ])("%s", (_, file) => {
    expect(check(file)).toBe("malformed");
  });
});

describe("what acts is found", () => {
  it.each(catalogues.acts ?? [])("%s", (_, catalogue = "") => {
    expect(check(pdf({ catalogue }))).toBe("active_content");
  });

  it.each([
    ["in a stream", `<< /Length 90 >>\nstream\n9 0 obj ${script} endobj\nendstream`],
    ["in a text", `(9 0 obj ${script})`],
    ["after a comment", `<< /A %>>\n${script} >>`],
    ["behind a comment in its number", `null endobj 9 %\n0 obj ${script}`],
  ])("in an object that stands %s", (_, object) => {
    expect(
      check(
        pdfOf([
          [1, "<< /Type /Catalog /Pages 2 0 R >>"],
          [8, object],
        ]),
      ),
    ).toBe("active_content");
  });
});

describe("what only looks like it is accepted", () => {
  it.each(catalogues.harmless ?? [])("%s", (_, catalogue = "") => {
    expect(check(pdf({ catalogue }))).toBeUndefined();
  });

  it("a comment about a script, and what a page draws", () => {
    expect(check(pdf({ catalogue: "%/JavaScript\n" }))).toBeUndefined();
    const content = "BT (1 0 objects /JavaScript) Tj ET";
    const stream = `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
    expect(
      check(
        pdfOf([
          [1, "<< /Type /Catalog /Pages 2 0 R >>"],
          [8, stream],
        ]),
      ),
    ).toBeUndefined();
  });

  it("an image with any bytes", () => {
    const bytes = fc.uint8Array({ minLength: 0, maxLength: 3_000 });
    fc.assert(
      fc.property(bytes, (data) => {
        const noise = Buffer.concat([Buffer.from("obj << /A (obj"), data]).toString("latin1");
        const image = `<< /Subtype /Image /Filter /DCTDecode /Length ${noise.length} >>`;
        const file = pdfOf([
          [1, "<< /Type /Catalog /Pages 2 0 R >>"],
          [8, `${image}\nstream\n${noise}\nendstream`],
        ]);
        expect(check(file)).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });
});

describe("files that @cantoo/pdf-lib 2.11.1 has written", () => {
  const read = (name: string) => readFileSync(new URL(`made-elsewhere/${name}.pdf`, import.meta.url));

  it.each(["script", "attachment", "program"])("with an object that acts are refused: %s", (name) => {
    expect(check(read(name))).toBe("active_content");
    expect(check(read(`${name}-packed`))).toBe("active_content");
  });

  it.each(["plain", "form"])("are accepted: %s", (name) => {
    expect(check(read(name))).toBeUndefined();
    expect(check(read(`${name}-packed`))).toBeUndefined();
  });
});
