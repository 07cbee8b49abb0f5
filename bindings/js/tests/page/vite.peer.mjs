export default { build: { rollupOptions: { input: "peer.html" }, target: "es2022" } };
