import * as z from "zod";

// What is wrong with a value, said to people. The message of a schema of its own comes before.
z.config({ customError: describeIssue });

type Issue = z.core.$ZodRawIssue;

function describeIssue(issue: Issue): string | undefined {
  if (issue.input === undefined && issue.code !== "custom") return "is required";
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "int" || (issue.expected === "number" && typeof issue.input === "number")
        ? "must be a whole number"
        : `must be of type ${nameJsonType(issue.expected)}`;
    case "invalid_value": {
      const [type, given] = [typeof issue.values[0], typeof issue.input];
      const one = `${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
      return type === given ? `must be ${one}` : `must be of type ${type}, ${one}`;
    }
    case "too_small":
      return describeBound(issue, "at least", issue.minimum);
    case "too_big":
      return describeBound(issue, "at most", issue.maximum);
    case "invalid_format":
      return formats[issue.format];
    case "invalid_key":
      return issue.issues[0]?.message;
    case "unrecognized_keys": {
      const names = Object.keys((issue.inst as Partial<z.ZodObject>).shape ?? {}).toSorted();
      const takes = names.length > 0 ? `, which takes ${names.join(", ")}` : "";
      return `${issue.keys.join(", ")} is not a field of this object${takes}`;
    }
    case "invalid_union": {
      const whole = issue.errors.flat().filter(({ path }) => path.length === 0);
      const messages = [...new Set(whole.map(({ message }) => message))];
      return messages.join(", or ") || "has none of the forms that it may have";
    }
  }
}

const formats: Readonly<Record<string, string>> = {
  date: "must be a date such as 2026-11-25",
  datetime: "must be a time such as 2026-11-25T14:02:00.000Z",
  email: "must be an email address",
  url: "must be a URL",
};

function describeBound({ origin, exact }: Issue, least: string, bound: bigint | number): string {
  const how = `${exact ? "exactly" : least} ${bound}`;
  if (origin !== "string" && origin !== "array") return `must be ${how}`;
  return `must have ${how} ${origin === "string" ? "character" : "item"}${Number(bound) === 1 ? "" : "s"}`;
}

/** The name that JSON has for what zod expects. */
export function nameJsonType(expected: string): string {
  if (expected === "int" || expected === "nan") return "number";
  return expected === "record" ? "object" : expected;
}
