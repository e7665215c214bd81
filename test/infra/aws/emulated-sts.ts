import type { Answer, Request } from "./emulated-aws.ts";
import { formOf, queryAnswer, queryError } from "./query-protocol.ts";

/** Says whose the credentials are, and lets them take any role. */
export function answerSts(account: string, request: Request): Answer {
  if (/Credential=expired\//.test(request.headers.authorization ?? "")) {
    return queryError("ExpiredToken", "The security token included in the request is expired");
  }
  const form = formOf(request);
  const action = form.get("Action") ?? "";
  if (action === "GetCallerIdentity") {
    const Arn = `arn:aws:iam::${account}:user/deployer`;
    return queryAnswer(action, { UserId: "AIDADEPLOYER", Account: account, Arn });
  }
  if (action !== "AssumeRole") return queryError("InvalidAction", `${action} is not emulated`);
  const Expiration = new Date(Date.now() + 3_600_000).toISOString();
  const secrets = { SecretAccessKey: "assumed", SessionToken: "assumed" };
  return queryAnswer(action, {
    Credentials: { AccessKeyId: "assumed", ...secrets, Expiration },
    AssumedRoleUser: { AssumedRoleId: "A:cdk", Arn: form.get("RoleArn") ?? "" },
  });
}
