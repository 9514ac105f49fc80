# dp-server in a small image: docker build -t dp-server . && docker run -p 4350:4350 -p 4351:4351 -v dp:/state dp-server
# How to use it: docs/OPERATIONS.md.

FROM rust:1.95-slim-bookworm AS build
# What runs scripts is C++.
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# What was built before is kept beside the image, so the program is copied out of there.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --profile dist --locked --package server --bin dp-server \
    && install -D target/dist/dp-server /out/dp-server \
    && install -d -m 0700 /out/state

# The C library and what belongs to it; no shell, nothing else that could be run.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /out/dp-server /usr/local/bin/dp-server
COPY data/world /usr/share/dp-server/world
# The user of this base image; a new volume takes over the folder with its owner.
COPY --from=build --chown=65532:65532 /out/state /state
ENV DP_SERVER_HTTP=0.0.0.0:4350 \
    DP_SERVER_TELNET=0.0.0.0:4351 \
    DP_SERVER_STATE_DIR=/state \
    DP_SERVER_WORLD=/usr/share/dp-server/world \
    DP_SERVER_LOG_FORMAT=json
VOLUME /state
EXPOSE 4350 4351
USER 65532:65532
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["/usr/local/bin/dp-server", "health"]
ENTRYPOINT ["/usr/local/bin/dp-server"]
