import { describe, expect, it } from "vitest";
import { parseReceiverUrl } from "../../../../shared/platform/callbacks/receiver.ts";

const refusalOf = (text: string, allowed: readonly string[] = []) => {
  const parsed = parseReceiverUrl(text, allowed);
  return "fault" in parsed ? parsed.fault : parsed.url.href;
};

describe("the URL of a receiver", () => {
  it.each([
    "https://hooks.example.com/card-events",
    "https://hooks.example.com:443/a?b=c",
    "https://hooks.example.com:8443/",
    "https://xn--bcher-kva.example/",
    "https://bücher.example/",
    "https://a_b.example.com/",
    "https://HOOKS.Example.COM/",
    "https://127.0.0.1.example.com/",
  ])("may be %s", (text) => expect(refusalOf(text)).toBe(new URL(text).href));

  it.each([
    ["https://127.0.0.1/", "dotted"],
    ["https://2130706433/", "decimal"],
    ["https://0x7f000001/", "hexadecimal"],
    ["https://0x7f.0x0.0x0.0x1/", "hexadecimal parts"],
    ["https://0177.0.0.1/", "octal"],
    ["https://017700000001/", "octal whole"],
    ["https://127.1/", "short"],
    ["https://127.0.1/", "short, three parts"],
    ["https://0/", "shortest"],
    ["https://0177.0x0.1/", "mixed"],
    ["https://127.0.0.1./", "with a trailing dot"],
    ["https://%31%32%37.0.0.1/", "percent-encoded"],
    ["https://１２７.0.0.1/", "full-width digits"],
    ["https://127。0。0。1/", "ideographic dots"],
    ["https://169.254.169.254/latest/meta-data", "metadata"],
    ["https://8.8.8.8/", "public"],
    ["https://[::1]/", "IPv6"],
    ["https://[0:0:0:0:0:0:0:1]/", "IPv6 written out"],
    ["https://[::ffff:127.0.0.1]/", "IPv4-mapped"],
    ["https://[::ffff:7f00:1]/", "IPv4-mapped in hexadecimal"],
    ["https://[::127.0.0.1]/", "IPv4-compatible"],
    ["https://[64:ff9b::7f00:1]/", "NAT64"],
    ["https://[2002:7f00:1::]/", "6to4"],
    ["https://[2001:0:7f00:1::]/", "Teredo"],
    ["https://[fd00:ec2::254]/", "IPv6 metadata"],
    ["https://[2606:4700:4700::1111]/", "public IPv6"],
  ])("is no IP literal: %s (%s)", (text) => expect(refusalOf(text)).toBe("IP_LITERAL"));

  it.each([
    "https://localhost/",
    "https://LOCALHOST/",
    "https://localhost./",
    "https://foo.localhost/",
    "https://localhost.localdomain/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://db.internal./",
    "https://intranet/",
    "https://hooks/",
    "https://hooks.example.com./",
    "https://1.0.0.127.in-addr.arpa/",
    "https://x.onion/",
    "https://-bad.example.com/",
    `https://${"a".repeat(64)}.example.com/`,
    "https://example.123abc.9x/",
  ])("names a public host, unlike %s", (text) => {
    expect(["HOST_NOT_PUBLIC", "NOT_A_URL", "IP_LITERAL"]).toContain(refusalOf(text));
  });

  it.each([
    ["http://hooks.example.com/", "NOT_HTTPS"],
    ["ftp://hooks.example.com/", "NOT_HTTPS"],
    ["file:///etc/passwd", "NOT_A_URL"],
    ["gopher://hooks.example.com/", "NOT_HTTPS"],
    ["javascript:alert(1)", "NOT_A_URL"],
    ["data:text/plain,x", "NOT_A_URL"],
    ["https://user@hooks.example.com/", "HAS_CREDENTIALS"],
    ["https://:secret@hooks.example.com/", "HAS_CREDENTIALS"],
    ["https://hooks.example.com@127.0.0.1/", "HAS_CREDENTIALS"],
    ["https://hooks.example.com/#here", "HAS_FRAGMENT"],
    ["https://hooks.example.com:22/", "PORT_NOT_ALLOWED"],
    ["https://hooks.example.com:80/", "PORT_NOT_ALLOWED"],
    ["https://hooks.example.com:9200/", "PORT_NOT_ALLOWED"],
    ["https://hooks.example.com:0/", "PORT_NOT_ALLOWED"],
    ["https:/hooks.example.com/", "NOT_A_URL"],
    ["https:hooks.example.com", "NOT_A_URL"],
    ["https:///hooks.example.com/", "NOT_A_URL"],
    ["https:\\\\hooks.example.com\\", "NOT_A_URL"],
    ["https://hooks.example.com\\@127.0.0.1/", "NOT_A_URL"],
    ["https://hooks.exa\tmple.com/", "NOT_A_URL"],
    ["https://hooks.example.com/\r\nHost: x", "NOT_A_URL"],
    [" https://hooks.example.com/", "NOT_A_URL"],
    ["https://hooks.example.com/\u0000", "NOT_A_URL"],
    ["https://", "NOT_A_URL"],
    ["hooks.example.com", "NOT_A_URL"],
    ["/relative", "NOT_A_URL"],
    ["", "NOT_A_URL"],
    [`https://hooks.example.com/${"a".repeat(2048)}`, "NOT_A_URL"],
  ])("is not %j", (text, fault) => expect(refusalOf(text)).toBe(fault));

  it("may be of an allowed origin, and of that one exactly", () => {
    const allowed = ["http://127.0.0.1:9000"];
    expect(refusalOf("http://127.0.0.1:9000/hook?a=b", allowed)).toBe("http://127.0.0.1:9000/hook?a=b");
    expect(refusalOf("http://127.0.0.1:9001/hook", allowed)).toBe("NOT_HTTPS");
    expect(refusalOf("https://127.0.0.1:9000/hook", allowed)).toBe("IP_LITERAL");
    expect(refusalOf("http://127.0.0.1:9000@example.com/hook", allowed)).toBe("HAS_CREDENTIALS");
    expect(refusalOf("http://a:b@127.0.0.1:9000/hook", allowed)).toBe("HAS_CREDENTIALS");
    expect(refusalOf("http://127.0.0.1:90001/hook", allowed)).toBe("NOT_A_URL");
  });
});
