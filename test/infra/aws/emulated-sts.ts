import type { Answer, Request } from "./emulated-aws.ts";
import { formOf, queryAnswer, queryError } from "./query-protocol.ts";

/** Says whose the credentials are, and lets them take any role. */
export class EmulatedSts {
  readonly #account: string;

  constructor(account: string) {
    this.#account = account;
  }

  answer(request: Request): Answer {
    if (/Credential=expired\//.test(request.headers.authorization ?? "")) {
      return queryError("ExpiredToken", "The security token included in the request is expired");
    }
    const form = formOf(request);
    const action = form.get("Action") ?? "";
    if (action === "GetCallerIdentity") {
      const Arn = `arn:aws:iam::${this.#account}:user/deployer`;
      return queryAnswer(action, { UserId: "AIDADEPLOYER", Account: this.#account, Arn });
    }
    if (action === "AssumeRole") {
      const Credentials = {
        AccessKeyId: "assumed",
        SecretAccessKey: "assumed",
        SessionToken: "assumed",
        Expiration: new Date(Date.now() + 3_600_000).toISOString(),
      };
      return queryAnswer(action, {
        Credentials,
        AssumedRoleUser: { AssumedRoleId: "A:cdk", Arn: form.get("RoleArn") ?? "" },
      });
    }
    return queryError("InvalidAction", `${action} is not emulated`);
  }
}
