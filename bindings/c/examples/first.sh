cargo xtask bindings c --into sdk
cc first.c -Isdk/include -Lsdk/lib -lreckoning -Wl,-rpath,sdk/lib -o first
./first
