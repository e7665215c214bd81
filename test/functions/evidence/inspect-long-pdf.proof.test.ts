import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { inspect } from "../../../functions/evidence/inspect.ts";
import { largestEvidenceBytes } from "../../../shared/contract/evidence.ts";
import { pdfOf } from "../../harness/given-documents.ts";
import { packed } from "./packed-pdfs.ts";

const check = (bytes: Uint8Array) => inspect(bytes, "application/pdf");

/** What takes the longest for the bytes that it has. */
const costly: Readonly<Record<string, string>> = {
  "the name of object streams": "/ObjStm",
  "small objects": "1 0 obj<<>>endobj ",
  numbers: "1 ",
  names: "/#41#42",
  entries: "/N 1",
  "objects in texts": "1 0 obj (",
  "objects in comments": "1 0 obj %",
  "objects before a comment": "obj<<>>%",
  "objects in arrays": "1 0 obj [",
  "objects in dictionaries": "1 0 obj <</A ",
  "the word alone": "obj ",
  "object streams without end": "1 0 obj<</Type/ObjStm/N 1/First 4/Filter/FlateDecode>>stream\n",
  trailers: "trailer<</Root 1 0 R>>",
};

describe("the check is linear", () => {
  it.each(Object.entries(costly))("%s, 10 MB in a second", (_, part) => {
    for (const [before, after] of [
      ["", ""],
      ["3 0 obj [", "] endobj"],
      ["3 0 obj <</A ", ">> endobj"],
    ]) {
      const times = Math.floor((largestEvidenceBytes - 500) / part.length);
      const file = pdfOf([[1, "<< /Type /Catalog /Pages 2 0 R >>"]], {
        more: `${before}${part.repeat(times)}${after}`,
      });
      const started = process.cpuUsage();
      check(file);
      const { user, system } = process.cpuUsage(started);
      expect((user + system) / 1_000, before).toBeLessThan(1_500);
    }
  });

  it("small files that unpack to much", () => {
    for (const part of ["1 ", "<<>>", "/#41"]) {
      const file = packed((plain) => deflateSync(Buffer.concat([plain, Buffer.from(part.repeat(500_000))])), {
        filter: "/Filter /FlateDecode",
      });
      const files = Array.from({ length: 20 }, () => file.subarray(9).toString("latin1")).join("");
      const started = process.cpuUsage();
      check(pdfOf([[1, "<< /Type /Catalog /Pages 2 0 R >>"]], { more: files }));
      const { user, system } = process.cpuUsage(started);
      expect((user + system) / 1_000).toBeLessThan(1_500);
    }
  });
});
