#!/bin/sh
# aws-cdk-lib 2.276.0 exports its modules by getters that load a module when its name is read. An ES module that imports one name,
# `import { App } from "aws-cdk-lib"`, has Node read every getter, and loads some 500 files where `require` of the same name loads
# ten. A CDK app with `"type": "module"` pays for services that it does not use. Node 24. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund aws-cdk-lib@2.276.0 constructs@10.8.1 node@24.21.0
cat > loaded.cjs <<'END'
exports.print = (how, { App }) => {
  const files = Object.keys(require.cache).filter((name) => name.includes("/aws-cdk-lib/")).length;
  console.log(`${how}: ${typeof App}, ${files < 50 ? "fewer than 50" : files > 400 ? "more than 400" : files} files`);
};
END
cat > imported.mjs <<'END'
import { App } from "aws-cdk-lib";
import loaded from "./loaded.cjs";

loaded.print("import", { App });
END
cat > required.cjs <<'END'
const { App } = require("aws-cdk-lib");

require("./loaded.cjs").print("require", { App });
END
seen=$(npx node imported.mjs && npx node required.cjs)
echo "$seen"
test "$seen" = "import: function, more than 400 files
require: function, fewer than 50 files"
