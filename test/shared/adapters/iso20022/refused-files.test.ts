import { describe, expect, it } from "vitest";
import { iso20022 } from "../../../../shared/adapters/iso20022/iso20022.ts";
import { entryOf, notificationOf } from "./camt.ts";

const account = "DE89370400440532013000";
const refusalOf = (text: string | Uint8Array) => {
  const found = iso20022.readFile(typeof text === "string" ? Buffer.from(text) : text);
  return "reason" in found ? found : "was read";
};

describe("a file that is refused whole", () => {
  const good = notificationOf(account, entryOf("<AcctSvcrRef>E1</AcctSvcrRef>"));
  const entity = `<!DOCTYPE Document [<!ENTITY a "b">]>`;
  it.each([
    ["an unclosed element", good.replace("</Document>", ""), "unclosed tag: Document (line 6"],
    ["nothing", "", "document must contain a root element"],
    ["a document type", good.replace("<Document", `${entity}<Document`), "document type declaration"],
    ["an entity", good.replace("M1", "&a;"), "undefined entity"],
    ["an unknown prefix", good.replace("<GrpHdr>", "<x:GrpHdr>"), "unbound namespace prefix"],
    ["another version", good.replace("001.08", "001.14"), "camt.054.001.14"],
    ["a report of the day", good.replace("camt.054", "camt.052"), "camt.052, are not final"],
    ["a Document of another kind", `<a>${good.slice(39)}<Document xmlns="b"/></a>`, '"b"'],
    ["elements that nest too deep", good.replace("M1", "<a>".repeat(50)), "more than 40 deep"],
    ["another root", good.replaceAll("Document", "Other"), "It has no Document"],
    ["no XML", "HDR0001", "text data outside of root"],
  ])("has %s", (_, text, reason) => {
    expect(refusalOf(text)).toMatchObject({ reason: expect.stringContaining(reason) });
  });

  it("says at which record", () => {
    expect(refusalOf(good.replace("</Ntry>", "</Ntry><Ntry><&"))).toMatchObject({ record: 2 });
  });

  it("is larger than 32 MB", () => {
    expect(refusalOf(new Uint8Array(33 * 1024 * 1024))).toMatchObject({
      reason: expect.stringContaining("larger"),
    });
  });
});
