# Two images: `lab` has both commands; `worker`, the last and so the default, has k6 as well. k6 is a program of its own,
# AGPL-3.0, and comes from its makers' image, or from another one that has it at /usr/bin/k6, such as an xk6 build:
#     docker build --build-arg K6_IMAGE=my-xk6 .
# Redis is in neither: a lab in containers has its own (docker-compose.yml).
ARG K6_IMAGE=grafana/k6:1.8.1

FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json ./
COPY shared shared/
COPY worker worker/
COPY coordinator coordinator/
RUN npm run build
RUN npm prune --omit=dev

FROM node:20-bookworm-slim AS lab
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules/
COPY --from=build /app/dist dist/
COPY scenarios scenarios/
RUN chmod +x dist/coordinator/main.js dist/worker/main.js \
 && ln -s /app/dist/coordinator/main.js /usr/local/bin/coordinator \
 && ln -s /app/dist/worker/main.js /usr/local/bin/worker \
 && mkdir /data && chown node:node /data
USER node
VOLUME /data
CMD ["coordinator", "--help"]

FROM ${K6_IMAGE} AS k6

FROM lab AS worker
COPY --from=k6 /usr/bin/k6 /usr/local/bin/k6
CMD ["worker", "--help"]
