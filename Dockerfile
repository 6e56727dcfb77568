# One image for all roles; the variable ROLE chooses one. The program runs as 1000:1000 on a read-only root and writes only
# to /data and /tmp.
#
#   docker build -t certlantern .
#   docker run -p 127.0.0.1:8080:8080 -v certlantern:/data --read-only --tmpfs /tmp certlantern

# A release adds the digest of the base image: CONTRIBUTING.md has the commands.
ARG NODE_IMAGE=node:26.10.0-trixie-slim

FROM ${NODE_IMAGE} AS built
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json vite.config.ts ./
COPY contract contract
COPY web web
COPY server server
COPY scripts scripts
RUN node_modules/.bin/vite build && node_modules/.bin/vite build --config scripts/build/programs.config.ts && chmod -R a+rX dist

FROM ${NODE_IMAGE} AS program
WORKDIR /app
COPY package.json package-lock.json ./
# --omit=optional leaves out the optional peer dependencies of better-auth, which only the tests and the pages need.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund
COPY LICENSE ./
COPY contract contract
COPY server server
COPY scripts scripts
# Let every user read the files, whatever the umask of the checkout was. Where .packaged exists, scripts/boot.mjs neither
# installs nor builds anything.
RUN chmod -R a+rX package.json LICENSE contract server scripts && touch .packaged

FROM ${NODE_IMAGE}
WORKDIR /app
RUN install -d -o 1000 -g 1000 -m 0700 /data
COPY --from=program /app ./
COPY --from=built /app/dist dist
ENV NODE_ENV=production DATA_DIR=/data HOST=0.0.0.0 PORT=8080 WORKER_PORT=8080
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "scripts/healthy.mjs"]
# Start node without npm or a shell, so that the program gets the signals.
CMD ["node", "--enable-source-maps", "dist/programs/main.js"]
