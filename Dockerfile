# Build: the locked packages and this program go into one environment, which is all the next stage takes.
FROM python:3.13-slim AS build
WORKDIR /src
RUN python -m venv /app && python -m pip install --no-cache-dir --disable-pip-version-check uv
ENV UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never UV_NO_CACHE=1
# With LOCK=requirements-local.lock the image holds the local embedder (REMEMBRANCER_EMBEDDER=local).
ARG LOCK=requirements.lock
COPY requirements.lock requirements-local.lock ./
RUN uv pip install --python /app/bin/python --require-hashes -r ${LOCK}
COPY pyproject.toml README.md LICENSE ./
COPY memory memory
COPY tools tools
COPY bot bot
COPY bench bench
RUN uv pip install --python /app/bin/python --no-deps . && /app/bin/python -m compileall -q /app/lib

# Run: no compiler, no package manager's cache, no root. All state is in the volume.
FROM python:3.13-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates tzdata \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --create-home --shell /usr/sbin/nologin remembrancer \
 && install --directory --mode=0700 --owner=remembrancer --group=remembrancer /data
COPY --from=build /app /app
ENV PATH=/app/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 REMEMBRANCER_HOME=/data
USER remembrancer
WORKDIR /data
VOLUME /data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=60s --timeout=20s --start-period=60s --retries=3 CMD ["remembrancer", "doctor", "--live"]
ENTRYPOINT ["remembrancer"]
