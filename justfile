# The commands people need; `just` lists them. Each is one line of cargo, so that nobody needs `just` to work here.

# List the recipes
default:
    @just --list --unsorted

# What every change must pass, on this machine: format, lints, tests
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    cargo test --workspace --locked

# The same as CI: with PostgreSQL, Python's agents and the check of dependencies
ci:
    .ci/run

# Run the server: people on port 4351, programs on 4350
serve *ARGS:
    cargo run --release -p server -- {{ARGS}}

# Play in this terminal, beside a running server
play PORT="4351":
    telnet 127.0.0.1 {{PORT}}

# Let an agent play: `just agent play --no-model`
agent *ARGS:
    cargo run --release -p agent-cli -- {{ARGS}}

# Dream the logs of every character now (a night for all)
dream *ARGS:
    cargo run --release -p server -- dream --all {{ARGS}}

# Random players against the world, all invariants checked: the seed makes the run
simulate SEED="7" *ARGS:
    cargo run --release -p lab --bin simulate -- --seed {{SEED}} {{ARGS}}

# Run a server's past again and compare the hashes: STATE is its state folder
replay STATE *ARGS:
    cargo run --release -p server -- replay --state-dir {{STATE}} {{ARGS}}

# Rewrite what is generated: command lists, prompts, golden files; look at the diff afterwards
update:
    UPDATE=1 cargo test --workspace --locked

# A Debian package with the unit in it, in target/debian (needs `cargo install cargo-deb`)
deb:
    contrib/debian/build

# What a first build takes, crate by crate, as a page in target/cargo-timings
timings:
    cargo build --release -p server --timings
