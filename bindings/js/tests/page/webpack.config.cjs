module.exports = {
  entry: "./page.js",
  output: { filename: "page.js", path: __dirname + "/dist", publicPath: "" },
  experiments: { topLevelAwait: true },
  performance: { hints: false },
  stats: "errors-warnings",
};
