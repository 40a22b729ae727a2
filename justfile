# What CI runs, in its order. `just check` is all of it.
check: fmt lint test docs

# Formatting.
fmt:
    cargo fmt --all --check

# Clippy, warnings denied.
lint:
    cargo clippy --workspace --all-targets --all-features --locked -- -D warnings

# Every test, on SQLite and PostgreSQL; installs or starts what they need.
test *ARGS:
    bash tests/run {{ARGS}}

# The documentation, warnings denied.
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# Rewrites the pages and golden files that are rendered from the tables.
golden:
    UPDATE=1 bash tests/run

# The server with its data in ./target/dev-data.
serve:
    cargo run -- serve --data-dir target/dev-data

# A picture of every page of the console, in both themes and as on a phone, in FOLDER.
screenshots FOLDER="target/screenshots":
    CHORUS_SCREENSHOTS="$(realpath -m {{FOLDER}})" bash tests/run -E 'binary(browser) & test(pictures)'

# The pictures in docs/images, made anew.
pictures:
    CHORUS_PICTURES="$(realpath docs/images)" bash tests/run -E 'binary(browser) & test(illustrated)'

# Coverage-guided fuzzing of `receive` or `post`, until it is stopped; needs a nightly compiler and cargo-fuzz. Bodies to
# begin with stand in tests/corpus: `just fuzz receive tests/corpus/messages`.
fuzz TARGET *ARGS:
    cp Cargo.lock tests/fuzz/
    cargo +nightly fuzz run --fuzz-dir tests/fuzz {{TARGET}} {{ARGS}}

# The long form of the tests that try to break the server: an hour or so; `CHORUS_TORTURE_SEED=N just torture` repeats one.
torture *ARGS:
    CHORUS_TORTURE=full bash tests/run -E 'binary(torture)' --no-capture {{ARGS}}

# Measures the server against what the machine can do without it; ten minutes once it is built. `just bench --help`.
bench *ARGS:
    bash tests/bench {{ARGS}}
