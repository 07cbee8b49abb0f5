cargo xtask bindings js --into sdk
npm install --no-audit --no-fund ./sdk
node first.mjs
