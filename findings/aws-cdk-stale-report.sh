#!/bin/sh
# aws-cdk 2.1148.1 (the command line), aws-cdk-lib 2.276.0: a synthesis that a validation refuses leaves
# validation-report.json in its folder. A later one into the same folder without validations (among them the built-in
# one) writes all else anew and leaves that file. `cdk deploy --app <folder>` reads it still, and refuses what was synthesized last; the
# manifest does not name it, and `cdk list` does not mind. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund aws-cdk@2.1148.1 aws-cdk-lib@2.276.0 constructs@10.8.1
cat > app.cjs <<'END'
const { App, BootstraplessSynthesizer, CfnResource, Stack, Validations } = require("aws-cdk-lib");
const isRefused = process.argv[2] === "refused";
const app = new App({ outdir: "out", analyticsReporting: false, builtinCloudFormationValidation: isRefused });
const stack = new Stack(app, "one", { env: { account: "111122223333", region: "eu-west-1" }, synthesizer: new BootstraplessSynthesizer() });
new CfnResource(stack, "Handle", { type: "AWS::CloudFormation::WaitConditionHandle" });
const violatingConstructs = [{ constructPath: "one", templatePath: "out/one.template.json", locations: [], resourceLogicalId: "Handle" }];
const violations = [{ ruleName: "never", description: "It is never right.", severity: "error", violatingResources: violatingConstructs, violatingConstructs }];
const validate = () => ({ success: false, violations });
if (isRefused) Validations.of(app).addPlugins({ name: "never", validate });
app.synth();
END
try() { "$@" >log 2>&1 && echo succeeds || echo "fails: $(grep -o 'Synthesis finished with errors\|Validation failed' log | head -1)"; }
# Nothing answers there: a deployment that is begun fails otherwise.
export AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=secret AWS_REGION=eu-west-1 AWS_ENDPOINT_URL=http://127.0.0.1:9 AWS_MAX_ATTEMPTS=1
deploy() { try npx cdk deploy one --app out --require-approval never --no-notices; }
seen="refused synthesis $(try node app.cjs refused)
next synthesis $(try node app.cjs)
report named by the manifest $(grep -c validation-report out/manifest.json || true) times
list $(try npx cdk list --app out --no-notices)
deployment $(deploy)
without the report $(rm out/validation-report.json && deploy)"
echo "$seen"
test "$seen" = "refused synthesis fails: Validation failed
next synthesis succeeds
report named by the manifest 0 times
list succeeds
deployment fails: Synthesis finished with errors
without the report fails: "
