import type { Answer, Request } from "./emulated-aws.ts";

/**
 * A value of the query protocol's XML: text, a list (of `member`s), or a structure; what is
 * undefined is left out.
 */
export type Xml = string | number | boolean | readonly Xml[] | { readonly [name: string]: Xml | undefined };

/** The form of a request in the query protocol. */
export function formOf({ body }: Request): URLSearchParams {
  return new URLSearchParams(body.toString());
}

/** `Name.member.1.Key`, … as a list of structures. */
export function membersOf(form: URLSearchParams, name: string): Record<string, string>[] {
  const members: Record<string, string>[] = [];
  for (const [key, value] of form) {
    const [, index, field] = new RegExp(`^${name}\\.member\\.(\\d+)\\.(\\w+)$`).exec(key) ?? [];
    if (index === undefined || field === undefined) continue;
    const position = Number(index) - 1;
    members[position] = { ...members[position], [field]: value };
  }
  return members;
}

export function queryAnswer(action: string, result: { readonly [name: string]: Xml | undefined }): Answer {
  const body = `<${action}Response><${action}Result>${xml(result)}</${action}Result><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></${action}Response>`;
  return { status: 200, body, headers: { "content-type": "text/xml" } };
}

export function queryError(code: string, message: string): Answer {
  const error = xml({ Error: { Type: "Sender", Code: code, Message: message }, RequestId: "1" });
  return {
    status: 400,
    body: `<ErrorResponse>${error}</ErrorResponse>`,
    headers: { "content-type": "text/xml" },
  };
}

function xml(value: Xml): string {
  if (Array.isArray(value)) return value.map((one: Xml) => `<member>${xml(one)}</member>`).join("");
  if (typeof value === "object") {
    return Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => `<${name}>${xml(member as Xml)}</${name}>`)
      .join("");
  }
  return String(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
