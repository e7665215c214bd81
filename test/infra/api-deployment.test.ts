import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Key } from "aws-cdk-lib/aws-kms";
import { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { expect, test } from "vitest";
import { HostedApi } from "../../infra/constructs/api/hosted-api.ts";
import { readSettings } from "../../infra/environments.ts";
import { resource } from "./synthesized.ts";

/** The deployment of an API with these routes, and the one that its stage shows. */
function deploymentOf(...routes: string[]): string {
  const stack = new Stack(new App({ builtinCloudFormationValidation: false }), "Stack", {
    env: { account: "111122223333", region: "eu-west-1" },
  });
  const handler = LambdaFunction.fromFunctionAttributes(stack, "Function", {
    functionArn: "arn:aws:lambda:eu-west-1:111122223333:function:one",
    sameEnvironment: true,
  });
  new HostedApi(stack, "Api", {
    settings: readSettings("staging"),
    api: "one",
    functions: new Map(routes.map((route) => [route, handler])),
    logKey: new Key(stack, "Key"),
  });
  const template = Template.fromStack(stack);
  const [id] = resource(template, "AWS::ApiGateway::Deployment", "Api");
  const [, stage] = resource(template, "AWS::ApiGateway::Stage", "Api");
  expect(stage.Properties.DeploymentId).toEqual({ Ref: id });
  return id;
}

test("a changed document is deployed anew, the same one is not: API Gateway serves copies of it", () => {
  expect(deploymentOf("GET /one")).toBe(deploymentOf("GET /one"));
  const all = [deploymentOf("GET /one"), deploymentOf("GET /one", "GET /two"), deploymentOf("POST /one")];
  expect(new Set(all).size).toBe(3);
});
