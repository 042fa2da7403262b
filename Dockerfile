# One image for both commands. Redis is not in it: a lab in containers has its own (docker-compose.yml).
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

FROM node:20-bookworm-slim
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
