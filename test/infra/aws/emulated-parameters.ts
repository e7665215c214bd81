import type { Answer, Request } from "./emulated-aws.ts";
import { json, refusal } from "./json-protocol.ts";

interface Parameter {
  readonly value: string;
  readonly type: string;
  /** The key that encrypts it; AWS's own for the account where none is named. */
  readonly keyId?: string | undefined;
}

/** Of a parameter that costs nothing. */
const largestValue = 4096;

/** Systems Manager's parameters. An encrypted one is read decrypted alone. */
export class EmulatedParameters {
  readonly all = new Map<string, Parameter>();

  answer({ headers, body }: Request): Answer {
    const operation = String(headers["x-amz-target"]).split(".")[1];
    const input = JSON.parse(body.toString()) as Record<string, unknown>;
    const name = String(input.Name);
    if (operation === "PutParameter") {
      if (this.all.has(name) && input.Overwrite !== true) return refusal("ParameterAlreadyExists");
      if (String(input.Value).length > largestValue) return refusal("ValidationException");
      const keyId = input.KeyId as string | undefined;
      this.all.set(name, { value: String(input.Value), type: String(input.Type), keyId });
      return json({ Version: 1 });
    }
    if (operation !== "GetParameter") return refusal("UnknownOperationException");
    const found = this.all.get(name);
    if (found === undefined) return refusal("ParameterNotFound");
    const isHidden = found.type === "SecureString" && input.WithDecryption !== true;
    const Parameter = { Name: name, Type: found.type, Value: isHidden ? "encrypted" : found.value };
    return json({ Parameter });
  }
}
