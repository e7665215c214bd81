// Names what npm left out without a word: an optional package for this machine that its Node or
// the network did not allow. Any Node can run this.
const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");

const folder = process.argv[2];
const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
const { glibcVersionRuntime } = process.report.getReport().header;
const libc = glibcVersionRuntime === undefined ? "musl" : "glibc";

const fits = (list, own) => list === undefined || list.includes(own);
const isNative = ({ optional, os, cpu }) => optional && os !== undefined && cpu !== undefined;
const lacking = Object.entries(packages)
  .filter(([, one]) => isNative(one) && fits(one.os, process.platform) && fits(one.cpu, process.arch))
  .filter(
    ([path, one]) =>
      (process.platform !== "linux" || fits(one.libc, libc)) && !existsSync(join(folder, path)),
  )
  .map(([path]) => path.replace(/^.*node_modules\//, ""));

if (lacking.length > 0) {
  console.error(lacking.join(", "));
  process.exit(1);
}
